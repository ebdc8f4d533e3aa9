"""One call: its result, its cut, its questions, and what the model is told of them."""

import base64
import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from hermes_lite.mcp.wishes import Completion, Wish
from hermes_lite.tools.spec import Question
from tests.mcp.rig import Rig, tool
from tests.support.promises import promise

pytestmark = pytest.mark.anyio

READS = {"annotations": {"readOnlyHint": True}}
SAFE = {"annotations": {"idempotentHint": True}}


def text(value: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": value}]}


@promise("MCP-10")
async def test_a_call_without_an_answer_is_cut_and_its_outcome_called_unknown(rig: Rig) -> None:
    definition = rig.scripted(tools=[tool("slow")], silent=["call:slow"])
    async with rig.pool({"server": definition}, call_timeout=0.2) as pool:
        await pool.wait_settled()
        result = await rig.call("mcp__server__slow")
    assert result.is_error
    assert result.text.startswith("TIMED OUT after 0.2 s")
    assert "unknown" in result.text
    methods = [message.get("method") for message in rig.received()]
    assert methods.count("tools/call") == 1
    assert methods[-1] == "notifications/cancelled"


@promise("MCP-11")
async def test_cancelling_a_call_tells_the_server(rig: Rig) -> None:
    script = rig.scripted(tools=[tool("slow"), tool("t")], silent=["call:slow"])
    async with rig.pool({"server": script}) as pool:
        await pool.wait_settled()
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as group:
                group.start_soon(rig.call, "mcp__server__slow")
                await rig.call("mcp__server__t")
                scope.cancel()
        await rig.call("mcp__server__t")
    cancelled = [message for message in rig.received() if message.get("method") == "notifications/cancelled"]
    slow = [message for message in rig.received() if message.get("params", {}).get("name") == "slow"]
    assert cancelled[0]["params"]["requestId"] == slow[0]["id"]


@promise("MCP-12")
async def test_progress_is_shown_and_keeps_a_call_alive(rig: Rig) -> None:
    definition = rig.scripted(tools=[tool("work")], progress={"work": [[1, 4, "reading\x1b[31m"], [2, None, None]]})
    async with rig.pool({"server": definition}) as pool:
        await pool.wait_settled()
        await rig.call("mcp__server__work")
        await rig.until(lambda: len(rig.progress()) == 2)
    assert rig.progress() == ["1/4 reading", "2"]


@promise("MCP-13")
@pytest.mark.parametrize("claims", [READS, SAFE])
async def test_a_cut_call_is_made_again_when_the_tool_says_that_it_does_no_harm(rig: Rig, claims: Any) -> None:
    definition = rig.scripted(tools=[tool("look", **claims)], crash={"on": "call:look", "times": 1})
    async with rig.pool({"server": definition}) as pool:
        await pool.wait_settled()
        result = await rig.call("mcp__server__look", a=1)
    assert result.text == '{"name": "look", "arguments": {"a": 1}}'
    assert [message.get("method") for message in rig.received()].count("tools/call") == 2


@promise("MCP-14")
async def test_a_cut_call_of_any_other_tool_is_never_repeated(rig: Rig) -> None:
    definition = rig.scripted(tools=[tool("write")], crash={"on": "call:write", "times": 1})
    async with rig.pool({"server": definition}) as pool:
        await pool.wait_settled()
        result = await rig.call("mcp__server__write")
        await rig.until_state("gone")
        await rig.until_state("ready")
    assert result.is_error
    assert result.text.startswith("OUTCOME UNKNOWN")
    assert [message.get("method") for message in rig.received()].count("tools/call") == 1


async def test_a_refused_call_says_what_the_server_says(rig: Rig) -> None:
    definition = rig.scripted(
        tools=[tool("t")], errors={"tools/call": {"code": -32602, "message": "no such \x1b[2Jthing"}}
    )
    async with rig.pool({"server": definition}) as pool:
        await pool.wait_settled()
        result = await rig.call("mcp__server__t")
    assert (result.is_error, result.text) == (True, "server refused the call: no such thing")


@promise("S-M22", "MCP-15")
async def test_results_of_every_kind_become_text_and_files(rig: Rig) -> None:
    picture = base64.b64encode(b"\x89PNG...").decode()
    content = [
        {"type": "text", "text": "first"},
        {"type": "image", "data": picture, "mimeType": "image/png"},
        {"type": "audio", "data": "not base64!", "mimeType": "audio/wav"},
        {"type": "resource", "resource": {"uri": "file:///a", "mimeType": "text/plain", "text": "inside"}},
        {"type": "resource", "resource": {"uri": "file:///b", "mimeType": "application/pdf", "blob": picture}},
        {"type": "resource_link", "uri": "file:///c", "name": "the link"},
        {"type": "hologram", "beam": 1},
    ]
    async with rig.pool({"server": rig.scripted(tools=[tool("t")], answers={"t": {"content": content}})}) as pool:
        await pool.wait_settled()
        result = await rig.call("mcp__server__t")
    first, image, audio, inside, pdf, link, hologram = result.text.split("\n")
    assert (first, inside, link) == ("first", "inside", "[resource file:///c the link]")
    assert Path(image.rpartition(" ")[2].rstrip("]")).read_bytes() == b"\x89PNG..."
    assert image.startswith("[image, image/png, 7 bytes, kept in ")
    assert pdf.startswith("[resource file:///b, application/pdf, 7 bytes, kept in ")
    assert audio == "[audio, audio/wav: the server sent no readable data]"
    assert hologram == '{"type": "hologram", "beam": 1}'


@promise("MCP-16")
@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"content": [{"type": "text", "text": '{"n": 1}'}], "structuredContent": {"n": 1}}, '{"n": 1}'),
        ({"content": [{"type": "text", "text": "one"}], "structuredContent": {"n": 1}}, 'one\n{"n": 1}'),
        ({"content": [], "structuredContent": {"n": 2}}, '{"n": 2}'),
        ({"structuredContent": {"n": 2}}, '{"n": 2}'),
        ({"content": []}, "(the tool returned nothing)"),
        ({"content": "bare words"}, "bare words"),
        ({"content": [None, 3], "structuredContent": None}, "null\n3"),
        ({"content": [{"type": "text", "text": "no"}], "isError": 1}, "no"),
    ],
)
async def test_structured_content_is_shown_once(rig: Rig, answer: Any, expected: str) -> None:
    async with rig.pool({"server": rig.scripted(tools=[tool("t")], answers={"t": answer})}) as pool:
        await pool.wait_settled()
        result = await rig.call("mcp__server__t")
    assert result.text == expected
    assert result.is_error == bool(answer.get("isError"))


