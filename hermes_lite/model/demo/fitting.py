"""Fits what the planner knows to the parameters that a tool describes."""

from collections.abc import Mapping
from typing import Any

from hermes_lite.model.demo.jobs import Facts


def fit(facts: Facts, schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Arguments for `schema` made of `facts`; `None` when a required one is missing or no fact has a place.

    A fact goes to the parameter of its name, else to the only one that shares a word with it.
    """
    properties = schema.get("properties") or {}
    places = {name: place for name in facts if (place := _place(name, properties))}
    arguments = {place: _as(properties[place], facts[name]) for name, place in places.items()}
    complete = set(schema.get("required") or ()) <= set(arguments)
    return arguments if complete and bool(arguments) == bool(facts) else None


def _place(fact: str, properties: Mapping[str, Any]) -> str | None:
    if fact in properties:
        return fact
    sharing = [name for name in properties if set(fact.split("_")) & set(name.lower().split("_"))]
    return sharing[0] if len(sharing) == 1 else None


def _as(schema: Mapping[str, Any], value: Any) -> Any:
    """`value` in the type that the parameter asks for."""
    match schema.get("type"):
        case "integer":
            return int(value)
        case "number":
            return float(value)
        case _:
            return value
