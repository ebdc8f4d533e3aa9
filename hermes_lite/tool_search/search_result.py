"""What `tool_search` answers: groups of names, and each named tool once.

`{queries, total_available, results: [{query, matches, weak_matches?, more?, ...}], tools: {name: {...}}}` as compact
JSON of at most 24,000 bytes, spent in the order of the queries. A group without matches says why and, once per reply,
what sources there are; it never lists lookalikes.
Source: section 5.1 of the tool-search design; T-A17, T-B01, T-C02, T-K02 and T-L01 of the robustness page.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hermes_lite.text import cut, one_line, utf8
from hermes_lite.tool_search.catalog import Catalogue
from hermes_lite.tool_search.languages import languages
from hermes_lite.tool_search.names import source_state
from hermes_lite.tool_search.ranking import Ranking
from hermes_lite.tool_search.signature import signature
from hermes_lite.tools import refs
from hermes_lite.tools.argument_text import dump
from hermes_lite.tools.schema import outgoing
from hermes_lite.tools.spec import SourceState, SourceStatus, ToolSpec

MAX_BYTES = 24_000
_DESCRIPTION = 500
_QUERY = 200
_SOURCES = 100
_SIGNATURE = 160
_REQUIRED = 40


def render(rankings: Sequence[Ranking], catalogue: Catalogue) -> str:
    """The reply to the queries of `rankings`, made from what `catalogue` holds now."""
    return dump(_Reply(catalogue).build(rankings))


def sources_of(catalogue: Catalogue) -> list[SourceStatus]:
    """The sources that a search may name: those with deferred tools, and those that will or should have some."""
    return [
        status
        for status in catalogue.sources()
        if status.source.kind not in ("core", "builtin", "bridge") or status.tools
        if status.tools or status.state != "ready"
    ]


@dataclass(slots=True)
class _Reply:
    catalogue: Catalogue
    room: int = MAX_BYTES
    tools: dict[str, Any] = field(default_factory=dict)
    names_sources: bool = False

    def build(self, rankings: Sequence[Ranking]) -> dict[str, Any]:
        head = {
            "queries": [cut(one_line(ranking.query), _QUERY) for ranking in rankings],
            "total_available": len(self.catalogue.entries),
        }
        self.room -= _size(head) + 100
        return {**head, "results": [self._group(ranking) for ranking in rankings], "tools": self.tools}

    def _group(self, ranking: Ranking) -> dict[str, Any]:
        group: dict[str, Any] = {"query": cut(one_line(ranking.query), _QUERY), "matches": []}
        if ranking.more:
            group["more"] = ranking.more
        if ranking.weak:
            group["weak_matches"] = list(ranking.weak)
        if not ranking.matches:
            group |= self._without_matches(ranking)
        self.room -= _size(group) + 20
        group["matches"] = list(self._shown(ranking.matches))
        if len(group["matches"]) < len(ranking.matches):
            group["truncated"] = True
        return group

    def _shown(self, names: Sequence[str]) -> Iterator[str]:
        """The leading names of a group for which there is room; each adds its tool unless it is there."""
        for name in names:
            entry = self.catalogue.entry(name)
            told = {} if entry is None or name in self.tools else {name: self._tool(entry.row)}
            cost = len(name) + 4 + _size(told)
            if cost > self.room:
                return
            self.room -= cost
            self.tools |= told
            yield name

    def _tool(self, row: ToolSpec) -> dict[str, Any]:
        state = self._states().get(row.source.label, "ready")
        call = signature(row)
        return {
            "description": cut(one_line(row.description), _DESCRIPTION),
            "required": list(refs.required(outgoing(row.parameters)))[:_REQUIRED],
            **({"signature": call} if len(call) <= _SIGNATURE and "…" not in call else {}),
            "source": one_line(row.source.label),
            **({"state": state} if state != "ready" else {}),
        }

    def _states(self) -> Mapping[str, SourceState]:
        return {status.source.label: status.state for status in self.catalogue.statuses}

    def _without_matches(self, ranking: Ranking) -> dict[str, Any]:
        sources = sources_of(self.catalogue)
        hint = {"hint": self._hint(ranking, sources)}
        if self.names_sources:
            return hint
        self.names_sources = True
        more = {"more_sources": len(sources) - _SOURCES} if len(sources) > _SOURCES else {}
        return {"available_sources": [source_state(status) for status in sources[:_SOURCES]], **more, **hint}

    def _hint(self, ranking: Ranking, sources: Sequence[SourceStatus]) -> str:
        """Why a query has no match, and what to do about it."""
        match ranking.verdict:
            case "sources":
                return "These are the sources; search for what one of them can do."
            case "unknown_source":
                return f"This session has no source {cut(one_line(ranking.source or ''), 60)}; see available_sources."
            case "language":
                spoken = " and ".join(languages(entry.row for entry in self.catalogue.entries))
                return f"The tools are described in {spoken}: search again in that language."
            case _:
                return _no_such_capability(sources)


def _no_such_capability(sources: Sequence[SourceStatus]) -> str:
    unready = [status for status in sources if status.state in _WAITS]
    if unready:
        named = "; ".join(f"{one_line(status.source.label)} {_WAITS[status.state]}" for status in unready[:5])
        return f"No tool at hand does this, but not all sources are: {named}."
    return "No tool of this session does this. Try other words once (service + action + object), else say so."


_WAITS: Mapping[SourceState, str] = {
    "connecting": "is still connecting (search again later)",
    "failed": "failed (tell the person)",
    "needs_auth": "needs to be authorized by the person",
    "gone": "is no longer connected",
}


def _size(value: Any) -> int:
    return len(utf8(dump(value)))
