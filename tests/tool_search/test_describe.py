"""Schemas on demand: whole while there is room, their essential part when there is not."""

import json
from dataclasses import replace
from typing import Any

import hypothesis
from hypothesis import given
from hypothesis import strategies as st

from hermes_lite.tokens import counter_for, o200k
from hermes_lite.tool_search.bridge import ToolSearch
from hermes_lite.tool_search.describe import MAX_TOKENS
from hermes_lite.tools.registry import Scope
from hermes_lite.tools.schema import outgoing
from hermes_lite.tools.spec import Source, SourceStatus, ToolSpec
from tests.support.promises import promise
from tests.support.tool_rows import core_tool, object_schema, server_tools, settings

TEXT = {"type": "string", "description": "Some words on what this is for, which is always the same."}


def row(name: str, schema: dict[str, Any], description: str = "Do it.") -> ToolSpec:
    return replace(server_tools("desk", [name])[0], parameters=schema, description=description)


def deep(levels: int, width: int) -> dict[str, Any]:
    """An object schema with `width` texts and one object at each of its `levels`."""
    inner = {"child": deep(levels - 1, width)} if levels else {}
    return object_schema(["text0"], **{f"text{n}": TEXT for n in range(width)}, **inner)


SMALL = row("small", object_schema(["id"], id={"type": "integer"}))
HUGE = row("huge", object_schema(["body"], body=deep(12, 40), note=TEXT))
WIDE = row("wide", object_schema(["p1"], **{f"p{n}": TEXT for n in range(900)}))


def described(*names: str, rows: tuple[ToolSpec, ...] = (SMALL, HUGE, WIDE), model: str = "gpt-4o") -> dict[str, Any]:
    scope = Scope((core_tool("terminal"), *rows))
    text = ToolSearch(lambda: scope, settings(), counter_for(model)).describe({"names": list(names)}).text
    assert counter_for(model).count(text) <= MAX_TOKENS
    answer: dict[str, Any] = json.loads(text)
    return answer


@promise("BRIDGE-DESCRIBE")
def test_a_schema_that_fits_is_shown_whole() -> None:
    assert described("small") == {
        "tools": {"mcp__desk__small": {"description": "Do it.", "parameters": outgoing(SMALL.parameters)}}
    }


@promise("BRIDGE-DESCRIBE")
def test_an_unknown_name_and_a_direct_tool_do_not_fail_the_others() -> None:
    answer = described("smal", "terminal", "small")
    assert list(answer["tools"]) == ["mcp__desk__small"]
    assert answer["errors"] == {"terminal": "listed directly, call it directly"}
    (missing,) = answer["not_found"]
    assert missing["name"] == "smal"
    assert missing["did_you_mean"]["mcp__desk__small"] == "Do it"


@promise("BRIDGE-DESCRIBE-BOUND", "T-K02")
def test_a_schema_that_does_not_fit_keeps_its_top_marks_what_was_cut_and_opens_in_parts() -> None:
    tool = described("huge")["tools"]["mcp__desk__huge"]
    assert tool["parameters"]["required"] == ["body"]
    assert set(tool["parameters"]["properties"]) == {"body", "note"}
    assert tool["parameters"]["properties"]["body"]["required"] == ["text0"]
    assert "mcp__desk__huge#/" in tool["note"]
    (cut,) = tool["cut"]
    assert cut.startswith("#/properties/body/properties/child")
    part = described(f"huge{cut}")["tools"][f"mcp__desk__huge{cut}"]
    assert "text39" in part["parameters"]["properties"]


@promise("BRIDGE-DESCRIBE-BOUND")
def test_a_schema_too_wide_for_its_names_keeps_what_is_required_and_opens_by_name() -> None:
    tool = described("wide")["tools"]["mcp__desk__wide"]
    assert tool["parameters"]["required"] == ["p1"]
    assert "p1" in tool["parameters"]["properties"]
    part = described("wide#/properties/p899")["tools"]["mcp__desk__wide#/properties/p899"]
    assert part["parameters"] == outgoing(WIDE.parameters)["properties"]["p899"]


