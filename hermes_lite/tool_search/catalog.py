"""The deferred tools of one session as searchable entries, and the names by which they may be called.

A catalogue is a value: the same rows in any order make the same catalogue, with the same digest. How an entry is
scored is `ranking`'s business; who may see a row was settled before (`hermes_lite.tools.registry.Scope`).
Source: sections 5, 6 and 9 of the tool-search design.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import regex

from hermes_lite.text import utf8
from hermes_lite.tool_search.languages import languages
from hermes_lite.tool_search.words import fold
from hermes_lite.tools.spec import SourceStatus, ToolSpec

_KNOWN_ROWS = 32_768
_LONGEST_NAME = 1000
_DRESS = regex.compile(
    r"^\s*(?:(?:functions|default_api|tools?)[.:]\s*)?(.*?)(?:<\|[a-z]+\|>.*|:\d+)?\s*$", regex.DOTALL
)
"""What is written around a name: the spaces in which other shells keep tools, and marks of a model's own markup."""
_NOT_LETTERS = regex.compile(r"[\W_]+")
_SENTENCE_END = re.compile(r"[.!?]\s|[。！？]|\n")
_DEPTH = 6
_LONGEST = 4000  # characters of a field that count: nobody searches by what stands further down


@dataclass(frozen=True, slots=True)
class Fields:
    """The text of a tool by where it stands; `summary` is the description's first sentence, `details` the rest.

    Of an untrusted tool only its names count: its words could be chosen to be found before those of others.
    """

    name: str
    source: str
    summary: str
    details: str
    parameters: str
    notes: str
    keywords: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One tool as search sees it. `digest` changes with anything that search or describe would show."""

    row: ToolSpec
    fields: Fields
    digest: bytes

    @property
    def name(self) -> str:
        return self.row.name


@dataclass(frozen=True)
class Catalogue:
    """The entries in canonical order (by name) and how their sources stand."""

    entries: tuple[Entry, ...]
    statuses: tuple[SourceStatus, ...]

    @classmethod
    def of(cls, rows: Iterable[ToolSpec], statuses: Iterable[SourceStatus] = ()) -> "Catalogue":
        """The catalogue of `rows`, whatever their order. A source without rows is known by its status alone."""
        entries = sorted(map(_entry, rows), key=lambda entry: entry.row.name)
        return cls(tuple(entries), tuple(sorted(statuses, key=lambda status: status.source)))

    @cached_property
    def digest(self) -> bytes:
        """The hash of the content: order of rows and order of keys do not count."""
        return hashlib.blake2b(b"".join(entry.digest for entry in self.entries), digest_size=16).digest()

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages of the descriptions; see `hermes_lite.tool_search.languages`."""
        return languages(entry.row for entry in self.entries)

    def entry(self, name: str) -> Entry | None:
        """The entry with exactly this name."""
        return self._by_name.get(name)

    def resolve(self, name: str) -> tuple[ToolSpec, ...]:
        """The rows that `name` may mean, by the strictest reading that fits any.

        Exact name; exact short name; then without regard to case, separators, a dropped prefix or an older
        `mcp_server_tool` spelling; then what stands between the marks of a shell or a model, read the same way.
        One row: unambiguous. Several: the candidates. None: unknown.
        """
        asked = name[:_LONGEST_NAME].strip()
        undressed = _DRESS.fullmatch(asked)
        return self._read(asked) or (self._read(undressed[1]) if undressed else ())

    def _read(self, asked: str) -> tuple[ToolSpec, ...]:
        if entry := self._by_name.get(asked):
            return (entry.row,)
        return self._by_short_name.get(asked) or self._by_letters.get(letters(asked), ())

    def sources(self) -> tuple[SourceStatus, ...]:
        """Every source with its state and the number of its tools *in this catalogue*, by label."""
        counts: dict[Any, int] = {status.source: 0 for status in self.statuses}
        for entry in self.entries:
            counts[entry.row.source] = counts.get(entry.row.source, 0) + 1
        stated = {status.source: status for status in self.statuses}
        return tuple(
            SourceStatus(source, stated[source].state, count, stated[source].detail)
            if source in stated
            else SourceStatus(source, "ready", count)
            for source, count in sorted(counts.items(), key=lambda item: (item[0].label, item[0].kind))
        )

    @cached_property
    def _by_name(self) -> Mapping[str, Entry]:
        return {entry.name: entry for entry in self.entries}

    @cached_property
    def _by_short_name(self) -> Mapping[str, tuple[ToolSpec, ...]]:
        return _grouped((entry.row.short_name, entry.row) for entry in self.entries)

    @cached_property
    def _by_letters(self) -> Mapping[str, tuple[ToolSpec, ...]]:
        return _grouped((spelling, entry.row) for entry in self.entries for spelling in _spellings(entry.row))


def letters(name: str) -> str:
    """`name` without case, width, accents and separators."""
    return _NOT_LETTERS.sub("", fold(name)).casefold()


def _spellings(row: ToolSpec) -> set[str]:
    short, label = letters(row.short_name), letters(row.source.label)
    return {letters(row.name), short, label + short, f"mcp{label}{short}"} - {""}


def _grouped(pairs: Iterable[tuple[str, ToolSpec]]) -> dict[str, tuple[ToolSpec, ...]]:
    groups: dict[str, tuple[ToolSpec, ...]] = {}
    for key, row in pairs:
        groups[key] = (*groups.get(key, ()), row)
    return groups


_entries: dict[int, Entry] = {}


def _entry(row: ToolSpec) -> Entry:
    """The entry of `row`, made once per row object: rows are values, and the one that is kept keeps its id."""
    known = _entries.get(id(row))
    if known is not None and known.row is row:
        return known
    if len(_entries) >= _KNOWN_ROWS:
        _entries.clear()
    entry = Entry(row, _fields(row), _digest(row))
    _entries[id(row)] = entry
    return entry


def _digest(row: ToolSpec) -> bytes:
    content = (
        row.name,
        row.original_name,
        row.description,
        row.parameters,
        row.keywords,
        row.source.kind,
        row.source.label,
        row.untrusted,
    )
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.blake2b(utf8(text), digest_size=16).digest()


def _fields(row: ToolSpec) -> Fields:
    if row.untrusted:
        return Fields(row.short_name, row.source.label, summary="", details="", parameters="", notes="", keywords="")
    description = row.description.strip()
    end = _SENTENCE_END.search(description)
    first = end.end() if end else len(description)
    names: list[str] = []
    notes: list[str] = []
    _walk(dict(row.parameters), names, notes, _DEPTH)
    return Fields(
        name=row.short_name,
        source=row.source.label,
        summary=description[:first],
        details=description[first:_LONGEST],
        parameters=" ".join(names),
        notes="\n".join(notes)[:_LONGEST],
        keywords=" ".join(row.keywords),
    )


def _walk(schema: object, names: list[str], notes: list[str], depth: int) -> None:
    """Collect property names and descriptions by *position*: a property may itself be called `description`."""
    if not isinstance(schema, dict) or depth == 0:
        return
    properties = schema.get("properties")
    if isinstance(properties, dict):
        for name, sub in properties.items():
            names.append(str(name))
            if isinstance(sub, dict) and isinstance(note := sub.get("description"), str):
                notes.append(note)
            _walk(sub, names, notes, depth - 1)
    _walk(schema.get("items"), names, notes, depth - 1)
    for key in ("anyOf", "oneOf", "allOf"):
        options = schema.get(key)
        for option in options if isinstance(options, list) else ():
            _walk(option, names, notes, depth - 1)
