import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from hermes_lite.tools.schema import outgoing, outgoing_name, renames, restore
from hermes_lite.tools.surface import surface
from tests.support.promises import promise
from tests.support.provider import assert_object_schema

KEYWORDS = st.sampled_from(
    [
        *("type", "properties", "required", "items", "anyOf", "allOf", "oneOf", "enum", "$ref", "nullable", "$defs"),
        *("if", "then", "not", "description", "minimum", "exclusiveMinimum", "minLength", "pattern", "default"),
        *("prefixItems", "additionalItems", "additionalProperties", "patternProperties", "const", "uniqueItems"),
    ]
)


def accepted(schema: Any) -> dict[str, Any]:
    """The outgoing schema, after a look at it with a provider's eyes."""
    out = outgoing(schema)
    assert_object_schema(out)
    return out


def field(schema: Any, **root: Any) -> Any:
    """What a property declared as `schema` looks like on the wire."""
    return accepted({"type": "object", "properties": {"x": schema}, **root})["properties"]["x"]


@pytest.mark.parametrize(
    "schema", [None, {}, {"$schema": "http://json-schema.org/draft-07/schema#"}, {"type": "object"}]
)
def test_missing_parameters_become_an_empty_object(schema: Any) -> None:
    assert accepted(schema) == {"type": "object", "properties": {}}


@promise("T-E12")
@pytest.mark.parametrize("required", [None, [], True, "x", {}])
def test_a_required_that_is_no_list_of_names_is_left_out(required: Any) -> None:
    assert accepted({"type": "object", "properties": {"x": {}}, "required": required}) == {
        "type": "object",
        "properties": {"x": {}},
    }


def test_a_required_name_that_is_not_declared_may_be_anything() -> None:
    assert accepted({"type": "object", "properties": {}, "required": ["url"]})["properties"] == {"url": {}}


