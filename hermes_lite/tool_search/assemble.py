"""The only door to the tool array that a model is sent.

`assemble` is a pure function of scope, settings, context window and counter: the same inputs give the same bytes, in
whatever order the rows come. Direct tools stand first in canonical order, then the bridge with the listing inside its
description, then, with the strategy `activate`, what searches have added so far. When an array is taken anew is the
session's business; what the deferred tools answer to is `catalog`'s.
Source: sections 3, 4, 11 and 13 of the tool-search design; T-A03, T-D01 to T-D13, T-J01, T-J13 and T-I02.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias

from hermes_lite.text import clean_surrogates, harmless
from hermes_lite.tokens import TokenCounter
from hermes_lite.tool_search.bridge import bridge_rows
from hermes_lite.tool_search.classify import WAITING, canonical, classify
from hermes_lite.tool_search.languages import languages
from hermes_lite.tool_search.listing import Listing, build
from hermes_lite.tool_search.rows import Rows
from hermes_lite.tool_search.settings import ToolSearchSettings
from hermes_lite.tool_search.signature import DATA
from hermes_lite.tools.registry import Scope
from hermes_lite.tools.schema import outgoing
from hermes_lite.tools.spec import SourceState, SourceStatus, ToolSpec

Tier: TypeAlias = Literal[0, 1, 2]

_SHARE_OF_UNKNOWN_WINDOW = 10_000
_COMING: frozenset[SourceState] = frozenset(("connecting", "failed", "needs_auth"))


@dataclass(frozen=True, slots=True)
class Activation:
    """Why Tool Search is on or off, with everything that decided it; `str()` is the line for people."""

    active: bool
    enabled: str
    deferred: int
    awaited: tuple[str, ...]
    window: int | None
    threshold_pct: float
    budget: int
    counted_by: str

    @property
    def reason(self) -> str:
        if self.enabled == "off":
            return "switched off by tools.tool_search.enabled"
        if self.deferred:
            return f"{self.deferred} tools wait behind search"
        return f"waiting for {', '.join(self.awaited)}" if self.awaited else "no tool waits behind search"

    def __str__(self) -> str:
        window = f"{self.window:,} tokens" if self.window else "an unknown window"
        return (
            f"Tool Search {'on' if self.active else 'off'} (enabled: {self.enabled}): {self.reason}; listing budget "
            f"{self.budget:,} tokens ({self.threshold_pct:g} % of {window}, capped), counted by {self.counted_by}"
        )


@dataclass(frozen=True, slots=True)
class Assembly:
    """What a model is sent as `tools`, and how it came about.

    `array` holds the entries in order, `array_json` their canonical JSON text; both are shared, do not change them.
    `deferred` stays whole whatever is in `activated`. `tier` is 0 when nothing waits, 1 when the listing names tools,
    2 when it does not.
    """

    array: tuple[dict[str, Any], ...]
    array_json: str
    direct: tuple[ToolSpec, ...]
    bridge: tuple[ToolSpec, ...]
    activated: tuple[ToolSpec, ...]
    deferred: tuple[ToolSpec, ...]
    tier: Tier
    listing: Listing | None
    activation: Activation

    @property
    def rows(self) -> tuple[ToolSpec, ...]:
        """The rows behind `array`, in its order."""
        return (*self.direct, *self.bridge, *self.activated)

    @property
    def budget(self) -> int:
        """The most tokens that the listing was allowed to cost."""
        return self.activation.budget


def assemble(
    scope: Scope,
    settings: ToolSearchSettings,
    window: int | None,
    counter: TokenCounter,
    *,
    activated: Sequence[str] = (),
) -> Assembly:
    """The array for a model with a context of `window` tokens (`None`: unknown), counted by `counter`.

    `activated` names deferred tools that are sent in full as well, in that order; only the strategy `activate` does.
    """
    names = tuple(dict.fromkeys(activated)) if settings.strategy == "activate" else ()
    return _assembled(Rows(scope.rows), scope.statuses, settings, window, counter, names)


def listing_budget(settings: ToolSearchSettings, window: int | None) -> int:
    """The most tokens that the listing may cost with a context of `window` tokens."""
    share = int(window * settings.threshold_pct / 100) if window else _SHARE_OF_UNKNOWN_WINDOW
    return max(0, min(settings.listing_max_tokens, share))


def entry(row: ToolSpec) -> dict[str, Any]:
    """`row` as one entry of the array."""
    words = harmless(row.description)
    function = {
        "name": row.name,
        "description": f"[{DATA}] {words}" if row.untrusted else words,
        "parameters": outgoing(row.parameters),
    }
    return {"type": "function", "function": function}


def to_json(value: Any) -> str:
    """The canonical JSON text of an array or an entry: compact, UTF-8, keys in their order."""
    return clean_surrogates(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


@lru_cache(maxsize=32)
def _assembled(
    rows: Rows,
    statuses: tuple[SourceStatus, ...],
    settings: ToolSearchSettings,
    window: int | None,
    counter: TokenCounter,
    activated: tuple[str, ...],
) -> Assembly:
    direct, deferred = _split(rows, settings)
    activation = _activation(deferred, statuses, settings, window, counter)
    listing = None
    if activation.active and settings.listing != "off":
        listing = build(deferred, statuses, activation.budget, counter, {row.name for row in direct})
    bridge = bridge_rows(listing.text if listing else "", languages(deferred)) if activation.active else ()
    by_name = {row.name: row for row in deferred}
    added = tuple(by_name[name] for name in activated if name in by_name)
    array = tuple(map(entry, (*direct, *bridge, *added)))
    return Assembly(
        array=array,
        array_json=to_json(array),
        direct=direct,
        bridge=bridge,
        activated=added,
        deferred=deferred,
        tier=_tier(activation, listing),
        listing=listing,
        activation=activation,
    )


def _split(rows: Rows, settings: ToolSearchSettings) -> tuple[tuple[ToolSpec, ...], tuple[ToolSpec, ...]]:
    """The direct and the deferred rows; with Tool Search off every row is direct."""
    found = classify(rows, settings)
    if settings.enabled == "off":
        return tuple(canonical((*found.direct, *found.deferred))), ()
    return found.direct, found.deferred


def _activation(
    deferred: Sequence[ToolSpec],
    statuses: Iterable[SourceStatus],
    settings: ToolSearchSettings,
    window: int | None,
    counter: TokenCounter,
) -> Activation:
    awaited = () if settings.enabled == "off" else _awaited(statuses)
    return Activation(
        active=bool(deferred or awaited),
        enabled=settings.enabled,
        deferred=len(deferred),
        awaited=awaited,
        window=window,
        threshold_pct=settings.threshold_pct,
        budget=listing_budget(settings, window),
        counted_by=counter.method,
    )


def _awaited(statuses: Iterable[SourceStatus]) -> tuple[str, ...]:
    """The sources whose tools would wait behind search and are remote or not there yet.

    The array is frozen for the session: a server that comes late can be reached only if the bridge is there before.
    """
    return tuple(
        sorted(
            status.source.label
            for status in statuses
            if status.source.kind in WAITING
            and (status.state in _COMING or (status.source.kind == "connector" and status.state == "ready"))
        )
    )


def _tier(activation: Activation, listing: Listing | None) -> Tier:
    if not activation.active:
        return 0
    return 1 if listing and any(group.form not in ("hidden", "summary") for group in listing.groups) else 2
