"""What the strictest chat-completions endpoints refuse in a tool array, and why."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jsonschema import Draft202012Validator

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_PROPERTY = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_NOT_AT_ROOT = frozenset(("anyOf", "oneOf", "allOf", "not", "enum", "$ref", "if"))


def assert_taken(tools: Sequence[Mapping[str, Any]]) -> None:
    """Raise `AssertionError` unless an endpoint takes every entry of `tools`."""
    names = [entry["function"]["name"] for entry in tools]
    assert len(set(names)) == len(names), "a name twice"
    for entry, name in zip(tools, names, strict=True):
        assert entry["type"] == "function"
        assert _NAME.fullmatch(name), name
        assert isinstance(entry["function"]["description"], str), name
        assert_object_schema(entry["function"]["parameters"])


def assert_object_schema(schema: Any) -> None:
    """Raise `AssertionError` unless `schema` may stand as the parameters of a tool."""
    Draft202012Validator.check_schema(schema)
    assert list(complaints(schema)) == []
    assert schema["type"] == "object" and "properties" in schema
    assert not _NOT_AT_ROOT & set(schema)


def complaints(schema: Any, root: Any = None, place: str = "") -> Iterator[str]:
    """What providers refuse in `schema`: each place that breaks a rule."""
    root = schema if root is None else root
    if not isinstance(schema, dict):
        yield f"{place}: {schema!r} is no schema object"
        return
    if isinstance(schema.get("type", ""), list) or "nullable" in schema:
        yield f"{place}: several types in one place"
    if schema.get("type") == "array" and not isinstance(schema.get("items"), dict):
        yield f"{place}: array without items"
    if not set(schema.get("required", ())) <= set(schema.get("properties", schema.get("required", ()))):
        yield f"{place}: a required name is no property"
    ref = schema.get("$ref", "#")
    if ref != "#" and ref.removeprefix("#/$defs/") not in root.get("$defs", {}):
        yield f"{place}: {ref} leads nowhere"
    for key in ("properties", "$defs", "patternProperties"):
        for name, sub in schema.get(key, {}).items():
            if key != "patternProperties" and not _PROPERTY.fullmatch(name):
                yield f"{place}: the name {name!r}"
            yield from complaints(sub, root, f"{place}/{key}/{name}")
    for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for n, sub in enumerate(schema.get(key, ())):
            yield from complaints(sub, root, f"{place}/{key}/{n}")
    for key in ("items", "not", "if", "then", "else", "contains", "propertyNames"):
        if key in schema:
            yield from complaints(schema[key], root, f"{place}/{key}")