@promise("BRIDGE-DESCRIBE-BOUND")
def test_room_is_spent_in_the_order_of_the_names_and_something_is_left_for_each() -> None:
    answer = described("huge", "wide", "small")
    sizes = {name: len(json.dumps(tool)) for name, tool in answer["tools"].items()}
    assert list(sizes) == ["mcp__desk__huge", "mcp__desk__wide", "mcp__desk__small"]
    assert answer["tools"]["mcp__desk__small"]["parameters"] == outgoing(SMALL.parameters)


@promise("BRIDGE-DESCRIBE-BOUND")
def test_names_that_lead_nowhere_tell_the_sources_once() -> None:
    sources = tuple(SourceStatus(Source("mcp", f"長い名前の源 {n} " * 9), "ready") for n in range(60))
    scope = Scope((SMALL,), sources)
    text = (
        ToolSearch(lambda: scope, settings(), o200k()).describe({"names": [f"mcp__no{n}__x" for n in range(10)]}).text
    )
    assert o200k().count(text) <= MAX_TOKENS
    assert ["available_sources" in entry for entry in json.loads(text)["not_found"]] == [True, *[False] * 9]


def test_a_part_that_is_not_there_is_an_error_of_its_own() -> None:
    answer = described("small#/properties/nothing", "small")
    assert list(answer["errors"]) == ["mcp__desk__small#/properties/nothing"]
    assert list(answer["tools"]) == ["mcp__desk__small"]


@promise("T-E18")
def test_an_overlong_description_is_cut_with_a_mark() -> None:
    wordy = row("wordy", object_schema(), "words " * 2000)
    description = described("wordy", rows=(wordy,))["tools"]["mcp__desk__wordy"]["description"]
    assert len(description) <= 2000
    assert description.endswith("… [cut]")


def test_a_recursive_schema_is_shown_with_its_reference_and_never_inlined() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}
    tree = row("tree", {"type": "object", "properties": {"root": {"$ref": "#/$defs/node"}}, "$defs": {"node": node}})
    parameters = described("tree", rows=(tree,))["tools"]["mcp__desk__tree"]["parameters"]
    assert parameters["properties"]["root"] == {"$ref": "#/$defs/node"}
    part = described("tree#/$defs/node", rows=(tree,))["tools"]["mcp__desk__tree#/$defs/node"]
    assert part["parameters"]["properties"] == {"next": {"$ref": "#/$defs/node"}}


shapes = st.recursive(
    st.sampled_from(["text", "enum", "any"]),
    lambda inner: st.tuples(st.sampled_from(["list", "maybe", "object"]), inner, st.integers(0, 30)),
    max_leaves=3,
)


def grown(shape: Any) -> dict[str, Any]:
    """The schema of a drawn `shape`, which stays small enough to print."""
    match shape:
        case "text":
            return TEXT
        case "enum":
            return {"enum": [f"value {n}" for n in range(400)]}
        case ("list", inner, _):
            return {"type": "array", "items": grown(inner)}
        case ("maybe", inner, _):
            return {"anyOf": [grown(inner), {"type": "null"}]}
        case ("object", inner, width):
            return object_schema(["a"], a=grown(inner), **{f"f{n}": grown(inner) for n in range(width)})
        case _:
            return {}


@promise("BRIDGE-DESCRIBE-BOUND")
@hypothesis.settings(max_examples=25)
@given(st.lists(shapes, min_size=1, max_size=10), st.sampled_from(["gpt-4o", "claude-opus-4-7"]))
def test_no_schema_makes_a_reply_too_large(drawn: list[Any], model: str) -> None:
    rows = tuple(row(f"t{n}", object_schema(["x"], x=grown(shape))) for n, shape in enumerate(drawn))
    answer = described(*(f"t{n}" for n in range(len(rows))), rows=rows, model=model)
    assert len(answer["tools"]) + len(answer.get("errors", {})) == len(rows)


def test_counting_stops_where_it_cannot_matter() -> None:
    counted: list[int] = []
    exact = o200k()
    counter = replace(exact, count=lambda text: counted.append(len(text)) or exact.count(text))
    scope = Scope((HUGE,))
    ToolSearch(lambda: scope, settings(), counter).describe({"names": ["huge"]})
    assert max(counted) <= 5 * MAX_TOKENS + 5
