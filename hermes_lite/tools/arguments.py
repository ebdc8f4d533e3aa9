"""What stands between the arguments that a model wrote and the tool that runs with them.

Keys renamed for the provider are mapped back, values are read as the schema asks where that is unambiguous, and the
result is validated against the schema that `tool_describe` showed. A refusal has one shape everywhere: that nothing
ran, each fault with its path, rule, value and sub-schema, all missing names at once, and a call to copy.
A schema that cannot be checked lets the call through with a note; nothing is ever fetched.
This module alone knows jsonschema (0.18 s to import, so it is loaded at the first call).
Source: sections 5.3 and 7 of the tool-search design.
"""

import difflib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from types import ModuleType
from typing import Any, TypeAlias

import regex

from hermes_lite.text import cut, one_line
from hermes_lite.tools import refs
from hermes_lite.tools.argument_text import Malformed, dump, is_object, kind, parse
from hermes_lite.tools.coercion import changes, coerce
from hermes_lite.tools.examples import example
from hermes_lite.tools.refs import Schema
from hermes_lite.tools.spec import ToolSpec

__all__ = ["Invalid", "Malformed", "Prepared", "dump", "is_object", "minimal_call", "parse", "prepare", "skeleton"]

_SHOWN_VALUE, _SHOWN_SCHEMA, _SHOWN_RULE = 160, 300, 200
_FAULTS = 8
_OPTIONAL = 12
_PATTERN_SECONDS = 0.2
_PLAIN = regex.compile(r"[\w$]+")
_ASIDE = frozenset(("$schema", "$defs", "definitions", "title", "examples"))