@promise("MCP-17")
async def test_structured_content_that_breaks_the_declared_schema_is_passed_on_with_a_remark(rig: Rig) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    answers = {"t": {"content": [], "structuredContent": {"n": "many"}}, "u": text("plain")}
    tools = [tool("t", outputSchema=schema), tool("u", outputSchema=schema)]
    async with rig.pool({"server": rig.scripted(tools=tools, answers=answers)}) as pool:
        await pool.wait_settled()
        wrong = await rig.call("mcp__server__t")
        missing = await rig.call("mcp__server__u")
    assert wrong.text.startswith('{"n": "many"}\n[Invalid structured content returned by tool t')
    assert missing.text.startswith("plain\n[Tool u has an output schema but did not return structured content")


@promise("S-F16")
async def test_lone_surrogates_pass_in_both_directions(rig: Rig) -> None:
    async with rig.pool({"server": rig.scripted(tools=[tool("t")], answers={"t": text("a\ud800b")})}) as pool:
        await pool.wait_settled()
        result = await rig.call("mcp__server__t", given="x\udfffy")
    assert result.text == "a\ufffdb"
    (call,) = [message for message in rig.received() if message.get("method") == "tools/call"]
    assert call["params"]["arguments"] == {"given": "x\ufffdy"}


@promise("MCP-18")
async def test_a_question_of_a_server_reaches_the_person_field_by_field(rig: Rig) -> None:
    schema = {
        "type": "object",
        "properties": {
            "size": {"type": "integer", "title": "How many"},
            "colour": {"type": "string", "enum": ["red", "blue"]},
            "gift": {"type": "boolean"},
            "note": {"type": "string"},
            "wrap": {"type": "boolean", "default": True},
            "card": {"type": "string", "title": "Words", "default": "Best wishes"},
            "fish": {
                "type": "array",
                "items": {"anyOf": [{"const": "f1", "title": "Tuna"}, {"const": "f2", "title": "Cod"}]},
            },
            "pet": {"type": "string", "enum": ["p1", "p2"], "enumNames": ["Cat", "Dog"]},
        },
        "required": ["size", "colour"],
    }
    ask = {"method": "elicitation/create", "params": {"message": "Your order", "requestedSchema": schema}}
    asked: list[Question] = []
    replies = iter(["3", "blue", "yes", "", "", "Hi", "Cod, Tuna", "Dog"])

    async def person(question: Question) -> str | None:
        asked.append(question)
        return next(replies)

    definition = rig.scripted(tools=[tool("order")], asks={"order": ask})
    async with rig.pool({"server": definition}, ask=person, call_timeout=5) as pool:
        await pool.wait_settled()
        result = await rig.call("mcp__server__order")
    assert json.loads(result.text) == {
        "action": "accept",
        "content": {
            "size": 3,
            "colour": "blue",
            "gift": True,
            "wrap": True,
            "card": "Hi",
            "fish": ["f2", "f1"],
            "pet": "p2",
        },
    }
    assert asked[0] == Question("server asks: Your order · How many", ())
    assert asked[1].choices == ("red", "blue")
    assert asked[3].text.endswith("note (optional)")
    assert asked[4].text.endswith("wrap (optional; blank: yes)")
    assert asked[5].text.endswith("Words (optional; blank: Best wishes)")
    assert asked[6].text.endswith("fish; any of Tuna, Cod, with commas between (optional)")
    assert asked[7].choices == ("Cat", "Dog")


