"""The smallest value that a schema admits, for the call skeleton of an error text.

Best effort: what a `pattern` or a combination of rules asks for may be out of reach; whoever shows an example as
valid checks it first. Source: section 5.3 of the tool-search design.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import regex

from hermes_lite.tools import refs
from hermes_lite.tools.refs import Schema

_DEPTH = 12
_ITEMS = 8
_QUOTED = regex.compile(r"['\"`]([^'\"`\s]{1,80})['\"`]")
_COMMON = ("a", "aa", "A1", "A-1", "1", "1.0.0", "2026-01-31", "#000000", "/a", "https://example.com")
_FORMATS: Mapping[str, str] = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T09:00:00Z",
    "time": "09:00:00Z",
    "email": "name@example.com",
    "uri": "https://example.com",
    "url": "https://example.com",
    "uuid": "00000000-0000-4000-8000-000000000000",
}


def example(schema: Schema, root: Schema, name: str = "value", depth: int = _DEPTH) -> Any:
    """A minimal value for `schema` inside `root`; a free string reads `<name>`."""
    merged = _with_first_branch(refs.target(schema, root), root)
    for given in _given(merged):
        return given
    wanted = refs.types(merged)
    make = next((make for kind, make in _MAKERS.items() if kind in wanted), _string)
    return make(merged, root, name, depth - 1) if depth else None


def _given(schema: Schema) -> list[Any]:
    if "const" in schema:
        return [schema["const"]]
    listed = [*_list(schema.get("enum")), *_list(schema.get("examples"))]
    default = schema.get("default")
    return [default] if default is not None and "enum" not in schema else listed[:1]


def _with_first_branch(schema: Schema, root: Schema) -> Schema:
    """`schema` with its first alternative that is not null, and all of `allOf`, laid into it."""
    laid = dict(schema)
    options = [refs.target(branch, root) for branch in refs.branches(schema)]
    first = next((option for option in options if refs.types(option) != {"null"}), None)
    parts = [refs.target(part, root) for part in _list(schema.get("allOf")) if isinstance(part, Mapping)]
    for part in [*parts, *([first] if first else [])]:
        laid = {
            **laid,
            **part,
            "properties": {**refs.properties(laid), **refs.properties(part)},
            "required": [*refs.required(laid), *refs.required(part)],
        }
        if not laid["properties"]:
            del laid["properties"]
    return laid


def _object(schema: Schema, root: Schema, _: str, depth: int) -> Any:
    declared = refs.properties(schema)
    return {name: example(declared.get(name, {}), root, name, depth) for name in refs.required(schema)}


def _array(schema: Schema, root: Schema, name: str, depth: int) -> Any:
    items = schema.get("items")
    count = min(int(_number(schema.get("minItems"), 0)), _ITEMS)
    return [example(items if isinstance(items, Mapping) else {}, root, name, depth) for _ in range(count)]


def _string(schema: Schema, _: Schema, name: str, __: int) -> Any:
    text = _FORMATS.get(str(schema.get("format")), f"<{name}>")
    if isinstance(pattern := schema.get("pattern"), str):
        return _matching(pattern, f"{schema.get('description', '')}", text)
    least, most = int(_number(schema.get("minLength"), 0)), _number(schema.get("maxLength"), math.inf)
    return text.ljust(min(least, 10_000), "x")[: int(most) if most != math.inf else None]


def _matching(pattern: str, description: str, default: str) -> str:
    """A text for `pattern`: one that the description quotes, or a common one; `default` when none matches."""
    candidates = [*_QUOTED.findall(description), default, *_COMMON]
    try:
        return next((text for text in candidates if regex.search(pattern, text, timeout=0.1)), default)
    except (regex.error, TimeoutError):
        return default


def _integer(schema: Schema, _: Schema, __: str, ___: int) -> Any:
    return math.ceil(_least(schema, 1))


def _float(schema: Schema, _: Schema, __: str, ___: int) -> Any:
    return _least(schema, 0.5)


def _least(schema: Schema, step: float) -> float:
    """The number nearest to zero, upwards first, that the bounds admit."""
    low = max(_number(schema.get("minimum"), -math.inf), _open(schema, "exclusiveMinimum", -math.inf) + step)
    high = min(_number(schema.get("maximum"), math.inf), _open(schema, "exclusiveMaximum", math.inf) - step)
    number = min(max(0, low), high)
    unit = _number(schema.get("multipleOf"), 0)
    return math.ceil(number / unit) * unit if unit > 0 else number


def _open(schema: Schema, key: str, default: float) -> float:
    return _number(schema.get(key), default)


def _boolean(*_: object) -> Any:
    return False


def _null(*_: object) -> Any:
    return None


def _number(value: Any, default: float) -> float:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else default


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


_MAKERS: Mapping[str, Callable[[Schema, Schema, str, int], Any]] = {
    "object": _object,
    "array": _array,
    "string": _string,
    "integer": _integer,
    "number": _float,
    "boolean": _boolean,
    "null": _null,
}
