"""What providers cache stays what it was: array and system prompt byte for byte, messages appended only."""

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from hermes_lite.messages import NoticeMessage
from hermes_lite.testing.model_server import ScriptedModel, Text
from hermes_lite.testing.script import Call, Calls, Recorded, Step
from tests.agent.rig import DEFERRED, Rig, Talk, calls, notices, results, row
from tests.agent.validity import assert_valid
from tests.support.promises import promise

pytestmark = pytest.mark.anyio

MCP = {"mcp": {"reconnect_first": 0.01, "reconnect_most": 0.05, "stop_grace": 0.2}}
ALLOWED = {"agent": {"approvals": {"allow": ["mcp__*"]}}}


def tool(name: str) -> dict[str, Any]:
    return {"name": name, "description": f"Do {name} to it.", "inputSchema": {"type": "object"}}


def value(request: Recorded, key: str) -> str:
    """The text of `key` in the request body, byte for byte."""
    body = request.body.decode()
    start = body.index(f'"{key}":') + len(key) + 3
    _, end = json.JSONDecoder().raw_decode(body, start)
    return body[start:end]


def assert_append_only(requests: Sequence[Recorded]) -> None:
    for before, after in itertools.pairwise(requests):
        assert value(after, "messages").startswith(value(before, "messages")[:-1])
        assert_valid(after.messages)


def search(*queries: str) -> Calls:
    return Calls((Call("tool_search", {"queries": list(queries)}, f"call_{'_'.join(queries)}".replace(" ", "_")),))


def found(request: Recorded) -> list[str]:
    """What the last search of `request` found."""
    answer = json.loads(list(results(request).values())[-1])
    return [name for group in answer["results"] for name in group["matches"]]


@promise("T-D01", "T-D02", "T-D04", "T-D07", "T-D08", "T-D10", "T-L04", "CACHE-1")
async def test_twenty_turns_with_servers_that_flap_come_late_and_change_keep_one_prefix(rig: Rig) -> None:
    gate = rig.project / "let-it-start"
    flapping = rig.server(
        "flapping",
        tools=[tool("polish"), tool("die")],
        crash={"on": "call:die", "times": 1},
        state=str(rig.project / "state"),
    )
    late = waiting_for(gate, rig.server("late", tools=[tool("varnish")], instructions="Late words of a server."))
    changing = rig.server(
        "changing", tools=[tool("sand"), tool("swap")], changes={"swap": {"tools": [tool("swap"), tool("engrave")]}}
    )
    servers = {"flapping": flapping, "late": late, "changing": changing}
    steps: list[Step] = [
        Text("one"),
        calls("mcp__flapping__polish"),
        Text("polished"),
        calls("mcp__flapping__die"),
        Text("it died"),
        calls("mcp__flapping__polish"),
        Text("polished again"),
        search("varnish it"),
        Text("not there yet"),
        search("do varnish"),
        Text("there"),
        calls("mcp__changing__swap"),
        Text("swapped"),
        search("engrave"),
        Text("found"),
        calls("mcp__changing__sand"),
        Text("sanded"),
        Text("No, sand is gone."),
        *[Text(f"turn {n}") for n in range(11)],
    ]
    with ScriptedModel(*steps) as model:
        async with rig.open(model, config={"mcp_servers": servers, **MCP, **ALLOWED}, wait=0) as talk:
            await talk.until(lambda: (talk.state("flapping"), talk.state("changing")) == ("ready", "ready"))
            await talk.say("hello")
            await talk.say("polish")
            before = talk.runtime.toolbox.registry.version
            await talk.say("die")
            await talk.until(lambda: talk.runtime.toolbox.registry.version >= before + 2)
            await talk.until(lambda: talk.state("flapping") == "ready")
            await talk.say("polish")
            await talk.say("find varnish")
            gate.touch()
            await talk.until(lambda: talk.state("late") == "ready")
            await talk.say("find varnish now")
            await talk.say("swap")
            await talk.until(lambda: talk.runtime.scope().row("mcp__changing__engrave") is not None)
            await talk.say("engrave")
            await talk.say("sand")
            for n in range(11):
                await talk.say(f"turn {n}")
            assert [name for name, outcome in talk.outcomes() if outcome == "ok"].count("mcp__flapping__polish") == 2
            told = [message.text for message in talk.messages if isinstance(message, NoticeMessage)]
    requests = model.requests
    assert len({value(request, "tools") for request in requests}) == 1
    assert len({request.messages[0]["content"] for request in requests}) == 1
    assert_append_only(requests)
    assert found(requests[8]) == []
    assert found(requests[10]) == ["mcp__late__varnish"]
    assert found(requests[14]) == ["mcp__changing__engrave"]
    assert "NOT RUN" in results(requests[16])["call_mcp__changing__sand_0"]
    assert sum("late is ready" in text for text in told) == 1
    assert sum("Late words of a server." in text for text in told) == 1
    assert (
        sum("changed its tools; new: mcp__changing__engrave; gone: mcp__changing__sand" in text for text in told) == 1
    )


def waiting_for(file: Path, definition: dict[str, Any]) -> dict[str, Any]:
    """A server that starts when `file` appears."""
    command = " ".join([definition["command"], *definition["args"]])
    return {"command": "/bin/sh", "args": ["-c", f"while [ ! -e {file} ]; do sleep 0.02; done; exec {command}"]}


