"""What an argument is read as, through the one door `prepare`."""

import copy
from dataclasses import replace
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_lite.tools.arguments import Invalid, Prepared, dump, minimal_call, prepare
from hermes_lite.tools.schema import outgoing
from hermes_lite.tools.spec import ToolSpec
from tests.support.promises import promise
from tests.support.tool_rows import server_tools


def tool(schema: dict[str, Any]) -> ToolSpec:
    return replace(server_tools("desk", ["save"])[0], parameters=schema)


def one(schema: Any, *, required: bool = False) -> ToolSpec:
    """A tool with the one parameter `x`."""
    return tool({"type": "object", "properties": {"x": schema}, "required": ["x"] if required else []})


POINT = {"type": "object", "properties": {"lat": {"type": "number"}}, "required": ["lat"]}
TREE = {
    "type": "object",
    "properties": {"x": {"$ref": "#/$defs/node"}},
    "$defs": {
        "node": {
            "type": "object",
            "properties": {"n": {"type": "integer"}, "next": {"$ref": "#/$defs/node"}},
            "required": ["n"],
        }
    },
}


@promise("T-E01", "BRIDGE-COERCE")
@pytest.mark.parametrize(
    ("schema", "given", "read"),
    [
        ({"type": "integer"}, "42", 42),
        ({"type": "integer"}, " -7 ", -7),
        ({"type": "integer"}, "4.0", 4),
        ({"type": "number"}, "1.5", 1.5),
        ({"type": "boolean"}, "true", True),
        ({"type": "boolean"}, "False", False),
        ({"type": ["integer", "null"]}, "null", None),
        ({"type": "integer", "nullable": True}, "null", None),
        ({"type": "array", "items": {"type": "string"}}, "bug", ["bug"]),
        ({"type": "array", "items": {"type": "integer"}}, 3, [3]),
        ({"type": "array", "items": {"type": "integer"}}, "3", [3]),
        ({"type": "array", "items": {"type": "integer"}}, "[1, 2]", [1, 2]),
        ({"type": "array", "items": {"type": "integer"}}, '["1", "2"]', [1, 2]),
        ({"type": "array", "items": {"type": "string"}}, '"[\\"a\\"]"', ["a"]),
        ({"type": "array", "items": POINT}, {"lat": "1"}, [{"lat": 1}]),
        ({"type": "object"}, "", {}),
        ({"type": "object"}, '{"a": 1}', {"a": 1}),
        (POINT, '{"lat": "2.5"}', {"lat": 2.5}),
        ({"enum": ["open", "closed"]}, "OPEN", "open"),
        ({"type": "string", "enum": ["ASC", "DESC"]}, "asc", "ASC"),
        ({"enum": [1, 2, 3]}, "2", 2),
        ({"const": "Yes"}, "yes", "Yes"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "5", 5),
        ({"anyOf": [{"type": "null"}, POINT]}, '{"lat": 1}', {"lat": 1}),
        ({"allOf": [{"type": "integer"}, {"minimum": 2}]}, "5", 5),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, {"a": "1"}, {"a": 1}),
        ({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "boolean"}]}, ["1", "true"], [1, True]),
    ],
)
def test_a_value_is_read_as_its_schema_asks_when_it_can_mean_one_thing(schema: Any, given: Any, read: Any) -> None:
    prepared = prepare(one(schema), {"x": given})
    assert isinstance(prepared, Prepared)
    assert prepared.arguments == {"x": read}
    assert type(prepared.arguments["x"]) is type(read)
    assert len(prepared.notes) >= 1


@promise("BRIDGE-NEVER-GUESS")
@pytest.mark.parametrize(
    ("schema", "given"),
    [
        ({"type": "string"}, 5),
        ({"type": "string"}, True),
        ({"type": "string"}, None),
        ({"type": "string"}, ["a"]),
        ({"type": "integer"}, "4.5"),
        ({"type": "integer"}, "four"),
        ({"type": "integer"}, ""),
        ({"type": "integer"}, True),
        ({"type": "number"}, "1e999"),
        ({"type": "number"}, "NaN"),
        ({"type": "boolean"}, 1),
        ({"type": "boolean"}, "yes"),
        ({"type": "array", "items": {"type": "string"}}, "[a, b"),
        ({"type": "array", "items": {"type": "string"}}, ""),
        (POINT, ""),
        ({"enum": ["a", "A"]}, "Å"),
        ({"enum": ["it", "IT"]}, "It"),
        ({"anyOf": [{"type": "integer", "minimum": 10}, {"type": "boolean"}]}, "5"),
        ({"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "integer"}]}, "x"),
    ],
)
def test_what_could_mean_something_else_is_refused(schema: Any, given: Any) -> None:
    assert isinstance(prepare(one(schema, required=True), {"x": given}), Invalid)


@promise("BRIDGE-NEVER-GUESS")
def test_two_readings_are_no_reading() -> None:
    either = {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "integer"}]}
    assert isinstance(prepare(one(either, required=True), {"x": "5"}), Invalid)


