"""One type for each part of a schema: what is declared as a list of types, or as nullable, becomes alternatives.

Some providers refuse `type: [string, null]` and `nullable`; all of them take `anyOf`. Nothing is lost on the
way: each alternative keeps the keywords, and the enumerated values, of its own type.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from hermes_lite.tools.refs import Schema


def with_types(out: dict[str, Any], node: Schema) -> dict[str, Any]:
    """`out` with the type that `node` declares or implies; several become `anyOf`, which every provider takes."""
    types = _types(node)
    null = [{"type": "null"}] if node.get("nullable") is True and "null" not in types else []
    if len(types) == 1 and not null:
        return _typed(out, types[0])
    options = [_typed(_about(out, name), name) for name in types if _has_values(out, name)] + null
    if not types and null:
        return _nullable_choice(out, null)
    if len(options) < 2 or "anyOf" in out:
        return out | (options[0] if len(options) == 1 and "anyOf" not in out else {})
    return {key: value for key, value in out.items() if key not in _TYPED_KEYS} | {"anyOf": options}


def _nullable_choice(out: dict[str, Any], null: list[dict[str, Any]]) -> dict[str, Any]:
    if "anyOf" in out:
        return out | {"anyOf": out["anyOf"] + null}
    if "$ref" in out:
        return {key: value for key, value in out.items() if key != "$ref"} | {"anyOf": [{"$ref": out["$ref"]}, *null]}
    return out


def _types(node: Schema) -> list[str]:
    declared = node.get("type")
    if isinstance(declared, str | list):
        names = [declared] if isinstance(declared, str) else declared
        return list(
            dict.fromkeys(name.lower() for name in names if isinstance(name, str) and name.lower() in _KEYS_OF)
        )
    return [] if _SAYS_MORE & set(node) else [name for key, name in _IMPLIES.items() if key in node][:1]


def _typed(out: dict[str, Any], name: str) -> dict[str, Any]:
    return {"type": name, **({"items": {}} if name == "array" else {}), **out}


def _about(out: dict[str, Any], name: str) -> dict[str, Any]:
    """What `out` says of values of the type `name`."""
    kept = {key: value for key, value in out.items() if key in _KEYS_OF[name]}
    return kept | ({"enum": list(_values_of(out["enum"], name))} if "enum" in out and name != "null" else {})


def _has_values(out: dict[str, Any], name: str) -> bool:
    return "enum" not in out or any(True for _ in _values_of(out["enum"], name))


def _values_of(values: list[Any], name: str) -> Iterator[Any]:
    return (value for value in values if name in _types_of(value))


def _types_of(value: Any) -> tuple[str, ...]:
    match value:
        case bool():
            return ("boolean",)
        case int():
            return ("integer", "number")
        case float():
            return ("number", "integer") if value.is_integer() else ("number",)
        case str():
            return ("string",)
        case list():
            return ("array",)
        case dict():
            return ("object",)
        case _:
            return ("null",)


_NUMBER_KEYS = frozenset(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"))
_KEYS_OF: Mapping[str, frozenset[str]] = {
    "string": frozenset(("minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType")),
    "integer": _NUMBER_KEYS,
    "number": _NUMBER_KEYS,
    "boolean": frozenset(),
    "null": frozenset(),
    "array": frozenset(("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"))
    | {"minContains", "maxContains", "unevaluatedItems"},
    "object": frozenset(("properties", "required", "additionalProperties", "patternProperties", "propertyNames"))
    | {"minProperties", "maxProperties", "unevaluatedProperties"},
}
_TYPED_KEYS = frozenset(key for keys in _KEYS_OF.values() for key in keys) | {"enum"}
_IMPLIES = {"properties": "object", "items": "array", "prefixItems": "array"}
_SAYS_MORE = frozenset(("enum", "const", "$ref", "anyOf", "oneOf", "allOf", "not", "if"))
