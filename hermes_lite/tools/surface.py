"""The parameters of a tool at depth 1, whatever its schema says them in.

A declared schema may spread its parameters over `allOf`, alternatives, conditions and local references; what can be
given in the end is one flat list of properties. Both the outgoing schema (`schema`) and the one-line signature
(`hermes_lite.tool_search.signature`) start from it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from hermes_lite.tools import refs
from hermes_lite.tools.refs import Schema

_DEPTH = 8


@dataclass(frozen=True, slots=True)
class Surface:
    """The parameters of a tool at depth 1, as declared, with the combinators at the root folded in.

    `required` holds the names required in every case; `alternatives` the sets of which one more must be given.
    """

    properties: Mapping[str, Schema]
    required: tuple[str, ...] = ()
    alternatives: tuple[tuple[str, ...], ...] = ()


def surface(schema: Schema, root: Schema | None = None) -> Surface:
    """What can be given at depth 1, whatever root combinators say it in."""
    return _surface(schema, root if root is not None else schema, _DEPTH)


def _surface(schema: Schema, root: Schema, depth: int) -> Surface:
    if depth == 0:
        return Surface({})
    here = refs.target(schema, root)
    every = [_surface(part, root, depth - 1) for part in _schemas(here, "allOf")]
    either = [[_surface(part, root, depth - 1) for part in _schemas(here, key)] for key in ("anyOf", "oneOf")]
    either = [surfaces for surfaces in either if surfaces]
    perhaps = [_surface(here[key], root, depth - 1) for key in ("then", "else") if isinstance(here.get(key), Mapping)]
    layers = [_merged([part]) for part in every] + [_merged(parts) for parts in (*either, perhaps)]
    properties = {name: sub for layer in reversed(layers) for name, sub in layer.items()} | refs.properties(here)
    always = [name for part in every for name in part.required]
    always += [name for surfaces in either for name in surfaces[0].required if _in_all(name, surfaces)]
    required = tuple(dict.fromkeys((*refs.required(here), *always)))
    return Surface(properties, required, _alternatives(either, required))


def _schemas(schema: Schema, key: str) -> list[Schema]:
    parts = schema.get(key)
    return [part for part in parts if isinstance(part, Mapping)] if isinstance(parts, list) else []


def _merged(surfaces: list[Surface]) -> dict[str, Schema]:
    """The properties of any of `surfaces`; one that they describe differently may be any of that."""
    found: dict[str, list[Schema]] = {}
    for part in surfaces:
        for name, sub in part.properties.items():
            seen = found.setdefault(name, [])
            if sub not in seen:
                seen.append(sub)
    return {name: subs[0] if len(subs) == 1 else {"anyOf": subs} for name, subs in found.items()}


def _in_all(name: str, surfaces: list[Surface]) -> bool:
    return all(name in part.required for part in surfaces)


def _alternatives(either: list[list[Surface]], required: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    for surfaces in either:
        sets = tuple(tuple(name for name in part.required if name not in required) for part in surfaces)
        if all(sets):
            return sets
    return ()
