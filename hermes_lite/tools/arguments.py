"""What stands between the arguments that a model wrote and the tool that runs with them.

Keys renamed for the provider are mapped back, values are read as the schema asks where that is unambiguous, and the
result is validated against the declared schema; a refusal has one shape everywhere (`refusal`). A schema that breaks
its own rules is checked as it was sent to the provider; one that cannot be checked at all lets the call through with
a note. How a schema is checked, and within which bounds, is `validators`' business.
Source: section 7 of the tool-search design; T-E01, T-E02, T-E11 and T-E13 of the robustness page.
"""

import difflib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import regex

from hermes_lite.text import cut, one_line
from hermes_lite.tools import refs, validators
from hermes_lite.tools.argument_text import Malformed, dump, is_object, kind, parse
from hermes_lite.tools.coercion import changes, coerce
from hermes_lite.tools.examples import example
from hermes_lite.tools.refs import Schema
from hermes_lite.tools.refusal import Fault, Invalid, bare, brief, refuse
from hermes_lite.tools.schema import outgoing, outgoing_name, restore
from hermes_lite.tools.spec import ToolSpec

__all__ = [
    "Invalid",
    "Malformed",
    "Prepared",
    "dump",
    "is_object",
    "minimal_call",
    "mismatch",
    "parse",
    "prepare",
    "warm",
]

_SHOWN_NAMES = 40
_SHOWN_VALUE, _SHOWN_SCHEMA, _SHOWN_RULE = 160, 300, 200
_PLAIN = regex.compile(r"[\w$]+")
_ASIDE = frozenset(("$schema", "$defs", "definitions", "title", "examples"))


@dataclass(frozen=True, slots=True)
class Prepared:
    """Arguments that the tool may run with. `notes` says, for the log, what was read differently or not checked."""

    arguments: dict[str, Any]
    notes: tuple[str, ...] = ()


def prepare(row: ToolSpec, arguments: Mapping[str, Any]) -> Prepared | Invalid:
    """The arguments for one run of `row`, or why they do not fit. `arguments` itself stays as it is."""
    given: dict[str, Any] = restore(dict(arguments), row.parameters)
    try:
        checker = _checker_of(row)
        if isinstance(checker, _Checker):
            with validators.bounded():
                return _checked(row, dict(arguments) if checker.as_sent else given, checker)
        reason = checker
    except validators.uncheckable() as error:
        reason = cut(one_line(str(error)), _SHOWN_RULE)
    return Prepared(given, (f"{row.name}: arguments not checked, {reason}",))


def warm() -> None:
    """Load what the first check needs. Blocks; to be called off the event loop."""
    validators.library()


def minimal_call(row: ToolSpec) -> dict[str, Any] | None:
    """The smallest arguments that `row` accepts, checked; `None` when none could be made."""
    made = example(outgoing(row.parameters), outgoing(row.parameters))
    return made if isinstance(made, dict) and isinstance(prepare(row, made), Prepared) else None


def mismatch(schema: Mapping[str, Any], value: Any) -> str:
    """What of `value` does not fit `schema`, in one line; empty where it fits or that cannot be told."""
    try:
        checker = _checker(dump(schema))
        if not isinstance(checker, _Checker):
            return ""
        with validators.bounded():
            faults = checker.faults(value)
    except validators.uncheckable():
        return ""
    told = (f"{fault.path.removeprefix('arguments').lstrip('.')}: {fault.rule}".lstrip(": ") for fault in faults)
    return cut(next(told, ""), _SHOWN_SCHEMA)


class _Checker:
    """A compiled schema. `as_sent` tells that it is the outgoing form, whose names are those that the model uses."""

    def __init__(self, schema: Schema, validator: Any, as_sent: bool) -> None:
        self.schema = schema
        self.as_sent = as_sent
        self._validator = validator

    def fits(self, value: Any, schema: Schema) -> bool:
        return bool(self._validator.evolve(schema=schema).is_valid(value))

    def faults(self, arguments: Any) -> tuple[Fault, ...]:
        """Everything that is wrong, missing names first, each place once."""
        errors = [_sharpest(error) for error in self._validator.iter_errors(arguments)]
        found = [
            *_missing(errors, self.schema),
            *(_fault(error) for error in errors if not _lacks_names(error)),
        ]
        return tuple({str(fault): fault for fault in found}.values())


