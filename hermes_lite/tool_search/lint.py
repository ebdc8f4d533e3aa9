"""What is wrong with the tools of a catalogue, seen by someone who has to find them by words.

Each rule is one function from the index to findings; `RULES` is the list of them. Source: section 12 of the
tool-search design.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from hermes_lite.text import cut, harmless, one_line
from hermes_lite.tool_search.catalog import Catalogue, Entry, letters
from hermes_lite.tool_search.ranking import Index, index_of
from hermes_lite.tool_search.words import fold, split_terms

Rule: TypeAlias = Literal["unfindable", "confusable", "hostile-name", "long-name", "no-description"]

_LONGEST_NAME = 64
_AMONG = 5
_SUMMARY = 120
_FEW_WORDS = 2


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One defect: of which tool, by which rule, in one sentence; `others` are the tools it is confused with."""

    tool: str
    rule: Rule
    message: str
    others: tuple[str, ...] = ()


def lint(catalogue: Catalogue) -> tuple[Finding, ...]:
    """Every finding, by tool and rule."""
    index = index_of(catalogue)
    return tuple(sorted(finding for rule in RULES for finding in rule(index)))


def _without_description(index: Index) -> Iterator[Finding]:
    for entry in index.catalogue.entries:
        if not entry.row.description.strip():
            yield Finding(entry.name, "no-description", "has no description, so only its name can find it")


def _with_long_name(index: Index) -> Iterator[Finding]:
    for entry in index.catalogue.entries:
        if len(entry.name) > _LONGEST_NAME:
            yield Finding(
                entry.name, "long-name", f"has {len(entry.name)} characters; providers take {_LONGEST_NAME}"
            )


def _with_hostile_name(index: Index) -> Iterator[Finding]:
    """Names that hide something, or that mix scripts so that two names look alike."""
    for entry in index.catalogue.entries:
        name = entry.row.short_name
        if harmless(name) != name or "\n" in name:
            yield Finding(entry.name, "hostile-name", "has characters in its name that cannot be seen")
        elif len(_alphabets(name)) > 1:
            yield Finding(entry.name, "hostile-name", "mixes letters of scripts that look alike in its name")


def _alphabets(name: str) -> set[str]:
    scripts = {unicodedata.name(char, "").partition(" ")[0] for char in name if char.isalpha()}
    return scripts & {"LATIN", "CYRILLIC", "GREEK"}


def _confusable(index: Index) -> Iterator[Finding]:
    """Tools of one source whose names differ in nothing but case and separators, and tools described alike."""
    for entries in _groups(index.catalogue, lambda entry: letters(entry.row.short_name)):
        yield from _each(entries, "is spelt like")
    for entries in _groups(index.catalogue, lambda entry: letters(fold(entry.row.description))):
        yield from _each(entries, "is described word for word like")


def _groups(catalogue: Catalogue, key: Callable[[Entry], str]) -> list[list[Entry]]:
    groups: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    for entry in catalogue.entries:
        if text := key(entry):
            groups[entry.row.source.label, text].append(entry)
    return [entries for entries in groups.values() if len(entries) > 1]


def _each(entries: list[Entry], relation: str) -> Iterator[Finding]:
    for entry in entries:
        others = tuple(other.name for other in entries if other is not entry)
        yield Finding(entry.name, "confusable", f"{relation} {', '.join(others)}", others)


def _unfindable(index: Index) -> Iterator[Finding]:
    """Tools that the words of their own name, or their first sentence, do not bring among the first five."""
    for entry in index.catalogue.entries:
        label = entry.fields.source
        words = " ".join(split_terms(entry.fields.name))
        summary = cut(one_line(entry.fields.summary), _SUMMARY, "")
        if words and not _finds(index, f"{label}: {words}", entry):
            yield Finding(entry.name, "unfindable", f"is not found by the words of its name ({words})")
        elif len(split_terms(summary)) > _FEW_WORDS and not _finds(index, f"{label}: {summary}", entry):
            yield Finding(entry.name, "unfindable", "is not found by its own first sentence")


def _finds(index: Index, query: str, entry: Entry) -> bool:
    ranking = index.search(query, _AMONG)
    return entry.name in (*ranking.matches, *ranking.weak, *ranking.rest)[:_AMONG]


RULES: tuple[Callable[[Index], Iterator[Finding]], ...] = (
    _without_description,
    _with_long_name,
    _with_hostile_name,
    _confusable,
    _unfindable,
)
