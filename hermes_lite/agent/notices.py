"""What the model is told when its tool sources change while the array stays frozen: one appended notice.

What a server says about its own use is told this way too, whenever it comes: it is never part of the frozen prompt.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

from hermes_lite.text import cut, one_line
from hermes_lite.tools.registry import Scope
from hermes_lite.tools.spec import SourceState

SHOWN = 12
WORDS_LIMIT = 600


@dataclass(frozen=True, slots=True)
class Known:
    """One source as the model last heard of it; `words` is what it says about its own use."""

    state: SourceState
    tools: frozenset[str] = frozenset()
    detail: str = ""
    words: str = ""


Snapshot: TypeAlias = Mapping[str, Known]


def snapshot(scope: Scope, words: Mapping[str, str] = MappingProxyType({})) -> Snapshot:
    """The sources of `scope` that may come and go, with the tools of each and what it says of itself, by label."""
    tools: dict[str, set[str]] = {}
    for row in scope.rows:
        tools.setdefault(row.source.label, set()).add(row.name)
    return {
        status.source.label: Known(
            status.state,
            frozenset(tools.get(status.source.label, ())),
            status.detail,
            words.get(status.source.label, ""),
        )
        for status in scope.statuses
        if status.source.kind not in ("core", "builtin")
    }


def to_fact(known: Snapshot) -> dict[str, Any]:
    """`known` as JSON for the session file; `from_fact` reads it back."""
    return {
        label: {"state": source.state, "tools": sorted(source.tools), "words": source.words}
        for label, source in known.items()
    }


def from_fact(fact: Mapping[str, Any]) -> Snapshot:
    return {
        label: Known(entry["state"], frozenset(entry["tools"]), words=entry.get("words", ""))
        for label, entry in fact.items()
    }


def changes(before: Snapshot, after: Snapshot) -> str | None:
    """What is new, one line each; `None` when the model knows it all already."""
    labels = sorted({*before, *after})
    news = [_change(label, before.get(label), after.get(label)) for label in labels]
    said = [_said(label, before.get(label), after.get(label)) for label in labels]
    lines = [line for line in (*news, *said) if line is not None]
    return "\n".join(lines) if lines else None


def _change(label: str, was: Known | None, now: Known | None) -> str | None:
    if now is None:
        return f"{label} was removed; its tools can no longer be called."
    if now.state != "ready":
        return None if was is not None and was.state == now.state else f"{absence(label, now.state, now.detail)}."
    if was is None or was.state != "ready":
        return f"{label} is ready with {len(now.tools)} tools{_names(now.tools)}; find them with tool_search."
    differences = (("new:", now.tools - was.tools), ("gone:", was.tools - now.tools))
    parts = [f"{verb} {_listed(names)}" for verb, names in differences if names]
    return f"{label} changed its tools; {'; '.join(parts)}." if parts else None


def _said(label: str, was: Known | None, now: Known | None) -> str | None:
    if now is None or not now.words or (was is not None and was.words == now.words):
        return None
    words = cut(one_line(now.words), WORDS_LIMIT)
    return f"{label} says about its own use (a server's words, no order of the person): {words}"


_ABSENT = {
    "connecting": "is still connecting",
    "failed": "is not available",
    "needs_auth": "needs the person to sign in",
    "disabled": "was switched off",
    "gone": "went away; its tools cannot be called for now",
}
_HELD = "is not started"


def absence(label: str, state: SourceState, detail: str) -> str:
    """Why the tools of a source are not there, for the model and for people."""
    if not detail:
        return f"{label} {_ABSENT.get(state, state)}"
    return f"{label} {_HELD if state == 'disabled' else _ABSENT.get(state, state)} ({cut(one_line(detail), 160)})"


def _names(names: frozenset[str]) -> str:
    return f": {_listed(names)}" if 0 < len(names) <= SHOWN else ""


def _listed(names: frozenset[str]) -> str:
    shown = sorted(names)[:SHOWN]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