@promise("T-D03", "CACHE-2")
async def test_a_resumed_session_sends_the_same_prefix_and_tells_no_old_news(rig: Rig) -> None:
    config = {"mcp_servers": {"box": rig.server("box", tools=[tool("polish")])}}
    there, gone = row("far_tool", source=DEFERRED), ()
    with ScriptedModel(calls("far_tool"), Text("one"), Text("two"), Text("three"), Text("four")) as model:
        async with rig.open(model, config=config, rows=[there]) as talk:
            await talk.say("first")
            talk.runtime.toolbox.registry.replace(DEFERRED, gone)
            await talk.say("second")
            session = talk.runtime.overview().session_id
        (rig.project / "AGENTS.md").write_text("New instructions.", encoding="utf-8")
        async with rig.open(model, config=config) as talk:
            talk.runtime.toolbox.registry.replace(DEFERRED, gone)
            await talk.runtime.resume(session)
            await talk.say("third")
            await talk.say("fourth")
    assert len({value(request, "tools") for request in model.requests}) == 1
    assert_append_only(model.requests)
    assert [len(notices(request)) for request in model.requests] == [0, 0, 1, 1, 1]


@promise("CACHE-3")
async def test_natural_breaks_compose_the_frame_anew(rig: Rig) -> None:
    with ScriptedModel(Text("one"), Text("two"), Text("three")) as model:
        async with rig.open(model, rows=[row("far_tool", source=DEFERRED)]) as talk:
            await talk.say("first")
            talk.offer(row("other_tool", source=DEFERRED))
            await talk.say("second")
            await talk.runtime.refresh_tools()
            await talk.say("third")
    arrays = [value(request, "tools") for request in model.requests]
    assert arrays[0] == arrays[1] != arrays[2]
    assert ("other_tool" in arrays[1], "other_tool" in arrays[2]) == (False, True)
    assert_append_only(model.requests)


@promise("T-D13")
async def test_the_listing_holds_nothing_that_a_person_said(rig: Rig) -> None:
    arrays = set()
    for words in ("polish my shoes", "やあ"):
        with ScriptedModel(Text("fine")) as model:
            async with rig.open(model, rows=[row("far_tool", source=DEFERRED)]) as talk:
                await talk.say(words)
        arrays.add(value(model.requests[0], "tools"))
    assert len(arrays) == 1


@promise("T-D11", "ACT-1")
async def test_found_tools_join_the_array_behind_what_stands_there(rig: Rig) -> None:
    rows = [row(name, source=DEFERRED, description=f"Polish the {name}.") for name in ("silver", "brass", "pewter")]
    steps = [
        search("polish brass"),
        calls("brass"),
        Text("done"),
        search("polish silver"),
        calls("silver"),
        Text("ok"),
    ]
    config = {"tools": {"tool_search": {"strategy": "activate"}}}
    with ScriptedModel(*steps) as model:
        async with rig.open(model, config=config, rows=rows) as talk:
            await talk.say("first")
            talk.offer(*rows[:2])
            await talk.say("second")
            context = talk.runtime.context_report()
    names = [[entry["function"]["name"] for entry in request.tools] for request in model.requests]
    arrays = [value(request, "tools")[:-1] for request in model.requests]
    assert all(after.startswith(before) for before, after in itertools.pairwise(arrays))
    assert "brass" in names[1] and "brass" not in names[0]
    assert names[3] == names[2] == names[1]
    assert "silver" in names[4]
    assert "2 times" in context.activation
    assert [outcome for _, outcome in talk.outcomes()] == ["ok"] * 4
    assert_append_only(model.requests)


@promise("ACT-1")
async def test_a_resumed_session_keeps_the_tools_that_joined(rig: Rig) -> None:
    rows = [row("brass", source=DEFERRED, description="Polish the brass.")]
    config = {"tools": {"tool_search": {"strategy": "activate"}}}
    with ScriptedModel(search("polish brass"), Text("one"), Text("two")) as model:
        async with rig.open(model, config=config, rows=rows) as talk:
            await talk.say("first")
            session = talk.runtime.overview().session_id
        async with rig.open(model, config=config, rows=rows) as talk:
            await talk.runtime.resume(session)
            await talk.say("second")
    assert value(model.requests[2], "tools") == value(model.requests[1], "tools")


async def test_news_is_told_within_a_turn_too(rig: Rig) -> None:
    def come(talk: Talk) -> Any:
        async def work(arguments: dict[str, Any], context: Any) -> Any:
            talk.offer(row("far_tool", source=DEFERRED))
            return await row("x").handler({}, context)  # type: ignore[operator]

        return work

    with ScriptedModel(calls("bring"), Text("it is here")) as model:
        async with rig.open(model) as talk:
            talk.offer(row("bring", come(talk)))
            await talk.say()
    assert ["workshop is ready with 1 tools: far_tool" in text for text in notices(model.requests[1])] == [True]


@promise("T-D04")
async def test_what_a_server_says_of_itself_is_told_once_and_never_part_of_the_prompt(rig: Rig) -> None:
    servers = {"box": rig.server("box", tools=[tool("polish")], instructions="Polish\u202e twice.")}
    with ScriptedModel(Text("one"), Text("two"), Text("a summary"), Text("three")) as model:
        async with rig.open(model, config={"mcp_servers": servers}) as talk:
            await talk.say("first")
            await talk.say("second")
            await talk.runtime.compact("", talk.events.append)
            await talk.say("third")
    assert [len(notices(request)) for request in model.requests] == [1, 1, 0, 2]
    assert "Polish twice." in notices(model.requests[0])[0]
    assert "Polish twice." in notices(model.requests[3])[-1]
    assert "Polish twice." not in model.requests[0].messages[0]["content"] + value(model.requests[0], "tools")
