"""Which tools are shown directly and which wait behind search.

In this order: the names of the bridge are reserved; `pin` shows directly; `defer` withholds, whatever it names; the
core and the built-in tools are shown; tools of servers, plugins and connectors wait. `defer: []` therefore keeps
every built-in tool direct and nothing else. Source: section 2 of the tool-search design; T-A06, T-J04 and T-J10.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import translate
from functools import lru_cache
from typing import Literal

from hermes_lite.text import one_line
from hermes_lite.tool_search.rows import Rows
from hermes_lite.tool_search.settings import ToolSearchSettings
from hermes_lite.tools.spec import SourceKind, ToolSpec

BRIDGE_NAMES = ("tool_search", "tool_describe", "tool_call")
WAITING: frozenset[SourceKind] = frozenset(("mcp", "plugin", "connector"))
"""The kinds of source whose tools wait unless they are pinned."""

_GLOB = re.compile(r"[*?\[]")
_NEAR = 0.6


@dataclass(frozen=True, slots=True)
class Classification:
    """`direct` and `deferred` rows, each in canonical order; `stripped` rows tried to take a name of the bridge."""

    direct: tuple[ToolSpec, ...]
    deferred: tuple[ToolSpec, ...]
    stripped: tuple[ToolSpec, ...]
    rows: Rows
    pin: tuple[str, ...]
    defer: tuple[str, ...]

    @property
    def problems(self) -> tuple[str, ...]:
        """One line for each reserved name, and for each entry of `pin` or `defer` that names or changes nothing."""
        return (*self.reserved, *self.without_effect("pin"), *self.without_effect("defer"))

    @property
    def reserved(self) -> tuple[str, ...]:
        """One line for each tool that was left out because it has a name of the bridge."""
        return tuple(
            f"{row.source.label}: {row.name} is a reserved name, the tool is left out" for row in self.stripped
        )

    def without_effect(self, key: Literal["pin", "defer"]) -> Iterator[str]:
        """One line for each entry of the setting `key` that names or changes nothing.

        The `defer` list that ships names tools that not every build has; whether a person wrote it, the caller knows.
        """
        pinned = _named(self.rows, self.pin)
        for entry in self.pin if key == "pin" else self.defer:
            named = _named(self.rows, (entry,))
            if entry in BRIDGE_NAMES:
                yield f"{key}: {entry} is part of Tool Search itself and always direct"
            elif not named:
                yield f"{key}: {one_line(entry)} names no tool{_nearest(entry, self.rows)}"
            elif key == "defer" and named <= pinned:
                yield f"defer: {one_line(entry)} has no effect, `pin` shows what it names"


def classify(rows: Iterable[ToolSpec], settings: ToolSearchSettings) -> Classification:
    """Split `rows`, in whatever order they come. A pure function of the rows and of `pin` and `defer`."""
    return _classified(Rows(rows), settings.pin, settings.defer)


def canonical(rows: Iterable[ToolSpec]) -> list[ToolSpec]:
    """`rows` in the one order in which they are shown: core, built-in, then by source and name."""
    return sorted(
        rows, key=lambda row: (_RANK.get(row.source.kind, len(_RANK)), row.source.label, row.source.kind, row.name)
    )


@lru_cache(maxsize=32)
def _classified(rows: Rows, pin: tuple[str, ...], defer: tuple[str, ...]) -> Classification:
    pinned, withheld = _named(rows, pin), _named(rows, defer)
    direct: list[ToolSpec] = []
    deferred: list[ToolSpec] = []
    stripped: list[ToolSpec] = []
    for row in canonical(rows):
        if row.name in BRIDGE_NAMES:
            stripped.append(row)
        elif row.name not in pinned and (row.name in withheld or _waits(row)):
            deferred.append(row)
        else:
            direct.append(row)
    foreign = tuple(row for row in stripped if row.source.kind != "bridge")
    return Classification(tuple(direct), tuple(deferred), foreign, rows, pin, defer)


def _waits(row: ToolSpec) -> bool:
    return row.deferrable and row.source.kind in WAITING


@dataclass(frozen=True, slots=True)
class _Spellings:
    """The rows' names by each way of writing them, the strictest first: name or `source.tool`, then short name."""

    full: Mapping[str, Sequence[str]]
    short: Mapping[str, Sequence[str]]

    def named(self, entry: str) -> Iterable[str]:
        """The names that `entry` means, by the strictest way of writing in which it means any."""
        return _found(entry, self.full) or _found(entry, self.short)


@lru_cache(maxsize=8)
def _spellings(rows: Rows) -> _Spellings:
    full: dict[str, list[str]] = defaultdict(list)
    short: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        full[row.name].append(row.name)
        full[f"{row.source.label}.{row.short_name}"].append(row.name)
        short[row.short_name].append(row.name)
    return _Spellings(dict(full), dict(short))


def _found(entry: str, table: Mapping[str, Sequence[str]]) -> Sequence[str]:
    if not _GLOB.search(entry):
        return table.get(entry, ())
    matches = re.compile(translate(entry)).match
    return [name for spelling, names in table.items() if matches(spelling) for name in names]


def _named(rows: Rows, entries: Iterable[str]) -> frozenset[str]:
    """The names of the rows that `entries` name."""
    return frozenset(name for entry in entries for name in _spellings(rows).named(entry))


def _nearest(entry: str, rows: Rows) -> str:
    labels = {f"{row.source.label}.*" for row in rows if row.source.kind in WAITING}
    names = sorted({row.name for row in rows} | {row.short_name for row in rows} | labels)
    near = get_close_matches(entry, names, n=1, cutoff=_NEAR) or [
        label for label in sorted(labels) if label.removesuffix(".*") == entry
    ]
    return f"; did you mean {one_line(near[0])}?" if near else ""


_RANK: dict[str, int] = {"core": 0, "builtin": 1}
