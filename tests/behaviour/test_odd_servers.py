"""Servers with names and schemas that providers refuse, from the server's process to the request and back."""

import json
from typing import Any

import pytest

from hermes_lite.messages import ToolMessage
from hermes_lite.testing.model_server import ScriptedModel, Text
from hermes_lite.testing.script import Call, Calls, Recorded
from tests.agent.rig import Rig, results
from tests.agent.validity import assert_valid
from tests.support.promises import promise
from tests.support.provider import assert_taken

pytestmark = pytest.mark.anyio

LONG = "a" * 200
ODD_SERVERS = (
    LONG,
    LONG[:-1] + "b",
    "my.server v2",
    "my server.v2",
    "my_server_v2",
    "9lives",
    "翻訳",
    "Grüße",
    "a__b_",
)
ODD_TOOLS = (
    *(LONG, LONG[:-1] + "b", "do.it now", "do it.now", "do_it_now", "1st", "名前", "naïve", "naive", "a-b", "a__b"),
    *("tool_call", "😀", "_", "x" * 64),
)


def odd_tool(name: str, schema: Any = None) -> dict[str, Any]:
    return {"name": name, "description": f"Do {name}.", "inputSchema": schema or {"type": "object"}}


def called_in_full(request: Recorded) -> Calls:
    """A reply that calls each tool of a server in the request's array."""
    names = [entry["function"]["name"] for entry in request.tools]
    return _all([Call(name, {"n": 1}) for name in names if name.startswith("mcp__")])


def _all(made: list[Call]) -> Calls:
    return Calls(tuple(Call(call.name, call.arguments, f"call_{n}") for n, call in enumerate(made)))


def configured(rig: Rig, **tool_search: Any) -> dict[str, Any]:
    """Every odd server with every odd tool; a tool answers with its server's and its own name."""
    servers = {}
    for n, key in enumerate(ODD_SERVERS):
        answers = {name: _said([key, name]) for name in ODD_TOOLS}
        servers[key] = rig.server(f"server-{n}", tools=[odd_tool(name) for name in ODD_TOOLS], answers=answers)
    return {
        "mcp_servers": servers,
        "agent": {"approvals": {"allow": ["mcp__*"]}, "parallel_limit": 8},
        "tools": {"tool_search": tool_search},
    }


def _said(value: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": json.dumps(value)}]}


def _everything() -> list[list[str]]:
    return sorted([server, name] for server in ODD_SERVERS for name in ODD_TOOLS)


@promise("S-M6", "S-M7")
async def test_odd_names_are_sent_legal_and_each_call_reaches_its_tool(rig: Rig) -> None:
    with ScriptedModel(called_in_full, Text("all done")) as model:
        async with rig.open(model, config=configured(rig, enabled="off"), wait=30) as talk:
            ended = await talk.say()
            assert talk.runtime.dropped() == ()
    assert ended.end == "answered"
    for request in model.requests:
        assert_taken(request.tools)
        assert_valid(request.messages)
    assert sorted(json.loads(text) for text in results(model.requests[1]).values()) == _everything()


@promise("S-M6", "S-M7")
async def test_odd_names_behind_search_are_called_through_the_bridge(rig: Rig) -> None:
    def bridged(request: Recorded) -> Calls:
        entries = [{"name": name, "arguments": {}} for name in waiting]
        batches = [entries[start : start + 10] for start in range(0, len(entries), 10)]
        return _all([Call("tool_call", {"calls": batch}) for batch in batches])

    waiting: list[str] = []
    with ScriptedModel(bridged, Text("all done")) as model:
        async with rig.open(model, config=configured(rig), wait=30) as talk:
            await talk.runtime.toolbox.settle(30)
            waiting += [spec.name for spec, _ in talk.runtime.tools() if spec.source.kind == "mcp"]
            await talk.say()
            made = [message for message in talk.messages if isinstance(message, ToolMessage)]
    assert len(model.requests[0].tools) < len(ODD_TOOLS)
    for request in model.requests:
        assert_taken(request.tools)
        assert_valid(request.messages)
    assert sorted(json.loads(message.text) for message in made) == _everything()


def nested(depth: int) -> dict[str, Any]:
    return {"type": "object", "properties": {"deeper": nested(depth - 1)} if depth else {}}


BAD_SCHEMAS: dict[str, Any] = {
    "no_type": {"properties": {"q": {"type": "string"}}},
    "nothing": {},
    "null": None,
    "a_list": ["q"],
    "bare_items": {"type": "object", "properties": {"ids": {"type": "array"}}},
    "one_of_at_the_top": {"oneOf": [nested(1), {"type": "object", "properties": {"b": {"type": "integer"}}}]},
    "any_of_at_the_top": {"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
    "several_types": {"type": "object", "properties": {"q": {"type": ["string", "null"]}}},
    "required_of_nothing": {"type": "object", "properties": {}, "required": ["ghost"]},
    "required_true": {"type": "object", "properties": {"q": {"type": "string", "required": True}}, "required": True},
    "reference_away": {"type": "object", "properties": {"q": {"$ref": "https://example.com/schema.json"}}},
    "reference_round": {"type": "object", "properties": {"q": {"$ref": "#/properties/q"}}},
    "odd_property": {"type": "object", "properties": {"$filter odd": {"type": "string"}}},
    "a_string_at_the_top": {"type": "string"},
    "old_draft": {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "type": "object",
        "id": "x",
        "properties": {},
    },
    "very_deep": nested(80),
}


@promise("S-M8")
@pytest.mark.parametrize("enabled", ["off", "auto"])
async def test_schemas_that_providers_refuse_are_mended_and_harm_nobody(rig: Rig, enabled: str) -> None:
    offered = [{**odd_tool(name), "inputSchema": schema} for name, schema in BAD_SCHEMAS.items()]
    server = rig.server("odd", tools=[odd_tool("good"), *offered, odd_tool("good_too")])
    config = {"mcp_servers": {"odd": server}, "tools": {"tool_search": {"enabled": enabled, "pin": ["odd.*"]}}}
    with ScriptedModel(Text("hello")) as model:
        async with rig.open(model, config=config) as talk:
            assert (await talk.say()).end == "answered"
            assert talk.state("odd") == "ready"
    assert_taken(model.requests[0].tools)
    names = {entry["function"]["name"] for entry in model.requests[0].tools}
    assert {f"mcp__odd__{name}" for name in ("good", "good_too", *BAD_SCHEMAS)} <= names
