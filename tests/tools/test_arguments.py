"""What a model is told when its arguments do not fit: the text is the product, so it is compared as a whole."""

import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

from hermes_lite.tools.arguments import Invalid, dump, prepare
from hermes_lite.tools.spec import ToolSpec
from tests.support.promises import promise
from tests.support.tool_rows import server_tools


def tool(schema: dict[str, Any]) -> ToolSpec:
    return replace(server_tools("desk", ["save"])[0], parameters=schema)


def refusal(schema: dict[str, Any], arguments: dict[str, Any]) -> str:
    refused = prepare(tool(schema), arguments)
    assert isinstance(refused, Invalid)
    return refused.text


def fault(schema: Any, given: Any) -> str:
    """The line about the parameter `x`."""
    head, line, *_ = refusal({"type": "object", "properties": {"x": schema}}, {"x": given}).splitlines()
    assert head == "NOT RUN: mcp__desk__save was not invoked, because its arguments do not fit its schema."
    return line


@promise("T-E11")
@pytest.mark.parametrize(
    ("schema", "given", "rule"),
    [
        ({"type": "integer"}, "ten", "must be of type integer; given string"),
        ({"enum": ["open", "closed"]}, "ajar", 'must be one of ["open","closed"]; given string'),
        ({"const": 3}, 4, "must be 3; given integer"),
        ({"type": "integer", "minimum": 1}, 0, "must be at least 1; given integer"),
        ({"type": "integer", "maximum": 1}, 2, "must be at most 1; given integer"),
        ({"type": "number", "exclusiveMaximum": 1}, 1.5, "must be less than 1; given number"),
        ({"type": "integer", "multipleOf": 5}, 7, "must be a multiple of 5; given integer"),
        ({"type": "string", "minLength": 2}, "a", "must have at least 2 characters; given string"),
        ({"type": "string", "pattern": "^[a-z]+$"}, "A1", "must match the pattern ^[a-z]+$; given string"),
        ({"type": "array", "maxItems": 1}, [1, 2], "must have at most 1 items; given array"),
        ({"type": "array", "uniqueItems": True}, [1, 1], "must not hold an item twice; given array"),
        ({"type": "object", "minProperties": 1}, {}, "must have at least 1 entries; given object"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "x", "must fit one of the alternatives; given string"),
        ({"oneOf": [{"minimum": 1}, {"minimum": 2}]}, 3, "must fit exactly one of the alternatives; given integer"),
        ({"not": {"type": "string"}}, "x", 'must not fit {"type":"string"}; given string'),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, "'b' is a dependency of 'a'; given object"),
    ],
)
def test_a_refusal_names_path_rule_value_and_schema(schema: Any, given: Any, rule: str) -> None:
    assert fault(schema, given) == f"- arguments.x: {rule} {dump(given)}. Schema: {dump(schema)}"


@promise("T-E11")
@pytest.mark.parametrize(
    ("schema", "given", "line"),
    [
        (
            {"type": "object", "properties": {"repo": {}, "org": {}}, "additionalProperties": False},
            {"repos": 1, "zzz": 2},
            "- arguments.x: has no parameter repos (did you mean repo?), zzz; it takes repo, org",
        ),
        (
            {"properties": {"a": {"type": "integer"}, "b": {"enum": ["k", "l"]}}, "required": ["a", "b"]},
            {},
            "- arguments.x: missing a: integer, b: k|l",
        ),
        (
            {"type": "array", "items": {"type": "object", "properties": {"op": {"type": "string"}}}},
            [{"op": "eq"}, {"op": 5}],
            '- arguments.x[1].op: must be of type string; given integer 5. Schema: {"type":"string"}',
        ),
        (
            {"type": "object", "propertyNames": {"maxLength": 3}},
            {"long": 1},
            '- arguments.x: must have at most 3 characters; given string "long". Schema: {"maxLength":3}',
        ),
    ],
    ids=["unknown names", "missing names", "deep inside", "a name that breaks a rule"],
)
def test_a_refusal_says_what_is_wrong_with_names(schema: Any, given: Any, line: str) -> None:
    assert fault(schema, given) == line


@promise("BRIDGE-REFUSAL")
def test_a_refusal_names_all_that_is_wrong_at_once_and_ends_with_a_call_to_copy() -> None:
    schema = {
        "type": "object",
        "properties": {
            "owner": {"type": "string"},
            "title": {"type": "string"},
            "state": {"enum": ["open", "closed"]},
            "filters": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"operator": {"type": "string"}, "value": {}},
                    "required": ["operator", "value"],
                },
            },
            "limit": {"type": "integer", "minimum": 1},
        },
        "required": ["owner", "title", "state"],
        "additionalProperties": False,
    }
    assert refusal(schema, {"owner": "ada", "titel": "Bug", "filters": "[{}]", "limit": "0"}) == "\n".join(
        [
            "NOT RUN: mcp__desk__save was not invoked, because its arguments do not fit its schema.",
            "- arguments: missing title: string, state: open|closed",
            "- arguments.filters[0]: missing operator: string, value: any",
            '- arguments.limit: must be at least 1; given integer 0. Schema: {"type":"integer","minimum":1}',
            "- arguments: has no parameter titel (did you mean title?); it takes owner, title, state, filters, limit",
            'Call: {"name":"mcp__desk__save","arguments":{"owner":"ada","title":"<title>","state":"open"}}',
            "Optional: filters: array, limit: integer",
        ]
    )


@promise("BRIDGE-REFUSAL")
def test_alternatives_are_judged_by_the_one_that_the_value_comes_nearest_to() -> None:
    point = {"type": "object", "properties": {"lat": {"type": "number"}, "lon": {"type": "number"}}}
    schema = {"anyOf": [{"type": "null"}, point | {"required": ["lat", "lon"]}]}
    assert fault(schema, {"lat": 1}) == "- arguments.x: missing lon: number"


def test_a_refusal_stays_short_however_much_is_wrong() -> None:
    schema = {"type": "object", "additionalProperties": {"type": "integer", "description": "d" * 5000}}
    text = refusal(schema, {f"k{n}": "x" * 5000 for n in range(50)})
    assert "- and 42 more" in text
    assert len(text) < 6000


def test_a_path_shows_names_that_are_no_words_in_brackets() -> None:
    schema = {"type": "object", "properties": {"a-b": {"type": "integer"}}}
    assert '- arguments["a-b"]: must be of type integer' in refusal(schema, {"a-b": "x"})


@promise("BRIDGE-LIGHT")
def test_the_schema_library_is_loaded_by_the_first_call_and_not_before() -> None:
    code = (
        "import sys, hermes_lite.tools.arguments, hermes_lite.tool_search.unwrap, hermes_lite.tool_search.breaker\n"
        "assert not {'jsonschema', 'referencing'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
