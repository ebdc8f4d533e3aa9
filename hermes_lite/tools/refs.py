"""Local references and parts of a JSON Schema: JSON pointers and nothing else. Nothing is ever fetched or inlined.

Source: section 7 of the tool-search design (recursion, `$defs`, references to `#/properties/...`).
"""

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias
from urllib.parse import unquote

Schema: TypeAlias = Mapping[str, Any]

_HOPS = 16


def at(root: Any, pointer: str) -> Any:
    """What stands at the JSON pointer `pointer` ("/properties/body", "" for `root`). Raises `LookupError`."""
    here = root
    for step in filter(None, pointer.split("/")):
        key = unquote(step).replace("~1", "/").replace("~0", "~")
        if isinstance(here, Mapping):
            here = here[key]
        elif isinstance(here, list) and key.isdigit():
            here = here[int(key)]
        else:
            raise LookupError(pointer)
    return here


def target(schema: Schema, root: Schema) -> Schema:
    """`schema`, or what its chain of local references leads to, with the keywords beside each `$ref` kept.

    A reference that leads nowhere, outside or round in a circle leaves `schema` without the reference.
    """
    merged = dict(schema)
    for _ in range(_HOPS):
        ref = merged.pop("$ref", None)
        if not isinstance(ref, str):
            break
        found = _local(ref, root)
        merged = {**found, **merged}
    merged.pop("$ref", None)
    return merged


def _local(ref: str, root: Schema) -> Schema:
    if not ref.startswith("#"):
        return {}
    try:
        found = at(root, ref[1:])
    except LookupError:
        return {}
    return found if isinstance(found, Mapping) else {}


def properties(schema: Schema) -> dict[str, Schema]:
    """The properties of `schema` by position; a malformed entry reads as "anything"."""
    found = schema.get("properties")
    if not isinstance(found, Mapping):
        return {}
    return {str(name): sub if isinstance(sub, Mapping) else {} for name, sub in found.items()}


def required(schema: Schema) -> tuple[str, ...]:
    """The required names of `schema` in their order; `required: null` and other nonsense is none."""
    found = schema.get("required")
    return tuple(name for name in found if isinstance(name, str)) if isinstance(found, list) else ()


def types(schema: Schema) -> frozenset[str]:
    """The JSON types that `schema` admits by `type`, or by what else it says; empty means any."""
    declared = schema.get("type")
    if isinstance(declared, str):
        return frozenset((declared, *(("null",) if schema.get("nullable") is True else ())))
    if isinstance(declared, list):
        return frozenset(name for name in declared if isinstance(name, str))
    return frozenset(_implied(schema))


def branches(schema: Schema) -> tuple[Schema, ...]:
    """The alternatives of `anyOf` and `oneOf`."""
    return tuple(
        branch for key in ("anyOf", "oneOf") for branch in _list(schema.get(key)) if isinstance(branch, Mapping)
    )


def _implied(schema: Schema) -> Iterator[str]:
    if "properties" in schema:
        yield "object"
    if "items" in schema or "prefixItems" in schema:
        yield "array"
    for value in _list(schema.get("enum")) if "enum" in schema else ():
        yield _TYPE_OF.get(type(value), "string")


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


_TYPE_OF: Mapping[type, str] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
    list: "array",
    dict: "object",
}