@pytest.mark.parametrize(
    ("declared", "sent"),
    [
        ({"type": ["string"]}, {"type": "string"}),
        (
            {"type": ["string", "null"], "minLength": 2},
            {"anyOf": [{"type": "string", "minLength": 2}, {"type": "null"}]},
        ),
        (
            {"type": ["string", "null"], "description": "d", "enum": ["a", None]},
            {"description": "d", "anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]},
        ),
        ({"type": "string", "nullable": True}, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        (
            {"anyOf": [{"type": "string"}], "nullable": True},
            {"anyOf": [{"type": "string"}, {"type": "null"}]},
        ),
        ({"type": "string", "nullable": False}, {"type": "string"}),
        ({"type": "array"}, {"type": "array", "items": {}}),
        ({"type": "array", "items": True}, {"type": "array", "items": {}}),
        (
            {"type": ["array", "null"], "description": "d"},
            {"description": "d", "anyOf": [{"type": "array", "items": {}}, {"type": "null"}]},
        ),
        (
            {"type": "array", "items": [{"type": "string"}, True]},
            {"type": "array", "prefixItems": [{"type": "string"}, {}], "items": {}},
        ),
        ({"items": {"type": "string"}}, {"type": "array", "items": {"type": "string"}}),
        ({"properties": {"a": True}}, {"type": "object", "properties": {"a": {}}}),
        ({"type": "number", "minimum": 1, "exclusiveMinimum": True}, {"type": "number", "exclusiveMinimum": 1}),
        ({"type": "number", "minimum": 1, "exclusiveMinimum": False}, {"type": "number", "minimum": 1}),
        ({"type": "string", "enum": []}, {"type": "string"}),
        ({"type": "string", "default": None, "title": None}, {"type": "string", "default": None}),
        ({"type": "STRING"}, {"type": "string"}),
        ({"type": "any"}, {}),
        ({"type": {"x": 1}}, {}),
        ({"type": "string", "minLength": "3", "pattern": 7, "format": None}, {"type": "string"}),
        ({"type": "integer", "minimum": True, "maximum": 2.5}, {"type": "integer", "maximum": 2.5}),
        (
            {"type": "number", "maximum": float("inf"), "multipleOf": 0, "default": float("nan")},
            {"type": "number", "default": None},
        ),
        ({"type": "array", "minItems": -1, "maxItems": 2.0}, {"type": "array", "maxItems": 2.0, "items": {}}),
        ({"type": "string", "x-order": 3, "enumNames": ["A"]}, {"type": "string"}),
        ({"type": "array", "items": "string", "uniqueItems": "yes"}, {"type": "array", "items": {}}),
        ({"type": "object", "additionalProperties": "no", "properties": []}, {"type": "object"}),
        ({"anyOf": None, "oneOf": [], "allOf": {}}, {}),
        (True, {}),
        ("nonsense", {}),
    ],
)
def test_a_property_is_sent_as_every_provider_takes_it(declared: Any, sent: Any) -> None:
    assert field(declared) == sent


def test_properties_named_like_keywords_are_properties() -> None:
    names = ["type", "required", "items", "properties", "$ref", "anyOf", "nullable", "enum", "$defs", "description"]
    declared = {"type": "object", "properties": {name: {"type": "string"} for name in names}, "required": ["type"]}
    assert set(accepted(declared)["properties"]) == {*names} - {"$ref", "$defs"} | {
        outgoing_name("$ref"),
        outgoing_name("$defs"),
    }


@promise("SCHEMA-root")
def test_alternatives_at_the_root_are_folded_into_one_object() -> None:
    out = accepted(
        {
            "type": "object",
            "properties": {"owner": {"type": "string"}},
            "required": ["owner"],
            "oneOf": [
                {"properties": {"id": {"type": "integer"}, "by": {"const": "id"}}, "required": ["by", "id"]},
                {"properties": {"name": {"type": "string"}, "by": {"const": "name"}}, "required": ["by", "name"]},
            ],
        }
    )
    assert out["properties"]["by"] == {"anyOf": [{"const": "id"}, {"const": "name"}]}
    assert out["required"] == ["owner", "by"]
    assert set(out["properties"]) == {"owner", "by", "id", "name"}
    assert out["description"] == "Also required: id or name."


def test_parts_that_must_all_hold_are_joined_at_the_root() -> None:
    out = accepted(
        {
            "allOf": [{"$ref": "#/$defs/page"}, {"properties": {"q": {"type": "string"}}, "required": ["q"]}],
            "$defs": {"page": {"type": "object", "properties": {"page": {"type": "integer"}}}},
        }
    )
    assert out == {
        "type": "object",
        "properties": {"q": {"type": "string"}, "page": {"type": "integer"}},
        "required": ["q"],
    }


@promise("T-E13")
def test_local_references_stay_references_and_recursion_is_never_inlined() -> None:
    node = {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#/definitions/node"}}}}
    out = accepted(
        {"properties": {"tree": {"$ref": "#/definitions/node"}}, "definitions": {"node": node, "spare": {}}}
    )
    assert out["properties"]["tree"] == {"$ref": "#/$defs/node"}
    assert set(out["$defs"]) == {"node"}
    assert out["$defs"]["node"]["properties"]["children"]["items"] == {"$ref": "#/$defs/node"}


def test_a_reference_into_a_property_survives_the_renaming_of_that_property() -> None:
    out = accepted(
        {
            "properties": {
                "filter[name]": {"anyOf": [{"type": "string", "minLength": 3}, {"type": "null"}]},
                "other": {"$ref": "#/properties/filter[name]/anyOf/0", "description": "The same."},
            }
        }
    )
    target = out["properties"]["other"]["$ref"].removeprefix("#/$defs/")
    assert out["$defs"][target] == {"type": "string", "minLength": 3}
    assert out["properties"]["other"]["description"] == "The same."


@pytest.mark.parametrize("ref", ["https://example.com/schema.json", "other.json#/a", "#/$defs/missing", "#anchor", 7])
def test_a_reference_that_leads_nowhere_here_means_anything(ref: Any) -> None:
    assert field({"$ref": ref, "description": "d"}) == {"description": "d"}


def test_references_that_go_round_in_a_circle_mean_anything() -> None:
    out = accepted(
        {
            "properties": {"a": {"$ref": "#/$defs/one"}, "b": {"$ref": "#/properties/b"}},
            "$defs": {"one": {"$ref": "#/$defs/two"}, "two": {"$ref": "#/$defs/one"}},
        }
    )
    assert out == {"type": "object", "properties": {"a": {}, "b": {}}}


def test_two_definitions_of_one_name_are_kept_apart() -> None:
    out = accepted(
        {
            "properties": {"a": {"$ref": "#/$defs/x"}, "b": {"$ref": "#/definitions/x"}},
            "$defs": {"x": {"type": "string"}},
            "definitions": {"x": {"type": "integer"}},
        }
    )
    assert out["properties"]["a"] != out["properties"]["b"]


@promise("SCHEMA-rename")
def test_odd_property_names_go_out_legal_and_come_back_as_declared() -> None:
    declared = {
        "type": "object",
        "properties": {
            "StartTime<": {"type": "string", "description": "Before."},
            "StartTime>": {"type": "string"},
            "$filter": {"type": "object", "properties": {"$and": {"type": "array"}}},
            "rows": {"type": "array", "items": {"type": "object", "properties": {"日期": {"type": "string"}}}},
        },
        "required": ["StartTime<"],
    }
    out = accepted(declared)
    before, after, where, date = (outgoing_name(name) for name in ("StartTime<", "StartTime>", "$filter", "日期"))
    assert out["required"] == [before]
    assert out["properties"][before]["description"] == "StartTime<: Before."
    arguments = {before: "1", after: "2", where: {outgoing_name("$and"): []}, "rows": [{date: "today"}]}
    assert restore(arguments, declared) == {
        "StartTime<": "1",
        "StartTime>": "2",
        "$filter": {"$and": []},
        "rows": [{"日期": "today"}],
    }


def test_arguments_without_renamed_names_are_handed_back_untouched() -> None:
    arguments = {"a": 1}
    assert restore(arguments, {"properties": {"a": {}}}) is arguments


@promise("SCHEMA-bytes")
def test_the_order_of_keys_does_not_reach_the_wire() -> None:
    one = {"type": "object", "properties": {"b": {"type": "string", "title": "B"}, "a": {}}, "required": ["b"]}
    two = {"required": ["b"], "properties": {"a": {}, "b": {"title": "B", "type": "string"}}, "type": "object"}
    assert json.dumps(outgoing(one)) == json.dumps(outgoing(two))
    assert list(outgoing(one)["properties"]) == ["b", "a"]


def test_what_only_a_validator_reads_is_not_sent() -> None:
    out = field({"type": "string", "$comment": "x", "$id": "y", "$anchor": "z"}, **{"$schema": "s", "$id": "i"})
    assert out == {"type": "string"}


def test_hidden_characters_and_lone_surrogates_are_not_sent() -> None:
    assert field({"description": "a\u202eb\x1b[31m", "default": "\ud800"}) == {
        "description": "ab",
        "default": "\ufffd",
    }


def test_a_schema_nested_without_end_is_sent_as_far_as_it_makes_sense() -> None:
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(300):
        deep = {"type": "object", "properties": {"x": deep}}
    assert len(json.dumps(accepted(deep))) < 5000


def test_a_schema_too_deep_for_json_is_sent_as_an_open_object() -> None:
    deep: dict[str, Any] = {}
    for _ in range(100_000):
        deep = {"properties": deep}
    assert accepted(deep) == {"type": "object", "properties": {}}


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.sampled_from(["string", "array", "object", "#", "#/a", "null"]),
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(KEYWORDS | st.just("a"), parts, max_size=4),
    max_leaves=12,
)


@promise("SCHEMA-any")
@given(JSON)
def test_whatever_stands_in_a_schema_providers_take_what_is_sent(nonsense: Any) -> None:
    accepted({"properties": {"x": nonsense}, "$defs": nonsense})
    if isinstance(nonsense, dict):
        accepted(nonsense)


def test_the_declared_schema_is_left_alone() -> None:
    declared = {"properties": {"a b": {"type": ["string", "null"]}}, "required": None}
    before = json.dumps(declared)
    outgoing(declared)
    assert json.dumps(declared) == before


def test_the_surface_of_a_schema_that_refers_to_itself_ends() -> None:
    assert surface({"allOf": [{"$ref": "#"}], "properties": {"a": {}}}).properties == {"a": {}}


NAMES = st.sampled_from(["id", "type", "a b", "filter[x]", "$and", "日期", "required"])
LEAVES: list[tuple[dict[str, Any], list[Any]]] = [
    ({"type": "string"}, ["", "text"]),
    ({"type": "integer", "minimum": 0}, [0, 7]),
    ({"type": ["boolean", "null"]}, [True, None]),
    ({"enum": ["a", 1, None]}, ["a", 1, None]),
    ({"type": ["string", "integer"], "enum": ["a", 1, None]}, ["a", 1]),
    ({"type": ["string", "integer"], "minLength": 1, "minimum": 3}, ["x", 3]),
    ({"type": "array"}, [[], [1, "x"]]),
    ({"type": "array", "prefixItems": [{"type": "string"}]}, [["x", 1], []]),
    ({"$ref": "#/$defs/leaf"}, [1, 2]),
]


def _objects(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(
        lambda properties, required: {
            "type": "object",
            "properties": properties,
            "required": [name for name in properties if name in required],
        },
        st.dictionaries(NAMES, parts, max_size=3),
        st.sets(NAMES),
    )


SCHEMAS = _objects(
    st.recursive(
        st.sampled_from([leaf for leaf, _ in LEAVES]),
        lambda parts: st.one_of(
            _objects(parts),
            st.builds(lambda part: {"type": ["array", "null"], "items": part}, parts),
            st.builds(lambda one, two: {"anyOf": [one, two]}, parts, parts),
        ),
        max_leaves=6,
    )
).map(lambda schema: {**schema, "$defs": {"leaf": {"type": "integer"}}})


@promise("SCHEMA-loose")
@given(st.data())
def test_every_valid_call_can_be_written_against_the_outgoing_schema(data: st.DataObject) -> None:
    declared = data.draw(SCHEMAS)
    arguments = data.draw(_instances(declared))
    assert Draft202012Validator(declared).is_valid(arguments)
    out = accepted(declared)
    sent = _renamed(arguments, {name: sent for sent, name in renames(declared).items()})
    assert Draft202012Validator(out).is_valid(sent)
    assert restore(sent, declared) == arguments


def _instances(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that `schema`, one of `SCHEMAS` or a part of it, allows."""
    if "properties" in schema:
        parts = {name: _instances(part) for name, part in schema["properties"].items()}
        required = {name: parts.pop(name) for name in schema["required"]}
        return st.fixed_dictionaries(required, optional=parts)
    if "anyOf" in schema:
        return st.one_of(map(_instances, schema["anyOf"]))
    if "items" in schema:
        return st.none() | st.lists(_instances(schema["items"]), max_size=2)
    return st.sampled_from(next(values for leaf, values in LEAVES if leaf == schema))


def _renamed(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {names.get(key, key): _renamed(item, names) for key, item in value.items()}
    return [_renamed(item, names) for item in value] if isinstance(value, list) else value
