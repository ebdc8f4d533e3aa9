"""Read an argument as what its schema asks for, where it can be meant in one way only.

A value that fits is never touched; a reading counts only when it fits and no other reading does. Numbers are never
made strings, defaults are never filled in, unknown keys are never dropped. What fits is asked of the caller
(`arguments`, which owns JSON Schema). Source: section 7 of the tool-search design.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import regex

from hermes_lite.tools import refs
from hermes_lite.tools.argument_text import decode, dump
from hermes_lite.tools.refs import Schema

Fits: TypeAlias = Callable[[Any, Schema], bool]

_STEPS = 4_000
_INTEGER = regex.compile(r"(-?\d{1,300})(\.0+)?")
_NUMBER = regex.compile(r"-?(0|[1-9]\d{0,300})(\.\d{1,300})?([eE][-+]?\d{1,3})?")
_ABSENT = object()


def coerce(value: Any, schema: Schema, fits: Fits) -> Any:
    """A copy of `value` in which everything that can be read in exactly one fitting way is read so."""
    return _Reader(schema, fits).read(value, schema)


def changes(before: Any, after: Any, path: str) -> Iterator[str]:
    """One line for each place where `after` differs from `before`."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key, value in before.items():
            yield from changes(value, after.get(key, _ABSENT), f"{path}.{key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from changes(old, new, f"{path}[{number}]")
    elif after is _ABSENT:
        yield f"{path}: null taken as absent"
    elif type(before) is not type(after) or before != after:
        yield f"{path}: {dump(before)} read as {dump(after)}"


@dataclass(slots=True)
class _Reader:
    root: Schema
    fits: Fits
    steps: int = _STEPS

    def read(self, value: Any, schema: Schema) -> Any:
        self.steps -= 1
        if self.steps < 0 or self.fits(value, schema):
            return value
        meant = refs.target(schema, self.root)
        value = self._inside(value, meant)
        if self.fits(value, schema):
            return value
        fitting = _distinct(reading for reading in self._readings(value, meant) if self.fits(reading, schema))
        if len(fitting) == 1:
            return fitting[0]
        return _by_type(value, refs.types(meant))

    def _inside(self, value: Any, schema: Schema) -> Any:
        if isinstance(value, dict):
            return self._members(value, schema)
        if isinstance(value, list):
            return self._items(value, schema)
        return value

    def _members(self, value: dict[str, Any], schema: Schema) -> dict[str, Any]:
        needed = refs.required(schema)
        read = {key: self._member(key, item, schema, key in needed) for key, item in value.items()}
        return {key: item for key, item in read.items() if item is not _ABSENT}

    def _member(self, key: str, item: Any, schema: Schema, needed: bool) -> Any:
        declared = refs.properties(schema)
        if key in declared:
            if item is None and not needed and not self.fits(None, declared[key]):
                return _ABSENT
            return self.read(item, declared[key])
        rest = schema.get("additionalProperties")
        return self.read(item, rest) if isinstance(rest, Mapping) else item

    def _items(self, value: list[Any], schema: Schema) -> list[Any]:
        first = schema.get("prefixItems")
        rest = schema.get("items")
        places = [*(first if isinstance(first, list) else ()), *(rest if isinstance(rest, list) else ())]
        return [self._item(item, places[n] if n < len(places) else rest) for n, item in enumerate(value)]

    def _item(self, item: Any, schema: Any) -> Any:
        return self.read(item, schema) if isinstance(schema, Mapping) else item

    def _readings(self, value: Any, schema: Schema) -> Iterator[Any]:
        wanted = refs.types(schema)
        if isinstance(value, str):
            yield from _by_case(value, schema)
            for name in wanted:
                for reading in _FROM_TEXT.get(name, _nothing)(value):
                    yield self._inside(reading, schema)
        if "array" in wanted and _is_one_item(value):
            yield self._items([value], schema)
        for branch in refs.branches(schema):
            yield self.read(value, branch)
        parts = schema.get("allOf")
        for part in parts if isinstance(parts, list) else ():
            if isinstance(part, Mapping):
                value = self.read(value, part)
                yield value


def _by_type(value: Any, wanted: frozenset[str]) -> Any:
    """Text where none is wanted is what it says, fitting or not: then the fault is named on the value."""
    if not isinstance(value, str) or not wanted or "string" in wanted:
        return value
    readings = _distinct(reading for name in sorted(wanted) for reading in _FROM_TEXT.get(name, _nothing)(value))
    return readings[0] if len(readings) == 1 else value


def _is_one_item(value: Any) -> bool:
    if isinstance(value, str):
        return not value.lstrip().startswith(("[", "{")) and bool(value.strip())
    return value is not None and not isinstance(value, list)


def _by_case(value: str, schema: Schema) -> list[Any]:
    members = schema.get("enum", [schema["const"]] if "const" in schema else [])
    if not isinstance(members, list):
        return []
    same = [member for member in members if isinstance(member, str) and member.casefold() == value.casefold()]
    return same if len(same) == 1 else []


def _distinct(values: Iterator[Any]) -> list[Any]:
    return list({dump(value): value for value in values}.values())


def _nothing(_: str) -> Iterator[Any]:
    return iter(())


def _integer(text: str) -> Iterator[Any]:
    if found := _INTEGER.fullmatch(text.strip()):
        yield int(found[1])


def _number(text: str) -> Iterator[Any]:
    if _NUMBER.fullmatch(text.strip()) and math.isfinite(number := json.loads(text.strip())):
        yield number


def _boolean(text: str) -> Iterator[Any]:
    if (word := text.strip().casefold()) in ("true", "false"):
        yield word == "true"


def _null(text: str) -> Iterator[Any]:
    if text.strip().casefold() == "null":
        yield None


def _object(text: str) -> Iterator[Any]:
    value = {} if not text.strip() else decode(text)
    if isinstance(value, dict):
        yield value


def _array(text: str) -> Iterator[Any]:
    value = decode(text)
    if isinstance(value, list):
        yield value


_FROM_TEXT: Mapping[str, Callable[[str], Iterator[Any]]] = {
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "null": _null,
    "object": _object,
    "array": _array,
}
