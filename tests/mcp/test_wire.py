"""Framing and mending, on input of every kind."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import methods

from hermes_lite.mcp.wire import Lines, LineTooLong, lawful, mend
from tests.support.promises import promise

anything = st.sampled_from([None, True, 3, "", "text", [], ["a"], [3], {}, {"a": 1}, {"a": {}}, {"type": "object"}])
schemas = anything | st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("type", "properties", "required", "$schema"), anything | st.just("object"))
)
TOOL_PARTS = ("description", "title", "annotations", "execution", "_meta", "icons")
tools = anything | st.fixed_dictionaries(
    {"name": st.text(max_size=4) | anything},
    optional={**dict.fromkeys(TOOL_PARTS, anything), "inputSchema": schemas, "outputSchema": schemas},
)
ITEM_PARTS = ("text", "data", "mimeType", "uri", "name", "annotations", "_meta", "blob")
resources = st.fixed_dictionaries({}, optional=dict.fromkeys(ITEM_PARTS, anything))
items = anything | st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "image", "audio", "resource", "resource_link", "odd", 3])},
    optional={**dict.fromkeys(ITEM_PARTS, anything), "resource": resources},
)
results = st.fixed_dictionaries(
    {"content": st.lists(items, max_size=3) | anything},
    optional=dict.fromkeys(("isError", "structuredContent", "_meta"), anything),
)


@given(st.lists(st.binary(max_size=20).filter(lambda part: b"\n" not in part)), st.integers(1, 7))
def test_lines_are_cut_the_same_however_the_bytes_arrive(parts: list[bytes], step: int) -> None:
    stream = b"".join(part + b"\n" for part in parts)
    lines = Lines(1000)
    found = [line for start in range(0, len(stream), step) for line in lines.feed(stream[start : start + step])]
    assert found == [part.strip() for part in parts if part.strip()]


def test_an_endless_line_is_refused_at_the_limit() -> None:
    lines = Lines(10)
    assert list(lines.feed(b"123456789\n12345")) == [b"123456789"]
    with pytest.raises(LineTooLong):
        list(lines.feed(b"678901"))


@promise("MCP-4")
@given(st.lists(tools, max_size=3), anything)
def test_every_mended_tool_list_satisfies_the_protocol_and_keeps_every_tool(listed: Any, cursor: Any) -> None:
    mended = mend({"tools": listed, "nextCursor": cursor})
    methods.validate_server_result("tools/list", "2025-11-25", mended)
    given = [item.get("name") if isinstance(item, dict) else None for item in listed]
    names = [name if isinstance(name, str) else "" for name in given]
    assert [tool["name"] for tool in mended["tools"]] == names


@promise("MCP-16")
@given(results)
def test_every_mended_call_result_satisfies_the_protocol(result: dict[str, Any]) -> None:
    methods.validate_server_result("tools/call", "2025-11-25", mend(result))


def test_other_results_are_left_alone() -> None:
    result = {"contents": [{"uri": "a"}], "x": None}
    assert mend(result) is result


@promise("S-M5")
@pytest.mark.parametrize(
    ("answer", "taken"),
    [
        ({"result": {}, "error": None}, {"result": {}}),
        ({"result": None}, {"error": {"code": -32603, "message": "its answer is not what the protocol says: null"}}),
        ({"error": "no"}, {"error": {"code": -32603, "message": "no"}}),
        ({"error": {"code": "x", "message": 5}}, {"error": {"code": -32603, "message": "5"}}),
        ({"error": {"code": 7, "data": 1}}, {"error": {"code": 7, "message": "it gave no reason", "data": 1}}),
    ],
)
def test_an_answer_of_no_lawful_shape_still_ends_the_wait_for_it(answer: Any, taken: Any) -> None:
    assert lawful({"jsonrpc": "2.0", "id": 1, **answer}) == {"jsonrpc": "2.0", "id": 1, **taken}


@pytest.mark.parametrize(
    "message", [7, {}, {"id": 1}, {"id": None, "result": 5}, {"id": 1, "method": "ping"}, {"method": "x", "error": 1}]
)
def test_what_is_no_answer_is_left_alone(message: Any) -> None:
    assert lawful(message) == message


@given(st.dictionaries(st.sampled_from(["tools", "resources", "prompts", "logging", "new"]), anything) | anything)
def test_every_mended_greeting_satisfies_the_protocol(offered: Any) -> None:
    server = {"name": "s", "version": "1"}
    greeting = mend({"protocolVersion": "2025-11-25", "capabilities": offered, "serverInfo": server})
    methods.validate_server_result("initialize", "2025-11-25", greeting)


@promise("S-M8")
def test_a_schema_nested_without_end_becomes_an_open_object() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(300):
        schema = {"type": "object", "properties": {"p": schema}}
    (mended,) = mend({"tools": [{"name": "deep", "inputSchema": schema, "outputSchema": schema}]})["tools"]
    assert mended == {"name": "deep", "inputSchema": {"type": "object"}}
