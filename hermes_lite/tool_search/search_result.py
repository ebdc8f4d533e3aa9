"""What `tool_search` answers: groups of names, and each named tool once.

`{queries, total_available, results: [{query, matches, weak_matches?, more?, ...}], tools: {name: {...}}}` as compact
JSON of at most 24,000 bytes, spent in the order of the queries. A group without matches says why and, once per reply,
what sources there are; it never lists lookalikes.
Source: section 5.1 of the tool-search design; T-A17, T-B01, T-C02, T-K02 and T-L01 of the robustness page.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hermes_lite.text import cut, one_line, utf8
from hermes_lite.tool_search.catalog import Catalogue
from hermes_lite.tool_search.classify import WAITING
from hermes_lite.tool_search.names import source_state
from hermes_lite.tool_search.signature import short_name, signature
from hermes_lite.tools import refs
from hermes_lite.tools.argument_text import dump
from hermes_lite.tools.schema import outgoing
from hermes_lite.tools.spec import SourceState, SourceStatus, ToolSpec

if TYPE_CHECKING:
    from hermes_lite.tool_search.ranking import Ranking

MAX_BYTES = 24_000
_DESCRIPTION = 500
_QUERY = 160
_SOURCES_BYTES = 6_000
_UNREADY = 4
_LABEL = 60
_SIGNATURE = 160
_REQUIRED = 40
_MARKS = 20


def render(rankings: "Sequence[Ranking]", catalogue: Catalogue) -> str:
    """The reply to the queries of `rankings`, made from what `catalogue` holds now."""
    return dump(_Reply(catalogue).build(rankings))


def instead_of_matches(ranking: "Ranking", catalogue: Catalogue) -> dict[str, Any]:
    """What a group says that has no match: `{available_sources: [{name, tools, state}], more_sources?, hint}`."""
    return _Reply(catalogue).without_matches(ranking)


def sources_of(catalogue: Catalogue) -> list[SourceStatus]:
    """The sources that a search may name: those that will or should have tools first, then those that have some."""
    named = [
        status
        for status in catalogue.sources()
        if status.tools or (status.state != "ready" and status.source.kind in WAITING)
    ]
    return sorted(named, key=lambda status: status.state == "ready")


@dataclass(slots=True)
class _Reply:
    catalogue: Catalogue
    room: int = MAX_BYTES
    tools: dict[str, Any] = field(default_factory=dict)
    names_sources: bool = False

    def build(self, rankings: "Sequence[Ranking]") -> dict[str, Any]:
        head = {
            "queries": [cut(one_line(ranking.query), _QUERY) for ranking in rankings],
            "total_available": len(self.catalogue.entries),
        }
        groups = [self._group(ranking) for ranking in rankings]
        self.room -= _size(head) + _size(groups) + _MARKS * (1 + len(groups))
        for group, ranking in zip(groups, rankings, strict=True):
            self._fill(group, ranking.matches)
        return {**head, "results": groups, "tools": self.tools}

    def _group(self, ranking: "Ranking") -> dict[str, Any]:
        """The group of one query, its matches still to come."""
        group: dict[str, Any] = {"query": cut(one_line(ranking.query), _QUERY), "matches": []}
        if ranking.more:
            group["more"] = ranking.more
        if ranking.weak:
            group["weak_matches"] = list(ranking.weak)
        if not ranking.matches:
            group |= self.without_matches(ranking)
        return group

    def _fill(self, group: dict[str, Any], matches: Sequence[str]) -> None:
        group["matches"] = list(self._shown(matches))
        if len(group["matches"]) < len(matches):
            group["truncated"] = True

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
        return {
            **({"untrusted": True} if row.untrusted else _words(row)),
            "source": one_line(row.source.label),
            **({"state": state} if state != "ready" else {}),
        }

    def _states(self) -> Mapping[str, SourceState]:
        return {status.source.label: status.state for status in self.catalogue.statuses}

    def without_matches(self, ranking: "Ranking") -> dict[str, Any]:
        """Why there is no match; the sources are named once a reply."""
        sources = sources_of(self.catalogue)
        hint = {"hint": self._hint(ranking, sources)}
        if self.names_sources:
            return hint
        self.names_sources = True
        shown = list(_while_room(map(source_state, sources), _SOURCES_BYTES))
        more = {"more_sources": len(sources) - len(shown)} if len(shown) < len(sources) else {}
        return {"available_sources": shown, **more, **hint}

    def _hint(self, ranking: "Ranking", sources: Sequence[SourceStatus]) -> str:
        """Why a query has no match, and what to do about it."""
        match ranking.verdict:
            case "sources":
                return "These are the sources; search for what one of them can do."
            case "unknown_source":
                asked = ranking.source or ranking.query.partition(":")[0]
                return f"This session has no source {cut(one_line(asked), _LABEL)}; see available_sources."
            case "language":
                spoken = " or ".join(self.catalogue.languages)
                return f"The tools are described in {spoken}: search again in that language."
            case _:
                return _no_such_capability(sources, bool(ranking.weak))


def _no_such_capability(sources: Sequence[SourceStatus], weak: bool) -> str:
    unready = [status for status in sources if status.state in _WAITS]
    if unready:
        named = "; ".join(f"{cut(one_line(s.source.label), _LABEL)} {_WAITS[s.state]}" for s in unready[:_UNREADY])
        return f"No tool at hand does this, but not all sources are: {named}."
    if weak:
        return "No tool fits; weak_matches only share words with the query. Search once in other words, else say so."
    return "No tool of this session does this. Try other words once (service + action + object), else say so."


_WAITS: Mapping[SourceState, str] = {
    "connecting": "is still connecting (search again later)",
    "failed": "failed (tell the person)",
    "needs_auth": "needs to be authorized by the person",
    "gone": "is no longer connected",
}


def _words(row: ToolSpec) -> dict[str, Any]:
    """What `row` says of itself."""
    parameters = signature(row).removeprefix(short_name(row))
    return {
        "description": cut(one_line(row.description), _DESCRIPTION),
        "required": list(refs.required(outgoing(row.parameters)))[:_REQUIRED],
        **({"signature": parameters} if len(parameters) <= _SIGNATURE and "…" not in parameters else {}),
    }


def _while_room(values: Iterable[Any], room: int) -> Iterator[Any]:
    """The leading `values` that take at most `room` bytes together."""
    for value in values:
        room -= _size(value) + 1
        if room < 0:
            return
        yield value


def _size(value: Any) -> int:
    return len(utf8(dump(value)))
