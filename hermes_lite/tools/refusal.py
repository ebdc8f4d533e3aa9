"""The one shape in which a model is told that arguments do not fit: what is wrong, and a call to copy.

Names are those that the model saw (`hermes_lite.tools.schema`). Which faults there are is `arguments`' business.
Source: sections 5.3 and 7 of the tool-search design; T-E11 of the robustness page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hermes_lite.text import cut
from hermes_lite.tools import refs
from hermes_lite.tools.argument_text import dump
from hermes_lite.tools.coercion import Fits
from hermes_lite.tools.examples import example
from hermes_lite.tools.refs import Schema
from hermes_lite.tools.schema import outgoing_name
from hermes_lite.tools.spec import ToolSpec
from hermes_lite.tools.surface import surface

_FAULTS = 8
_OPTIONAL = 12
_CALL = 8000
_ENUM = 60


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


def refuse(row: ToolSpec, given: Mapping[str, Any], faults: tuple[Fault, ...], fits: Fits) -> Invalid:
    """The refusal of `given` for its `faults`, of which there is at least one."""
    more = [f"- and {len(faults) - _FAULTS} more"] if len(faults) > _FAULTS else []
    head = f"NOT RUN: {row.name} was not invoked, because its arguments do not fit its schema."
    text = "\n".join([head, *map(str, faults[:_FAULTS]), *more, _skeleton(row, given, fits)])
    return Invalid(text, faults[0].path, faults)


def brief(name: str, schema: Schema, root: Schema) -> str:
    """`name: type`, with short enumerations spelled out."""
    schema = refs.target(schema, root)
    values = schema.get("enum")
    if isinstance(values, list):
        return f"{outgoing_name(name)}: {cut('|'.join(map(bare, values)), _ENUM)}"
    branches = (refs.target(branch, root) for branch in refs.branches(schema))
    wanted = refs.types(schema) or {kind for branch in branches for kind in refs.types(branch)}
    return f"{outgoing_name(name)}: {'|'.join(sorted(wanted - {'null'})) or 'any'}"


def bare(value: Any) -> str:
    """`value` as a text can show it: strings without quotes, all else as JSON."""
    return value if isinstance(value, str) else dump(value)


def _skeleton(row: ToolSpec, given: Mapping[str, Any], fits: Fits) -> str:
    """A call to copy: the required arguments, those of `given` that fit, and the names of the optional ones."""
    root, seen = row.parameters, surface(row.parameters)
    needed = (*seen.required, *(seen.alternatives[0] if seen.alternatives else ()))
    kept = {name: given[name] for name, sub in seen.properties.items() if name in given and fits(given[name], sub)}
    made = {name: example(seen.properties.get(name, {}), root, name) for name in needed if name not in kept}
    call = {outgoing_name(name): (kept | made)[name] for name in (*needed, *(n for n in kept if n not in needed))}
    left = [(name, sub) for name, sub in seen.properties.items() if name not in call]
    optional = [brief(name, sub, root) for name, sub in left[: _OPTIONAL + 1]]
    return "\n".join([f"Call: {cut(dump({'name': row.name, 'arguments': call}), _CALL)}", *_listed(optional)])


def _listed(optional: Sequence[str]) -> list[str]:
    more = ", ..." if len(optional) > _OPTIONAL else ""
    return [f"Optional: {', '.join(optional[:_OPTIONAL])}{more}"] if optional else []
