"""What the model is told when its tool sources change while the array stays frozen: one appended notice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hermes_lite.text import cut, one_line
from hermes_lite.tools.registry import Scope
from hermes_lite.tools.spec import SourceStatus

SHOWN = 12


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The sources of a scope and the tools of each, as the model last heard of them."""

    statuses: Mapping[str, SourceStatus]
    tools: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, scope: Scope) -> "Snapshot":
        tools: dict[str, set[str]] = {}
        for row in scope.rows:
            tools.setdefault(row.source.label, set()).add(row.name)
        return cls(
            {s.source.label: s for s in scope.statuses if s.source.kind != "core"},
            {label: frozenset(names) for label, names in tools.items()},
        )


def changes(before: Snapshot, after: Snapshot) -> str | None:
    """One line per source that came, went or changed its tools; `None` when the model knows it all already."""
    lines = [
        line
        for label in sorted({*before.statuses, *after.statuses})
        if (line := _change(label, before, after)) is not None
    ]
    return "\n".join(lines) if lines else None


def _change(label: str, before: Snapshot, after: Snapshot) -> str | None:
    was, now = before.statuses.get(label), after.statuses.get(label)
    if now is None:
        return f"{label} was removed; its tools can no longer be called."
    if now.state != "ready":
        return None if was is not None and was.state == now.state else _absent(now)
    old, new = before.tools.get(label, frozenset()), after.tools.get(label, frozenset())
    if was is None or was.state != "ready":
        return f"{label} is ready with {len(new)} tools{_names(new)}; find them with tool_search."
    parts = [f"{verb} {_listed(names)}" for verb, names in (("new:", new - old), ("gone:", old - new)) if names]
    return f"{label} changed its tools; {'; '.join(parts)}." if parts else None


def _absent(status: SourceStatus) -> str:
    words = {
        "connecting": "is still connecting",
        "failed": "is not available",
        "needs_auth": "needs the person to sign in",
        "disabled": "was switched off",
        "gone": "went away; its tools cannot be called for now",
    }
    detail = f" ({cut(one_line(status.detail), 120)})" if status.detail else ""
    return f"{status.source.label} {words[status.state]}{detail}."


def _names(names: frozenset[str]) -> str:
    return f": {_listed(names)}" if 0 < len(names) <= SHOWN else ""


def _listed(names: frozenset[str] | set[str]) -> str:
    shown = sorted(names)[:SHOWN]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def summary(statuses: Sequence[SourceStatus]) -> str:
    """What a person reads when a bounded wait ended: which servers did not come, and why."""
    return "; ".join(_absent(status).rstrip(".") for status in statuses)
