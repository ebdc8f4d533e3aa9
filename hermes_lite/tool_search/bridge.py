"""The three tools through which a model reaches all the others, and what they answer in one session.

`bridge_rows` makes the rows, the listing inside the first of them; `ToolSearch` answers for one session, always from
what the session is granted at that moment. `tool_call` has no answer of its own: it is taken apart before anything
runs (`hermes_lite.tool_search.unwrap`). Source: sections 4, 5, 9 and 10 of the tool-search design.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from hermes_lite.tokens import TokenCounter
from hermes_lite.tool_search import budget, describe, leniency, search_result
from hermes_lite.tool_search.catalog import Catalogue
from hermes_lite.tool_search.classify import BRIDGE_NAMES, classify
from hermes_lite.tool_search.index import explanation, index_of
from hermes_lite.tool_search.rows import Rows
from hermes_lite.tool_search.settings import ToolSearchSettings
from hermes_lite.tools.argument_text import dump
from hermes_lite.tools.registry import Scope
from hermes_lite.tools.spec import Display, Source, SourceStatus, ToolContext, ToolResult, ToolSpec

_LOG = logging.getLogger(__name__)
SEARCH, DESCRIBE, CALL = BRIDGE_NAMES
MAX_QUERIES, MAX_NAMES, MAX_CALLS = 7, 10, 10
BRIDGE = Source("bridge", "tool_search")
CLARIFY = "clarify"

_SEARCH_TEXT = (
    "Search the tools that wait behind this bridge; their schemas are not loaded. Give keyword queries, one per "
    "need: service + action + object, as in `github create issue`, in {languages} whatever the person speaks. "
    f"At most {MAX_QUERIES} queries. `source: words` searches one source."
)
_LISTING_TEXT = (
    "\n\nThe tools by source. What is listed IS available. With a signature: call it at once with tool_call. "
    "Without: load it with tool_describe first; no search is needed when you see the exact name. Where a source is "
    "only summed up, search before you say that something cannot be done. Do not use a generic tool instead of a "
    "listed one.\n\n"
)
_DESCRIBE_TEXT = (
    f"Load the full schemas of at most {MAX_NAMES} tools by name. `tool#/properties/x` opens a part that was cut."
)
_CALL_TEXT = (
    f"Call tools found by tool_search or listed there, at most {MAX_CALLS} at once. Calls that do not depend on each "
    "other go together. Each gets its own result."
)


def bridge_rows(listing_text: str, languages: Sequence[str] = ("English",)) -> tuple[ToolSpec, ToolSpec, ToolSpec]:
    """The rows of `tool_search`, `tool_describe` and `tool_call`, in this order."""
    text = _SEARCH_TEXT.format(languages=" or ".join(languages))
    return (
        _row(
            SEARCH, text + (_LISTING_TEXT + listing_text if listing_text else ""), _SEARCH_SCHEMA, search, "queries"
        ),
        _row(DESCRIBE, _DESCRIBE_TEXT, _DESCRIBE_SCHEMA, describe_tools, "names"),
        _row(CALL, _CALL_TEXT, _CALL_SCHEMA, call_tools, "calls"),
    )


class ToolSearch:
    """Search, describe and their bookkeeping for one session.

    `scope` is asked at every call, so that a tool that came, changed or went is seen at once. `found` holds the names
    that searches have returned, in the order in which they first did; `on_found` is told the new ones at once.
    """

    def __init__(
        self,
        scope: Callable[[], Scope],
        settings: ToolSearchSettings,
        counter: TokenCounter,
        on_found: Callable[[Sequence[str]], None] = lambda _names: None,
    ) -> None:
        self._scope = scope
        self._settings = settings
        self._counter = counter
        self._on_found = on_found
        self._budget = budget.SearchBudget(settings.search_budget)
        self._found: dict[str, None] = {}

    @property
    def found(self) -> tuple[str, ...]:
        return tuple(self._found)

    def search(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Answer `tool_search`: see `hermes_lite.tool_search.search_result` for the shape."""
        queries = leniency.texts(arguments, leniency.QUERIES)
        if not queries:
            return _error("no-queries", 'Nothing was searched: write {"queries":["service action object"]}.')
        if len(queries) > MAX_QUERIES:
            return _over_cap("queries", queries, MAX_QUERIES)
        if self._budget.exhausted:
            can_ask = self._scope().row(CLARIFY) is not None
            answer = budget.refusal(self._settings.search_budget, self.found[-3:], can_ask=can_ask)
            return ToolResult(dump(answer), is_error=True)
        return self._searched(queries, self._limit(arguments.get("limit")))

    def describe(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Answer `tool_describe`: see `hermes_lite.tool_search.describe` for the shape."""
        names = leniency.texts(arguments, leniency.NAMES)
        if not names:
            return _error("no-names", 'Nothing was described: write {"names":["<tool>"]}.')
        if len(names) > MAX_NAMES:
            return _over_cap("names", names, MAX_NAMES)
        scope = self._scope()
        deferred = frozenset(row.name for row in self._deferred(scope))
        return ToolResult(describe.render(names, everything(scope), deferred, self._counter))

    def note_success(self, name: str) -> None:
        """The tool `name` ran and succeeded; if a search had found it, searching has paid off."""
        if name in self._found:
            self._budget.reset()

    def new_turn(self) -> None:
        self._budget.new_turn()

    def _searched(self, queries: Sequence[str], limit: int) -> ToolResult:
        scope = self._scope()
        catalogue = _catalogue(Rows(self._deferred(scope)), scope.statuses)
        index = index_of(catalogue)
        rankings = [index.search(query, limit) for query in queries]
        if _LOG.isEnabledFor(logging.DEBUG):
            for query in queries:
                _LOG.debug("search %s", dump(explanation(catalogue, query, limit)))
        names = [name for ranking in rankings for name in ranking.matches]
        self._budget.note(queries, names)
        self._remember(names)
        return ToolResult(search_result.render(rankings, catalogue))

    def _deferred(self, scope: Scope) -> tuple[ToolSpec, ...]:
        return () if self._settings.enabled == "off" else classify(scope.rows, self._settings).deferred

    def _remember(self, names: Sequence[str]) -> None:
        fresh = [name for name in dict.fromkeys(names) if name not in self._found]
        self._found |= dict.fromkeys(fresh)
        if fresh:
            self._on_found(fresh)

    def _limit(self, asked: Any) -> int:
        """The limit per query, clamped; whatever is no whole number means the default."""
        text = str(asked).strip()
        wanted = int(text) if text.lstrip("-").isdecimal() and len(text) < 10 else self._settings.search_default_limit
        return min(max(wanted, 1), self._settings.max_search_limit)


def everything(scope: Scope) -> Catalogue:
    """All that a name may mean in `scope`: its tools, direct or deferred, and the bridge."""
    return _catalogue(Rows((*scope.rows, *_BARE)), scope.statuses)


@lru_cache(maxsize=16)
def _catalogue(rows: Rows, statuses: tuple[SourceStatus, ...]) -> Catalogue:
    return Catalogue.of(rows, statuses)


async def search(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
    return context.resource(ToolSearch).search(arguments)


async def describe_tools(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
    return context.resource(ToolSearch).describe(arguments)


async def call_tools(_arguments: dict[str, Any], _context: ToolContext) -> ToolResult:
    return _error("not-unwrapped", f"NOT RUN: {CALL} holds no call.")


def _over_cap(what: str, items: Sequence[str], cap: int) -> ToolResult:
    parts = [list(items[start : start + cap]) for start in range(0, len(items), cap)]
    message = f"At most {cap} {what} at once, these are {len(items)}; nothing was done. Send the parts of `split`."
    return _error(f"too-many-{what}", message, split=parts)


def _error(code: str, message: str, **more: Any) -> ToolResult:
    return ToolResult(dump({"error": code, "message": message, **more}), is_error=True)


def _row(name: str, description: str, parameters: Mapping[str, Any], handler: Any, key: str) -> ToolSpec:
    return ToolSpec(
        name=name,
        description=description,
        parameters=parameters,
        handler=handler,
        source=BRIDGE,
        toolset="bridge",
        deferrable=False,
        parallel="safe",
        tier="silent",
        risk="read",
        idempotent=True,
        display=Display("⌕", key),
    )


_TEXTS: Mapping[str, Any] = {"type": "array", "items": {"type": "string"}}
_SEARCH_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"queries": _TEXTS, "limit": {"type": "integer", "description": "Tools per query."}},
    "required": ["queries"],
}
_DESCRIBE_SCHEMA: Mapping[str, Any] = {"type": "object", "properties": {"names": _TEXTS}, "required": ["names"]}
_CALL_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "calls": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "description": "As listed or found; a short name will do."},
                    "arguments": {"type": "object", "description": "The tool's own arguments."},
                },
                "required": ["name", "arguments"],
            },
        }
    },
    "required": ["calls"],
}
_BARE = bridge_rows("")