@promise("BRIDGE-NEVER-GUESS")
def test_defaults_are_not_filled_in_and_unknown_keys_stay() -> None:
    row = one({"type": "integer", "default": 7})
    assert prepare(row, {"y": "kept"}) == Prepared({"y": "kept"})


@promise("S-B9", "BRIDGE-NULL")
@pytest.mark.parametrize(
    ("schema", "required", "arguments"),
    [
        ({"type": "string", "default": None}, False, {}),
        ({"type": ["string", "null"], "default": None}, False, {"x": None}),
        ({"type": "string", "nullable": True}, False, {"x": None}),
        ({"enum": ["a"], "nullable": True}, False, {"x": None}),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, True, {"x": None}),
        ({}, False, {"x": None}),
    ],
)
def test_null_means_absent_only_where_null_is_not_a_value(schema: Any, required: bool, arguments: Any) -> None:
    prepared = prepare(one(schema, required=required), {"x": None})
    assert isinstance(prepared, Prepared)
    assert prepared.arguments == arguments


def test_the_text_null_stays_a_text_where_texts_are_allowed() -> None:
    assert prepare(one({"type": ["string", "null"]}), {"x": "null"}) == Prepared({"x": "null"})


@promise("BRIDGE-REFS")
@pytest.mark.parametrize(
    ("schema", "given", "read"),
    [
        (TREE, {"x": '{"n": "1", "next": {"n": "2"}}'}, {"x": {"n": 1, "next": {"n": 2}}}),
        (
            {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"$ref": "#/properties/a"}}},
            {"b": "3"},
            {"b": 3},
        ),
        (
            {
                "type": "object",
                "properties": {"a": {"anyOf": [{"type": "object", "properties": {"k": {"type": "boolean"}}}]}}
                | {"b": {"$ref": "#/properties/a/anyOf/0"}},
            },
            {"b": {"k": "true"}},
            {"b": {"k": True}},
        ),
        (
            {
                "type": "object",
                "properties": {
                    "type": {"type": "integer"},
                    "required": {"type": "boolean"},
                    "items": {"enum": ["A"]},
                },
            },
            {"type": "1", "required": "true", "items": "a"},
            {"type": 1, "required": True, "items": "A"},
        ),
    ],
    ids=["recursive", "to a property", "into an alternative", "properties named like keywords"],
)
def test_schemas_are_followed_by_position_and_by_local_reference(schema: Any, given: Any, read: Any) -> None:
    prepared = prepare(tool(schema), given)
    assert isinstance(prepared, Prepared)
    assert prepared.arguments == read


@promise("BRIDGE-UNCHECKED")
@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"x": {"$ref": "https://example.com/schema.json"}}},
        {"type": "object", "properties": {"x": {"$ref": "#/$defs/lost"}}},
        {"$ref": "#"},
    ],
    ids=["external", "dangling", "circle"],
)
def test_a_schema_that_cannot_be_checked_lets_the_call_through_with_a_note(schema: Any) -> None:
    prepared = prepare(tool(schema), {"x": "1"})
    assert isinstance(prepared, Prepared)
    assert prepared.arguments == {"x": "1"}
    assert "not checked" in prepared.notes[0]


@promise("BRIDGE-UNCHECKED")
def test_a_schema_that_breaks_its_own_rules_is_checked_as_it_was_sent() -> None:
    broken = {"type": "object", "required": None, "properties": {"x": {"type": "integer"}, "y": {"type": "int"}}}
    assert prepare(tool(broken), {"x": "4", "y": "any"}) == Prepared(
        {"x": 4, "y": "any"}, ('arguments.x: "4" read as 4',)
    )
    assert isinstance(prepare(tool(broken), {"x": "four"}), Invalid)


def test_a_pattern_that_python_cannot_read_or_finish_refuses_nothing() -> None:
    for pattern in ("(?<bad", "^(a|aa)+$"):
        assert isinstance(prepare(one({"type": "string", "pattern": pattern}), {"x": "a" * 60 + "!"}), Prepared)


@promise("BRIDGE-RENAMED")
def test_renamed_keys_are_mapped_back_before_anything_else() -> None:
    row = tool({"type": "object", "properties": {"größe in cm": {"type": "integer"}}, "required": ["größe in cm"]})
    (name,) = outgoing(row.parameters)["properties"]
    assert name != "größe in cm"
    prepared = prepare(row, {name: "5"})
    assert isinstance(prepared, Prepared)
    assert prepared.arguments == {"größe in cm": 5}
    refused = prepare(row, {})
    assert isinstance(refused, Invalid)
    assert name in refused.text


