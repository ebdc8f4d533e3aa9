"""Schemas that no check may follow to the end: the call goes through, and the process lives."""

from dataclasses import replace
from typing import Any

import pytest

from hermes_lite.tools.arguments import Invalid, Prepared, mismatch, prepare
from tests.support.promises import promise
from tests.support.tool_rows import server_tools

_TWICE = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]} for n in range(24)} | {
    "d24": {"type": "string"}
}
_DEEP: dict[str, Any] = {"type": "string"}
for _ in range(90):
    _DEEP = {"anyOf": [_DEEP]}

ENDLESS: dict[str, dict[str, Any]] = {
    "a circle at the top": {"type": "object", "$ref": "#"},
    "a circle in a part": {"type": "object", "properties": {"a": {"$ref": "#/properties/a"}}},
    "a circle of two": {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/x"}},
        "$defs": {"x": {"$ref": "#/$defs/y"}, "y": {"$ref": "#/$defs/x"}},
    },
    "a circle of alternatives": {"type": "object", "properties": {"a": {"anyOf": [{"$ref": "#/properties/a"}]}}},
    "a circle by allOf": {"type": "object", "allOf": [{"$ref": "#"}]},
    "a doubling": {"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": _TWICE},
    "too deep to check its own rules": {"type": "object", "properties": {"a": _DEEP}},
}
TRAP, BAIT = "^(a|aa)+$", "a" * 60 + "!"


@promise("T-E13", "S-M8")
@pytest.mark.parametrize("schema", ENDLESS.values(), ids=ENDLESS)
def test_a_schema_without_end_lets_the_call_through_with_a_note(schema: dict[str, Any]) -> None:
    row = replace(server_tools("desk", ["save"])[0], parameters=schema)
    prepared = prepare(row, {"a": 5})
    assert isinstance(prepared, Prepared)
    assert prepared.arguments == {"a": 5}
    assert "not checked" in prepared.notes[0]
    assert mismatch(schema, {"a": 5}) == ""


@promise("S-M8")
@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {BAIT: {"type": "string", "pattern": TRAP}}},
        {"patternProperties": {TRAP: {"type": "integer"}}},
        {"patternProperties": {TRAP: {}}, "additionalProperties": False},
        {"patternProperties": {"(": {"type": "integer"}}, "additionalProperties": False},
    ],
)
def test_a_pattern_that_runs_away_or_cannot_be_read_refuses_nothing(schema: dict[str, Any]) -> None:
    assert mismatch({"type": "object", **schema}, {BAIT: BAIT}) == ""


def test_names_by_pattern_and_other_names_are_checked() -> None:
    schema = {"type": "object", "patternProperties": {"^x": {"type": "integer"}}, "additionalProperties": False}
    assert mismatch(schema, {"x1": 1}) == ""
    assert mismatch(schema, {"x1": "one"}) == "x1: must be of type integer"
    assert mismatch(schema, {"y": 1}) == "has no parameter y; it takes none"
    assert mismatch({**schema, "additionalProperties": {"type": "string"}}, {"y": 1}) == "y: must be of type string"


def test_a_recursive_schema_is_checked_as_deep_as_the_value_goes() -> None:
    tree = {"type": "object", "properties": {"next": {"$ref": "#"}, "n": {"type": "integer"}}}
    value: dict[str, Any] = {"n": "one"}
    for _ in range(20):
        value = {"next": value, "n": 1}
    assert mismatch(tree, value).endswith("next.n: must be of type integer")


@promise("T-E11")
def test_thousands_of_missing_names_are_told_in_a_bounded_text() -> None:
    names = [f"p{n}" for n in range(3000)]
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}, "required": names}
    refused = prepare(replace(server_tools("desk", ["save"])[0], parameters=schema), {})
    assert isinstance(refused, Invalid)
    assert "p39: string, and 2960 more" in refused.text
    assert len(refused.text) < 12_000
