"""`session_search`: what was said in earlier conversations. Who keeps and searches them is not settled here."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import anyio.to_thread

from hermes_lite.tools.spec import ToolContext, ToolResult

DEFAULT_HITS = 10


class Hit(Protocol):
    """One message that matches: whose session, when (ISO 8601), who said it, and the words around the match."""

    @property
    def session_id(self) -> str: ...
    @property
    def at(self) -> str: ...
    @property
    def role(self) -> str: ...
    @property
    def excerpt(self) -> str: ...


Find: TypeAlias = Callable[[str, int, str], Sequence[Hit]]


@dataclass(frozen=True, slots=True)
class SessionHistory:
    """Searches the past: `find(query, limit, id of the session to leave out)`. May block; called in a thread."""

    find: Find


async def session_search(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
    query = arguments["query"]
    history = context.resource(SessionHistory)
    hits = await anyio.to_thread.run_sync(
        history.find, query, arguments.get("limit", DEFAULT_HITS), context.session_id, abandon_on_cancel=True
    )
    if not hits:
        return ToolResult(f"No earlier conversation holds all the words of {query!r}. Try fewer or other words.")
    return ToolResult("\n".join(f"{hit.session_id} {hit.at[:16]} {hit.role}: {hit.excerpt}" for hit in hits))