@promise("MCP-19")
async def test_nobody_to_ask_means_that_the_server_cannot_ask(rig: Rig) -> None:
    ask = {
        "method": "elicitation/create",
        "params": {"message": "?", "requestedSchema": {"type": "object", "properties": {}}},
    }
    sample = {"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 10}}
    definition = rig.scripted(tools=[tool("ask"), tool("sample")], asks={"ask": ask, "sample": sample})
    async with rig.pool({"server": definition}) as pool:
        await pool.wait_settled()
        assert "not supported" in (await rig.call("mcp__server__ask")).text
        assert "not supported" in (await rig.call("mcp__server__sample")).text
    assert rig.received()[0]["params"]["capabilities"] == {"roots": {"listChanged": True}}


@promise("MCP-19")
async def test_the_model_is_lent_only_to_a_server_that_it_is_switched_on_for(rig: Rig) -> None:
    turns = [{"role": "user", "content": {"type": "text", "text": "Sum this up\x1b[2J"}}]
    ask = {
        "method": "sampling/createMessage",
        "params": {"messages": turns, "maxTokens": 9, "systemPrompt": "Be short."},
    }
    wishes: list[Wish] = []

    async def complete(wish: Wish) -> Completion | None:
        wishes.append(wish)
        return Completion("Short.", "m1") if len(wishes) == 1 else None

    definitions = {
        name: {**rig.scripted(name, tools=[tool("t")], asks={"t": ask}), "sampling": lent}
        for name, lent in (("on", True), ("off", False))
    }
    async with rig.pool(definitions, complete=complete) as pool:
        await pool.wait_settled()
        assert json.loads((await rig.call("mcp__on__t")).text)["content"] == {"type": "text", "text": "Short."}
        assert "declined" in (await rig.call("mcp__on__t")).text
        assert "not supported" in (await rig.call("mcp__off__t")).text
    assert wishes[0] == Wish("on", "Be short.", (("user", "Sum this up"),), 9)


async def test_an_address_to_open_is_shown_and_answered_by_the_person(rig: Rig) -> None:
    link = {"mode": "url", "message": "Sign", "url": "https://example.test/x", "elicitationId": "1"}
    asked: list[Question] = []

    async def person(question: Question) -> str | None:
        asked.append(question)
        return "done"

    definition = rig.scripted(tools=[tool("t")], asks={"t": {"method": "elicitation/create", "params": link}})
    async with rig.pool({"server": definition}, ask=person) as pool:
        await pool.wait_settled()
        assert (await rig.call("mcp__server__t")).text == '{"action": "accept"}'
    assert "https://example.test/x" in asked[0].text


async def test_a_server_learns_the_working_folder_as_its_root(rig: Rig) -> None:
    definition = rig.scripted(tools=[tool("t")], asks={"t": {"method": "roots/list"}})
    async with rig.pool({"server": definition}) as pool:
        await pool.wait_settled()
        assert rig.folder.as_uri() in (await rig.call("mcp__server__t")).text


@promise("MCP-20")
async def test_resources_and_prompts_are_tools_beside_the_servers_own(rig: Rig) -> None:
    definition = rig.scripted(
        tools=[tool("t")],
        resources=[{"uri": "memo://one", "name": "first memo", "text": "hello"}],
        templates=[{"uriTemplate": "memo://{id}", "name": "any memo"}],
        prompts=[{"name": "review", "description": "Review code", "arguments": [{"name": "file", "required": True}]}],
    )
    async with rig.pool({"server": definition}) as pool:
        await pool.wait_settled()
        assert rig.names() == ["mcp__server__t", "mcp__server__read_resource", "mcp__server__get_prompt"]
        assert (await rig.call("mcp__server__read_resource", uri="memo://one")).text == "hello"
        assert (await rig.call("mcp__server__read_resource")).text == "memo://one first memo:\nmemo://{id} any memo:"
        prompt = await rig.call("mcp__server__get_prompt", name="review", arguments={"file": "a.py"})
        assert prompt.text == 'user: {"prompt": "review", "arguments": {"file": "a.py"}}'
        assert pool.prompts() == {"server": "review(file): Review code"}


async def test_a_server_with_a_read_resource_of_its_own_keeps_it(rig: Rig) -> None:
    definition = rig.scripted(
        tools=[tool("read_resource", "Mine.")], resources=[{"uri": "a://b", "name": "n", "text": "x"}]
    )
    async with rig.pool({"server": definition}) as pool:
        await pool.wait_settled()
        assert (await rig.call("mcp__server__read_resource", uri="a://b")).text.startswith('{"name": "read_resource"')


@promise("MCP-34")
async def test_a_server_of_the_newest_protocol_without_a_handshake_works_and_asks(rig: Rig) -> None:
    form = {"message": "?", "requestedSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}}
    ask = {"method": "elicitation/create", "params": form}

    async def person(question: Question) -> str | None:
        return "7"

    definition = rig.scripted(modern=True, tools=[tool("t"), tool("order")], asks={"order": ask}, page=1)
    async with rig.pool({"server": definition}, ask=person) as pool:
        (status,) = await pool.wait_settled()
        assert (status.state, status.tools) == ("ready", 2)
        assert (await rig.call("mcp__server__t")).is_error is False
        result = await rig.call("mcp__server__order")
    assert result.text == '{"q": {"action": "accept", "content": {"n": 7}}}'


@promise("MCP-17")
@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "$ref": "#"},
        {"type": "object", "properties": {"n": {"type": "string", "pattern": "("}}},
        {"type": "object", "properties": {"n": {"type": "string", "pattern": "^(a|aa)+$"}}},
        {"type": "object", "properties": {"n": {"$ref": "https://nowhere.invalid/n.json"}}},
    ],
)
async def test_a_declared_schema_that_cannot_be_followed_costs_no_result(rig: Rig, schema: Any) -> None:
    answers = {"t": {"content": [], "structuredContent": {"n": "a" * 60 + "!"}}}
    async with rig.pool({"server": rig.scripted(tools=[tool("t", outputSchema=schema)], answers=answers)}) as pool:
        await pool.wait_settled()
        result = await rig.call("mcp__server__t")
    assert (result.text, result.is_error) == (json.dumps({"n": "a" * 60 + "!"}), False)


async def test_a_result_that_only_steers_a_terminal_is_nothing(rig: Rig) -> None:
    async with rig.pool({"server": rig.scripted(tools=[tool("t")], answers={"t": text("\x1b]0;title")})}) as pool:
        await pool.wait_settled()
        result = await rig.call("mcp__server__t")
    assert result.text == "(the tool returned nothing)"


@promise("S-M5")
async def test_an_answer_that_is_no_result_is_told_at_once(rig: Rig) -> None:
    async with rig.pool({"server": rig.scripted(tools=[tool("t")], results={"tools/call": "x"})}) as pool:
        await pool.wait_settled()
        result = await rig.call("mcp__server__t")
    assert result.is_error
    assert result.text == 'server refused the call: its answer is not what the protocol says: "x"'
