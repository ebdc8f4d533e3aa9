"""The tools that exist in this process, by source. Who may see which of them is the session's scope, not ours."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from hermes_lite.tools.spec import Source, SourceState, SourceStatus, ToolSpec


@dataclass(frozen=True, slots=True)
class Dropped:
    """A tool that could not be registered, and why; shown by `doctor` and `tools list`."""

    source: Source
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Scope:
    """What one session was granted, at one moment: rows in a fixed order and the state of their sources."""

    rows: tuple[ToolSpec, ...]
    statuses: tuple[SourceStatus, ...] = ()

    def row(self, name: str) -> ToolSpec | None:
        return next((row for row in self.rows if row.name == name), None)


@dataclass(slots=True)
class Registry:
    """Live rows by source. Every change replaces a source's rows as a whole and raises `version` by one."""

    version: int = 0
    _rows: dict[Source, tuple[ToolSpec, ...]] = field(default_factory=dict)
    _statuses: dict[Source, SourceStatus] = field(default_factory=dict)
    _dropped: dict[Source, tuple[Dropped, ...]] = field(default_factory=dict)

    def replace(self, source: Source, rows: Iterable[ToolSpec], dropped: Sequence[Dropped] = ()) -> None:
        """Set the tools of `source`, which is `ready` from now on."""
        self._rows[source] = tuple(rows)
        self._dropped[source] = tuple(dropped)
        self._statuses[source] = SourceStatus(source, "ready", len(self._rows[source]))
        self.version += 1

    def mark(self, source: Source, state: SourceState, detail: str = "") -> None:
        """Set the state of `source`. Its rows go unless it is `ready`; the source itself stays known."""
        if state != "ready":
            self._rows.pop(source, None)
        self._statuses[source] = SourceStatus(source, state, len(self._rows.get(source, ())), detail)
        self.version += 1

    def remove(self, source: Source) -> None:
        """Forget `source` altogether."""
        for table in (self._rows, self._statuses, self._dropped):
            table.pop(source, None)
        self.version += 1

    def dropped(self) -> tuple[Dropped, ...]:
        return tuple(d for source in sorted(self._dropped) for d in self._dropped[source])

    def scope(self, allow: Iterable[str] | None = None) -> Scope:
        """The rows of the toolsets in `allow` (all when `None`), core first, then by source and name."""
        allowed = None if allow is None else frozenset(allow)
        rows = [
            row
            for source in sorted(self._rows, key=lambda s: (s.kind != "core", s))
            for row in self._rows[source]
            if allowed is None or row.toolset in allowed
        ]
        sources = {row.source for row in rows}
        statuses = tuple(
            status
            for status in self.statuses()
            if allowed is None or status.source in sources or status.source.label in allowed
        )
        return Scope(tuple(rows), statuses)

    def statuses(self) -> tuple[SourceStatus, ...]:
        """How every source stands, by source; a screen asks for this at each redraw."""
        return tuple(self._statuses[source] for source in sorted(self._statuses))