schemas = st.recursive(
    st.sampled_from(
        [
            {"type": "string"},
            {"type": "integer"},
            {"type": "number", "minimum": -5},
            {"type": "boolean"},
            {"type": ["string", "null"]},
            {"enum": ["red", "green"]},
            {"type": "string", "maxLength": 5},
            {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            {"anyOf": [{"enum": ["on", "off"]}, {"type": "null"}]},
        ]
    ),
    lambda inner: (
        st.builds(lambda items: {"type": "array", "items": items, "maxItems": 3}, inner)
        | st.builds(
            lambda properties, open_: {
                "type": "object",
                "properties": properties,
                "required": sorted(properties)[:1],
                "additionalProperties": open_,
            },
            st.dictionaries(st.sampled_from(["a", "b", "type", "items"]), inner, max_size=3),
            st.booleans(),
        )
    ),
    max_leaves=6,
)
objects = schemas.map(lambda schema: {"type": "object", "properties": {"x": schema, "y": {"type": "integer"}}})
anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.sampled_from(["", "1", "true", "null"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "x"]), inner, max_size=3),
    max_leaves=8,
)


def fitting(schema: Any) -> st.SearchStrategy[Any]:
    """Values that fit one of `schemas`."""
    match schema:
        case {"anyOf": [first, second]}:
            return fitting(first) | fitting(second)
        case {"enum": members}:
            return st.sampled_from(members)
        case {"type": "array", "items": items}:
            return st.lists(fitting(items), max_size=3)
        case {"type": "object", "properties": properties, **rest}:
            needed = {name: fitting(properties[name]) for name in rest.get("required", ())}
            optional = {name: fitting(sub) for name, sub in properties.items() if name not in needed}
            return st.fixed_dictionaries(needed, optional=optional)
        case {"type": ["string", "null"]}:
            return st.none() | st.text(max_size=5)
        case {"type": name}:
            return _PLAIN[name]
    raise NotImplementedError(schema)


_PLAIN = {
    "string": st.text(max_size=5) | st.sampled_from(["1", "true", "null", "[]"]),
    "integer": st.integers(),
    "number": st.floats(min_value=-5, allow_infinity=False),
    "boolean": st.booleans(),
    "null": st.none(),
}


@promise("BRIDGE-COERCE")
@given(objects.flatmap(lambda schema: st.tuples(st.just(schema), fitting(schema))))
def test_arguments_that_fit_are_not_touched(case: tuple[Any, Any]) -> None:
    schema, arguments = case
    assert prepare(tool(schema), arguments) == Prepared(arguments)


@promise("BRIDGE-COERCE")
@given(objects.flatmap(lambda schema: st.tuples(st.just(schema), fitting(schema))))
def test_arguments_written_as_text_are_read_or_refused_but_never_changed_in_meaning(case: tuple[Any, Any]) -> None:
    schema, arguments = case
    prepared = prepare(tool(schema), {name: dump(value) for name, value in arguments.items()})
    if isinstance(prepared, Prepared):
        for name, value in prepared.arguments.items():
            assert value in (arguments[name], dump(arguments[name]))


@promise("T-E02")
@given(objects, st.dictionaries(st.sampled_from(["x", "y"]), anything))
def test_what_reaches_a_tool_always_fits_its_schema(schema: Any, arguments: Any) -> None:
    before = copy.deepcopy(arguments)
    prepared = prepare(tool(schema), arguments)
    assert arguments == before
    if isinstance(prepared, Prepared):
        jsonschema.validate(prepared.arguments, schema)
        assert set(prepared.arguments) <= set(arguments)
    else:
        assert prepared.text.startswith("NOT RUN: mcp__desk__save was not invoked")


@promise("BRIDGE-EXAMPLE")
@given(objects)
def test_the_smallest_call_that_is_shown_as_valid_is_valid(schema: Any) -> None:
    smallest = minimal_call(tool(schema))
    assert smallest is not None
    jsonschema.validate(smallest, schema)


keywords = st.sampled_from(
    [
        "type",
        "properties",
        "items",
        "required",
        "enum",
        "const",
        "$ref",
        "$id",
        "$schema",
        "anyOf",
        "allOf",
        "not",
        "pattern",
        "additionalProperties",
        "minimum",
        "multipleOf",
        "default",
        "nullable",
        "$defs",
        "format",
        "if",
        "then",
        "prefixItems",
    ]
)
wild = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(["string", "object", "integer", "#", "#/properties/a", "http://[", "a", "(", "x"])
    | st.sampled_from([f"http://json-schema.org/draft-0{n}/schema#" for n in (3, 4, 6, 7)]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(keywords | st.sampled_from(["a", "x"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@promise("BRIDGE-UNCHECKED")
@given(st.dictionaries(keywords, wild, max_size=5), st.dictionaries(st.sampled_from(["a", "x", "type"]), anything))
def test_no_schema_that_a_server_may_declare_breaks_the_check(schema: Any, arguments: Any) -> None:
    row = tool(schema)
    assert isinstance(prepare(row, arguments), Prepared | Invalid)
    minimal_call(row)


def test_a_schema_nested_beyond_reason_is_not_checked() -> None:
    schema: dict[str, Any] = {"type": "integer"}
    for _ in range(5000):
        schema = {"type": "object", "properties": {"x": schema}}
    assert isinstance(prepare(tool(schema), {"x": "1"}), Prepared)
