"""JSON Schema as it is checked here: as lenient as OpenAPI, and bounded whatever a server wrote into its schemas.

A check can neither run away nor end the process: patterns are bounded in time, references in number and in depth, and
nothing is ever fetched. What cannot be checked within that raises one of `uncheckable()`.
This module alone knows jsonschema (0.18 s to import: loaded at the first check).
"""

import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from types import ModuleType
from typing import Any, TypeAlias

import regex

_PATTERN_SECONDS = 0.1
_REFERENCES = 20_000
_RULES_OF_A_SCHEMA = 100_000
_STACK = sys.getrecursionlimit() // 2

_Found: TypeAlias = Iterator[Any]
_left: ContextVar[list[int]] = ContextVar("references that may still be followed")


@cache
def library() -> ModuleType:
    import jsonschema  # noqa: PLC0415

    return jsonschema


@cache
def uncheckable() -> tuple[type[Exception], ...]:
    """What is raised for a schema that cannot be followed: a lost reference, a circle, a strange address."""
    from jsonschema.exceptions import UnknownType  # noqa: PLC0415
    from referencing.exceptions import Unresolvable  # noqa: PLC0415

    return (Unresolvable, UnknownType, RecursionError, re.error, ValueError)


@contextmanager
def bounded(references: int = _REFERENCES) -> Iterator[None]:
    """All checks inside share one allowance of references."""
    token = _left.set([references])
    try:
        yield
    finally:
        _left.reset(token)


def validator(schema: Mapping[str, Any]) -> Any:
    """A validator for `schema`, to be used within `bounded()`. Raises jsonschema's `SchemaError`."""
    named = {key: value for key, value in schema.items() if key == "$schema" and isinstance(value, str)}
    family = library().validators.validator_for(named, default=library().Draft202012Validator)
    with bounded(_RULES_OF_A_SCHEMA):
        broken = library().exceptions.best_match(_rules(family).iter_errors(schema))
    if broken is not None:
        raise library().SchemaError(broken.message)
    return _tolerant(family)(schema, registry=_nothing_remote())


@cache
def _rules(family: Any) -> Any:
    """The validator of schemas that are written for `family`; it reads what jsonschema itself ships."""
    return _tolerant(library().validators.validator_for(family.META_SCHEMA, default=family))(family.META_SCHEMA)


@cache
def _nothing_remote() -> Any:
    """A registry that knows no other schema and has no way to fetch one."""
    from referencing.jsonschema import EMPTY_REGISTRY  # noqa: PLC0415

    return EMPTY_REGISTRY


@cache
def _tolerant(family: Any) -> Any:
    """`family` with OpenAPI's `nullable`, with patterns that are never fatal, and with references that end."""
    ours = {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
    }
    for keyword in ("type", "enum"):
        ours[keyword] = _unless_nullable(family.VALIDATORS[keyword])
    for keyword in family.VALIDATORS.keys() & {"$ref", "$dynamicRef", "$recursiveRef"}:
        ours[keyword] = _counted(family.VALIDATORS[keyword])
    return library().validators.extend(family, ours)


def _unless_nullable(rule: Any) -> Any:
    def check(validator: Any, value: Any, instance: Any, schema: Mapping[str, Any]) -> _Found:
        if instance is None and schema.get("nullable") is True:
            return
        yield from rule(validator, value, instance, schema) or ()

    return check


def _counted(rule: Any) -> Any:
    """`rule`, given up in a circle: what resolves references ends the process where Python's stack ends first."""

    def check(validator: Any, reference: Any, instance: Any, schema: Mapping[str, Any]) -> _Found:
        left = _left.get()
        left[0] -= 1
        if left[0] < 0 or _stack_is_deep():
            raise RecursionError("its references lead round in a circle, or too far")
        yield from rule(validator, reference, instance, schema) or ()

    return check


def _stack_is_deep() -> bool:
    try:
        sys._getframe(_STACK)
    except ValueError:
        return False
    return True


def _pattern(_: Any, pattern: str, instance: Any, __: Mapping[str, Any]) -> _Found:
    if isinstance(instance, str) and _matches(pattern, instance) is False:
        yield library().ValidationError(f"does not match {pattern}")


def _pattern_properties(validator: Any, table: Any, instance: Any, _: Mapping[str, Any]) -> _Found:
    for name, value in instance.items() if isinstance(instance, dict) else ():
        for pattern, schema in table.items():
            if _matches(pattern, name):
                yield from validator.descend(value, schema, path=name, schema_path=pattern)


def _additional_properties(validator: Any, rest: Any, instance: Any, schema: Mapping[str, Any]) -> _Found:
    if not isinstance(instance, dict):
        return
    declared, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    extras = [name for name in instance if name not in declared]
    extras = [name for name in extras if all(_matches(pattern, name) is False for pattern in patterns)]
    if isinstance(rest, dict):
        for name in extras:
            yield from validator.descend(instance[name], rest, path=name)
    elif rest is False and extras:
        yield library().ValidationError(f"{', '.join(extras)}: not allowed")


def _matches(pattern: str, text: str) -> bool | None:
    """Whether `pattern` is found in `text`; `None` for one that cannot be read, or not followed in time."""
    try:
        return regex.search(pattern, text, timeout=_PATTERN_SECONDS) is not None
    except (regex.error, TimeoutError):
        return None