def _checked(row: ToolSpec, given: dict[str, Any], checker: _Checker) -> Prepared | Invalid:
    read = coerce(given, checker.schema, checker.fits)
    faults = checker.faults(read)
    if faults:
        return refuse(row, read, faults, checker.fits)
    return Prepared(restore(read, row.parameters), tuple(changes(given, read, "arguments")))


def _lacks_names(error: Any) -> bool:
    return error.validator == "required" and isinstance(error.validator_value, list)


def _missing(errors: Iterable[Any], root: Schema) -> Iterator[Fault]:
    """One fault per place that lacks names, whatever their number."""
    places: dict[str, list[str]] = {}
    for error in errors:
        if _lacks_names(error) and (path := _path(error)) not in places:
            absent = [name for name in error.validator_value if name not in error.instance]
            declared = refs.properties(error.schema)
            places[path] = [brief(name, declared.get(name, {}), root) for name in absent[:_SHOWN_NAMES]]
            places[path] += [f"and {len(absent) - _SHOWN_NAMES} more"] * (len(absent) > _SHOWN_NAMES)
    for path, names in sorted(places.items()):
        yield Fault(path, f"missing {', '.join(names)}")


def _fault(error: Any) -> Fault:
    if error.validator in ("additionalProperties", "unevaluatedProperties") and isinstance(error.instance, dict):
        return Fault(_path(error), _unknown(error))
    rule = _RULES.get(error.validator)
    return Fault(
        _path(error),
        cut(rule.format(bare(error.validator_value)) if rule else one_line(error.message), _SHOWN_RULE),
        f"{kind(error.instance)} {cut(dump(error.instance), _SHOWN_VALUE)}",
        _shown(error.schema),
    )


def _unknown(error: Any) -> str:
    declared = list(map(outgoing_name, refs.properties(error.schema)))
    strange = [cut(one_line(name), _SHOWN_VALUE) for name in error.instance if outgoing_name(name) not in declared]
    near = {name: difflib.get_close_matches(name, declared, 1, 0.6) for name in strange}
    named = [f"{name} (did you mean {near[name][0]}?)" if near[name] else name for name in strange]
    return f"has no parameter {', '.join(named)}; it takes {cut(', '.join(declared), _SHOWN_SCHEMA) or 'none'}"


def _shown(schema: Any) -> str:
    if not isinstance(schema, Mapping):
        return dump(schema)
    return cut(dump({key: value for key, value in schema.items() if key not in _ASIDE}), _SHOWN_SCHEMA)


def _path(error: Any) -> str:
    return "arguments" + "".join(_step(step) for step in error.absolute_path)


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    name = outgoing_name(step)
    return f".{name}" if _PLAIN.fullmatch(name) else f"[{dump(name)}]"


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


def _checker_of(row: ToolSpec) -> _Checker | str:
    declared = _checker(dump(row.parameters))
    if isinstance(declared, _Checker):
        return declared
    sent = _checker(dump(outgoing(row.parameters)), as_sent=True)
    return sent if isinstance(sent, _Checker) else declared


@lru_cache(maxsize=512)
def _checker(text: str, as_sent: bool = False) -> _Checker | str:
    """The compiled form of the schema in `text`, or why it cannot be checked. Known by content alone."""
    schema = json.loads(text)
    try:
        return _Checker(schema, validators.validator(schema), as_sent)
    except validators.library().SchemaError as error:
        return f"its schema is broken ({cut(one_line(error.message), _SHOWN_RULE)})"


def _sharpest(error: Any) -> Any:
    """The error that says most: of alternatives, the one that the value comes nearest to, when one stands out."""
    return validators.library().exceptions.best_match([error]) if error.context else error
