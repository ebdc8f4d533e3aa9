"""When a conversation no longer fits it is condensed once, and everything that matters is still there."""

from dataclasses import replace
from typing import Any

import pytest

from hermes_lite.agent import compaction
from hermes_lite.errors import ModelError, UsageError
from hermes_lite.events import Compacted
from hermes_lite.testing.model_server import ScriptedModel, Status, Text
from hermes_lite.testing.script import Call, Calls, Recorded
from hermes_lite.tools.spec import ToolContext, ToolResult
from tests.agent.rig import DEFERRED, Rig, calls, notices, results, row
from tests.agent.validity import assert_valid
from tests.support.promises import promise

pytestmark = pytest.mark.anyio

FULL = Status(400, "This model's maximum context length is 8192 tokens. Please reduce the length of the messages.")
SMALL = {"model": {"context_length": 8192}}


def is_summary_request(request: Recorded) -> bool:
    return bool(request.messages[0]["content"] == compaction.SYSTEM)


def texts(request: Recorded) -> list[str]:
    return [str(message["content"]) for message in request.messages[1:]]


async def long_answer(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
    return ToolResult("word " * 2_500)


@promise("COMPACT-1")
async def test_an_overflow_is_answered_by_exactly_one_compaction_and_one_retry(rig: Rig) -> None:
    with ScriptedModel(Text("one"), Text("two"), FULL, Text("It was about numbers."), Text("three")) as model:
        async with rig.open(model) as talk:
            await talk.say("first")
            await talk.say("second")
            ended = await talk.say("third")
    assert (ended.end, ended.text) == ("answered", "three")
    assert [is_summary_request(request) for request in model.requests] == [False, False, False, True, False]
    assert len(talk.heard(Compacted)) == 1
    retried = texts(model.requests[4])
    assert ("It was about numbers." in retried[0], retried[-1]) == (True, "third")
    assert ended.usage.input_tokens == 200
    assert_valid(model.requests[4].messages)


@promise("COMPACT-1")
async def test_a_request_that_still_does_not_fit_ends_the_turn_and_not_in_a_circle(rig: Rig) -> None:
    with ScriptedModel(Text("one"), FULL, Text("a summary"), FULL, Text("fine")) as model:
        async with rig.open(model) as talk:
            await talk.say("first")
            ended = await talk.say("second")
            again = await talk.say("third")
    assert (ended.end, again.end) == ("failed", "answered")
    assert_valid(model.requests[4].messages)


@promise("COMPACT-2")
async def test_tools_stay_findable_and_callable_and_the_to_do_list_and_used_tools_are_kept(rig: Rig) -> None:
    todo = {"items": [{"text": "paint the door", "state": "open"}, {"text": "sand it", "state": "done"}]}
    steps = [
        Calls((Call("todo_list", todo, "call_todo"), Call("far_tool", {"n": 1}, "call_far"))),
        Text("noted"),
        Text("The person paints a door."),
        calls("tool_search", queries=["far tool"]),
        calls("far_tool", n=2),
        Text("still there"),
        Text("A second summary."),
        Text("on"),
    ]
    with ScriptedModel(*steps) as model:
        async with rig.open(model, rows=[row("far_tool", source=DEFERRED)]) as talk:
            await talk.say("first")
            await talk.runtime.compact("the door", talk.events.append)
            await talk.say("second")
            await talk.runtime.compact("", talk.events.append)
            await talk.say("third")
    assert "Pay special attention to: the door" in texts(model.requests[2])[0]
    handover = texts(model.requests[3])[0]
    assert "[ ] paint the door\n[x] sand it" in handover
    assert "Tools used so far (still callable by these names): todo_list, far_tool" in handover
    assert [tool["function"]["name"] for tool in model.requests[3].tools] == [
        tool["function"]["name"] for tool in model.requests[0].tools
    ]
    assert [outcome for _, outcome in talk.outcomes()] == ["ok"] * 4
    assert "The person paints a door." in texts(model.requests[6])[0], "an earlier summary stays whole"
    used = texts(model.requests[7])[0].split("by these names): ")[1]
    assert all(name in used for name in ("todo_list", "far_tool", "tool_search"))
    assert [activity["end"] for activity in rig.activities()].count("compacted") == 2


@promise("COMPACT-3")
async def test_a_conversation_is_condensed_before_it_is_full_and_once(rig: Rig) -> None:
    steps = [
        Text("one", usage=(3_000, 10)),
        Text("x " * 2_000, usage=(7_500, 400)),
        Text("A summary."),
        Text("three", usage=(1_000, 10)),
        Text("four", usage=(1_100, 10)),
    ]
    with ScriptedModel(*steps) as model:
        async with rig.open(model, config=SMALL) as talk:
            for words in ("first", "second", "third", "fourth"):
                await talk.say(words)
    assert [is_summary_request(request) for request in model.requests] == [False, False, True, False, False]
    assert texts(model.requests[4])[-1] == "fourth"


@promise("COMPACT-3")
async def test_a_long_turn_is_condensed_in_its_middle_and_keeps_the_words_of_the_person(rig: Rig) -> None:
    reads = [replace(calls("read_much", n=n), usage=None) for n in range(2)]
    with ScriptedModel(*reads, Text("Two parts were read."), Text("All read.")) as model:
        async with rig.open(model, config=SMALL, rows=[row("read_much", long_answer)]) as talk:
            ended = await talk.say("read it all")
    assert (ended.end, ended.text) == ("answered", "All read.")
    assert [is_summary_request(request) for request in model.requests] == [False, False, True, False]
    kept = texts(model.requests[3])
    assert "Two parts were read." in kept[0]
    assert "read it all" in kept
    assert_valid(model.requests[3].messages)


@promise("COMPACT-4")
async def test_an_unknown_window_is_never_nearly_full(rig: Rig) -> None:
    with ScriptedModel(Text("one", usage=(5_000_000, 10)), Text("two")) as model:
        async with rig.open(model) as talk:
            await talk.say("first")
            ended = await talk.say("second")
    assert ended.text == "two"


@promise("COMPACT-5")
async def test_when_condensing_fails_the_person_is_told_and_nothing_is_lost(rig: Rig) -> None:
    steps = [Text("one", usage=(7_900, 10)), Text("x " * 3_000, usage=(7_900, 10)), Status(400, "no"), Text("three")]
    with ScriptedModel(*steps) as model:
        async with rig.open(model, config=SMALL) as talk:
            for words in ("first", "second", "third"):
                ended = await talk.say(words)
    assert (ended.end, ended.text) == ("answered", "three")
    assert [text for text in talk.notices() if "could not be condensed" in text] != []
    assert texts(model.requests[3])[0] == "first"


@promise("COMPACT-5")
async def test_a_failing_compact_command_raises_and_keeps_the_conversation(rig: Rig) -> None:
    with ScriptedModel(Text("one"), Text("two"), Status(400, "no"), Text("  "), Text("three")) as model:
        async with rig.open(model) as talk:
            await talk.say("first")
            await talk.say("second")
            before = talk.messages
            for _ in range(2):
                with pytest.raises(ModelError):
                    await talk.runtime.compact("", talk.events.append)
            assert talk.messages == before
            await talk.say("third")
    assert texts(model.requests[4])[0] == "first"


async def test_nothing_to_condense_is_said_so(rig: Rig) -> None:
    with ScriptedModel() as model:
        async with rig.open(model) as talk:
            with pytest.raises(UsageError, match="nothing to condense yet"):
                await talk.runtime.compact("", talk.events.append)


@promise("S-C9", "COMPACT-1")
async def test_an_empty_answer_that_ended_at_a_full_window_is_an_overflow(rig: Rig) -> None:
    silent = Text("", finish="length", usage=(8_190, 0))
    with ScriptedModel(Text("one"), silent, Text("a summary"), Text("two")) as model:
        async with rig.open(model, config=SMALL) as talk:
            await talk.say("first")
            ended = await talk.say("second")
    assert (ended.end, ended.text) == ("answered", "two")
    assert is_summary_request(model.requests[2])


@promise("S-C11")
async def test_the_configured_window_beats_the_one_that_the_endpoint_names(rig: Rig) -> None:
    with ScriptedModel(Text("one"), entry={"context_length": 1_000_000}) as model:
        async with rig.open(model, config=SMALL) as talk:
            await talk.say("first")
            report = talk.runtime.context_report()
    assert (report.window, report.window_origin) == (8192, "config")


async def test_a_summary_that_does_not_fit_is_asked_for_with_shorter_excerpts(rig: Rig) -> None:
    long = "x " * 1_500
    with ScriptedModel(Text(long), Text("two"), FULL, FULL, Text("a summary"), Text("three")) as model:
        async with rig.open(model) as talk:
            await talk.say("first")
            await talk.say("second")
            ended = await talk.say("third")
    assert ended.text == "three"
    asked = [texts(request)[0] for request in model.requests[3:5]]
    assert len(asked[0]) > len(asked[1])


async def test_a_condensed_session_is_taken_up_again(rig: Rig) -> None:
    with ScriptedModel(Text("one"), Text("two"), Text("a summary"), Text("three"), Text("four")) as model:
        async with rig.open(model) as talk:
            await talk.say("first")
            await talk.say("second")
            await talk.runtime.compact("", talk.events.append)
            rows = {row.label: row.tokens for row in talk.runtime.context_report().rows}
            told = talk.runtime.overview().used_tokens
            assert told > rows["direct tools"] + rows["bridge"], "the frame that is to come counts"
            await talk.say("third")
            session = talk.runtime.overview().session_id
        async with rig.open(model) as talk:
            await talk.runtime.resume(session)
            await talk.say("fourth")
    assert model.requests[4].messages[: len(model.requests[3].messages)] == model.requests[3].messages
    assert notices(model.requests[4]) == notices(model.requests[3])
    assert results(model.requests[4]) == {}