@dataclass(frozen=True, slots=True)
class Prepared:
    """Arguments that the tool may run with. `notes` says, for the log, what was read differently or not checked."""

    arguments: dict[str, Any]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong: where, what the rule is, what was given, and the schema of that place."""

    path: str
    rule: str
    given: str = ""
    schema: str = ""

    def __str__(self) -> str:
        given = f"; given {self.given}" if self.given else ""
        schema = f". Schema: {self.schema}" if self.schema else ""
        return f"- {self.path}: {self.rule}{given}{schema}"


@dataclass(frozen=True, slots=True)
class Invalid:
    """Arguments that the schema refuses. `text` is what the model is told; `path` is where the first fault is."""

    text: str
    path: str
    faults: tuple[Fault, ...]


def prepare(row: ToolSpec, arguments: Mapping[str, Any]) -> Prepared | Invalid:
    """The arguments for one run of `row`, or why they do not fit. `arguments` itself stays as it is."""
    given = dict(arguments)
    checker = _checker(dump(row.parameters))
    if isinstance(checker, str):
        return Prepared(given, (f"{row.name}: arguments not checked, {checker}",))
    try:
        read = coerce(given, checker.schema, checker.fits)
        faults = checker.faults(read)
    except _uncheckable() as error:
        return Prepared(given, (f"{row.name}: arguments not checked, {cut(one_line(str(error)), _SHOWN_RULE)}",))
    if faults:
        return Invalid(_refusal(row, read, faults), faults[0].path, faults)
    return Prepared(read, tuple(changes(given, read, "arguments")))


def skeleton(row: ToolSpec, given: Mapping[str, Any] | None = None) -> str:
    """A call to copy: the required arguments, those of `given` that fit, and the names of the optional ones."""
    schema = row.parameters
    checker = _checker(dump(schema))
    declared, needed = refs.properties(schema), refs.required(schema)
    fit = {
        name: value
        for name, value in (given or {}).items()
        if name in declared and (isinstance(checker, str) or _fits(checker, value, declared[name]))
    }
    call = {name: fit[name] if name in fit else example(declared.get(name, {}), schema, name) for name in needed}
    optional = [brief(name, sub, schema) for name, sub in declared.items() if name not in needed]
    more = ["..."] if len(optional) > _OPTIONAL else []
    line = f"Call: {dump({'name': row.name, 'arguments': {**call, **fit}})}"
    return line + (f"\nOptional: {', '.join([*optional[:_OPTIONAL], *more])}" if optional else "")


def minimal_call(row: ToolSpec) -> dict[str, Any] | None:
    """The smallest arguments that `row` accepts, checked; `None` when none could be made."""
    made = example(row.parameters, row.parameters)
    checker = _checker(dump(row.parameters))
    if not isinstance(made, dict):
        return None
    return made if isinstance(checker, str) or _fits(checker, made, checker.schema) else None


def brief(name: str, schema: Schema, root: Schema) -> str:
    """`name: type`, with short enums spelled out."""
    schema = refs.target(schema, root)
    values = schema.get("enum")
    if isinstance(values, list):
        return f"{name}: {cut('|'.join(map(_bare, values)), 60)}"
    wanted = refs.types(schema) or {kind for branch in refs.branches(schema) for kind in refs.types(branch)}
    return f"{name}: {'|'.join(sorted(wanted - {'null'}) or ['any'])}"


def _bare(value: Any) -> str:
    return value if isinstance(value, str) else dump(value)


def _refusal(row: ToolSpec, given: Mapping[str, Any], faults: tuple[Fault, ...]) -> str:
    more = [f"- and {len(faults) - _FAULTS} more"] if len(faults) > _FAULTS else []
    return "\n".join(
        [
            f"NOT RUN: {row.name} was not invoked, because its arguments do not fit its schema.",
            *map(str, faults[:_FAULTS]),
            *more,
            skeleton(row, given),
        ]
    )


class _Checker:
    """A compiled schema."""

    def __init__(self, schema: Schema, validator: Any) -> None:
        self.schema = schema
        self._validator = validator

    def fits(self, value: Any, schema: Schema) -> bool:
        return bool(self._validator.evolve(schema=schema).is_valid(value))

    def faults(self, arguments: Mapping[str, Any]) -> tuple[Fault, ...]:
        """Everything that is wrong, missing names first, each place once."""
        errors = [_sharpest(error) for error in self._validator.iter_errors(arguments)]
        found = [
            *_missing(errors, self.schema),
            *(_fault(error) for error in errors if error.validator != "required"),
        ]
        return tuple({str(fault): fault for fault in found}.values())


def _fits(checker: _Checker, value: Any, schema: Schema) -> bool:
    try:
        return checker.fits(value, schema)
    except _uncheckable():
        return True


def _missing(errors: Iterable[Any], root: Schema) -> Iterator[Fault]:
    """One fault per place that lacks names, whatever their number."""
    places: dict[str, list[str]] = {}
    for error in errors:
        if error.validator == "required":
            absent = [name for name in error.validator_value if name not in error.instance]
            declared = refs.properties(error.schema)
            places[_path(error)] = [brief(name, declared.get(name, {}), root) for name in absent]
    for path, names in places.items():
        yield Fault(path, f"missing {', '.join(names)}")


def _fault(error: Any) -> Fault:
    if error.validator in ("additionalProperties", "unevaluatedProperties") and isinstance(error.instance, dict):
        return Fault(_path(error), _unknown(error))
    rule = _RULES.get(error.validator)
    return Fault(
        _path(error),
        cut(rule.format(_bare(error.validator_value)) if rule else one_line(error.message), _SHOWN_RULE),
        f"{kind(error.instance)} {cut(dump(error.instance), _SHOWN_VALUE)}",
        _shown(error.schema),
    )


def _unknown(error: Any) -> str:
    declared = refs.properties(error.schema)
    strange = [name for name in error.instance if name not in declared]
    near = {name: difflib.get_close_matches(name, declared, 1, 0.6) for name in strange}
    named = [f"{name} (did you mean {near[name][0]}?)" if near[name] else name for name in strange]
    return f"has no parameter {', '.join(named)}; it takes {', '.join(declared) or 'none'}"


def _shown(schema: Any) -> str:
    if not isinstance(schema, Mapping):
        return dump(schema)
    return cut(dump({key: value for key, value in schema.items() if key not in _ASIDE}), _SHOWN_SCHEMA)


def _path(error: Any) -> str:
    return "arguments" + "".join(_step(step) for step in error.absolute_path)


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if _PLAIN.fullmatch(step) else f"[{dump(step)}]"


_RULES: Mapping[str, str] = {
    "type": "must be of type {0}",
    "enum": "must be one of {0}",
    "const": "must be {0}",
    "minimum": "must be at least {0}",
    "maximum": "must be at most {0}",
    "exclusiveMinimum": "must be greater than {0}",
    "exclusiveMaximum": "must be less than {0}",
    "multipleOf": "must be a multiple of {0}",
    "minLength": "must have at least {0} characters",
    "maxLength": "must have at most {0} characters",
    "pattern": "must match the pattern {0}",
    "minItems": "must have at least {0} items",
    "maxItems": "must have at most {0} items",
    "uniqueItems": "must not hold an item twice",
    "minProperties": "must have at least {0} entries",
    "maxProperties": "must have at most {0} entries",
    "anyOf": "must fit one of the alternatives",
    "oneOf": "must fit exactly one of the alternatives",
    "not": "must not fit {0}",
}


@cache
def _library() -> ModuleType:
    import jsonschema

    return jsonschema


@cache
def _uncheckable() -> tuple[type[Exception], ...]:
    """What is raised for a schema that cannot be followed: a lost reference, a circle, a strange pattern."""
    from jsonschema.exceptions import UnknownType
    from referencing.exceptions import Unresolvable

    return (Unresolvable, UnknownType, RecursionError, re.error)


@cache
def _nothing_remote() -> Any:
    """The published meta-schemas and no way to fetch anything else."""
    from referencing.jsonschema import EMPTY_REGISTRY

    return EMPTY_REGISTRY


_Found: TypeAlias = Iterator[Any]


@lru_cache(maxsize=512)
def _checker(text: str) -> _Checker | str:
    """The compiled form of the schema in `text`, or why it cannot be checked. Known by content alone."""
    schema = json.loads(text)
    library = _library()
    family = library.validators.validator_for(schema, default=library.Draft202012Validator)
    try:
        family.check_schema(schema)
    except library.SchemaError as error:
        return f"its schema is broken ({cut(one_line(error.message), _SHOWN_RULE)})"
    except _uncheckable() as error:
        return f"its schema cannot be read ({cut(one_line(str(error)), _SHOWN_RULE)})"
    return _Checker(schema, _tolerant(family)(schema, registry=_nothing_remote()))


@cache
def _tolerant(family: Any) -> Any:
    """`family` with OpenAPI's `nullable`, and with patterns that are bounded in time and never fatal."""
    ours = {"pattern": _pattern}
    for keyword in ("type", "enum"):
        ours[keyword] = _unless_nullable(family.VALIDATORS[keyword])
    return _library().validators.extend(family, ours)


def _unless_nullable(rule: Any) -> Any:
    def check(validator: Any, value: Any, instance: Any, schema: Schema) -> _Found:
        if instance is None and schema.get("nullable") is True:
            return
        yield from rule(validator, value, instance, schema) or ()

    return check


def _pattern(_: Any, pattern: str, instance: Any, __: Schema) -> _Found:
    if not isinstance(instance, str):
        return
    try:
        found = regex.search(pattern, instance, timeout=_PATTERN_SECONDS)
    except (regex.error, TimeoutError):
        return
    if not found:
        yield _library().ValidationError(f"does not match {pattern}")


def _sharpest(error: Any) -> Any:
    """The error that says most: of alternatives, the one that the value comes nearest to, when one stands out."""
    return _library().exceptions.best_match([error]) if error.context else error
