"""What is wrong with the tools of a catalogue, seen by someone who has to find them by words."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from hermes_lite.tool_search.catalog import Catalogue

Rule: TypeAlias = Literal["unfindable", "confusable", "hostile-name", "long-name", "no-description"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One defect: of which tool, by which rule, in one sentence; `others` are the tools it is confused with."""

    tool: str
    rule: Rule
    message: str
    others: tuple[str, ...] = ()


def lint(catalogue: Catalogue) -> tuple[Finding, ...]:
    """Every finding, by tool and rule."""
    return tuple(
        Finding(entry.name, "no-description", "has no description, so only its name can find it")
        for entry in catalogue.entries
        if not entry.row.description.strip()
    )
