"""What a row's handler does: one call over the session that is open now, told to the model as it was.

Rows never hold a session: a server that was connected again is reached through the same rows. A call under way when
the connection ends has an unknown outcome, and is made again only when the tool says that this does no harm, or when
the server says that it did not take it.
"""

import re
from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeAlias

import mcp_types as types
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from hermes_lite.errors import reason
from hermes_lite.events import CallProgress
from hermes_lite.mcp.extras import GET_PROMPT, READ_RESOURCE, Extras, prompt_text
from hermes_lite.mcp.limits import Limits
from hermes_lite.mcp.live import CallTimeout, Live
from hermes_lite.mcp.results import Keep, resource_text, tool_result
from hermes_lite.mcp.rows import Target
from hermes_lite.mcp.settings import ServerSettings
from hermes_lite.text import harmless, one_line
from hermes_lite.tools.spec import SourceState, ToolContext, ToolResult

_UNREADABLE = re.compile("Failed to parse (JSON response|SSE message)")
_Attempt: TypeAlias = Callable[[Live], Awaitable[ToolResult]]


class Server(Protocol):
    """The part of a server's task that a call needs."""

    server: ServerSettings
    live: Live | None
    state: SourceState
    extras: Extras

    @property
    def wants_sign_in(self) -> bool: ...

    @property
    def refusal(self) -> str: ...

    def reconnect(self) -> None: ...

    async def ready_again(self, before: Live) -> Live | None: ...


class Calls:
    def __init__(self, task: Server, limits: Limits, keep: Keep) -> None:
        self._task = task
        self._limits = limits
        self._keep = keep
        self._extra: dict[str, Callable[[Live, dict[str, Any]], Awaitable[ToolResult]]] = {
            READ_RESOURCE: self._read_resource,
            GET_PROMPT: self._get_prompt,
        }

    async def call(self, target: Target, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        """Run one call; whatever happens to it becomes a result."""
        live = self._task.live
        if live is None:
            return _error(f"NOT RUN: the server {self._key!r} is not connected ({self._task.state}).")
        attempt = self._attempt(target, arguments, context)
        try:
            return await attempt(live)
        except MCPError as error:
            return await self._after(error, live, attempt, target)
        except CallTimeout:
            return _error(
                f"TIMED OUT after {self._patience:g} s without an answer. The server was told to stop; whether "
                f"{target.name!r} took effect is unknown. Check before calling it again."
            )
        except ValidationError as error:
            return _error(
                f"{target.name!r} ran, but its answer is not what the protocol says: {one_line(str(error))}."
            )

    @property
    def _key(self) -> str:
        return self._task.server.key

    @property
    def _patience(self) -> float:
        return self._task.server.timeout or self._limits.call_timeout

    def _attempt(self, target: Target, arguments: dict[str, Any], context: ToolContext) -> _Attempt:
        extra = self._extra.get(target.name)
        if target.is_extra and extra is not None:
            return lambda live: extra(live, arguments)

        def progress(text: str) -> None:
            context.sink(CallProgress(context.call_id, one_line(text)))

        async def attempt(live: Live) -> ToolResult:
            result, note = await live.call(
                target.name, arguments, patience=self._patience, most=self._limits.call_most, show=progress
            )
            return tool_result(result, self._keep, note)

        return attempt

    async def _after(self, error: MCPError, live: Live, attempt: _Attempt, target: Target) -> ToolResult:
        """The result of a call that the server refused, or during which the connection ended."""
        if self._task.wants_sign_in:
            self._task.reconnect()
            return _error(f"NOT RUN: {self._key!r} wants a sign-in: `hermes-lite mcp login {self._key}`.")
        refused_session = _is_unknown_session(error)
        if not refused_session and error.code != types.CONNECTION_CLOSED:
            why = " · ".join(filter(None, (complaint(error), self._task.refusal)))
            return _error(f"{self._key} refused the call: {harmless(why)}")
        if refused_session:
            self._task.reconnect()
        if refused_session or target.repeatable:
            again = await self._task.ready_again(live)
            if again is not None:
                return await self._once_more(attempt, again)
        if refused_session:
            return _error(f"NOT RUN: the session with {self._key!r} had ended and could not be opened again.")
        return _error(
            f"OUTCOME UNKNOWN: the connection to {self._key!r} ended during the call. It may have taken effect. "
            "Check before calling it again."
        )

    async def _once_more(self, attempt: _Attempt, live: Live) -> ToolResult:
        try:
            return await attempt(live)
        except (MCPError, CallTimeout, ValidationError) as error:
            return _error(
                f"The connection to {self._key!r} ended; the call was made again and failed: {reason(error)}"
            )

    async def _read_resource(self, live: Live, arguments: dict[str, Any]) -> ToolResult:
        if not arguments.get("uri"):
            return ToolResult(self._task.extras.resource_list())
        parts = await live.read_resource(str(arguments["uri"]))
        return ToolResult(harmless("\n".join(resource_text(part, self._keep) for part in parts)))

    async def _get_prompt(self, live: Live, arguments: dict[str, Any]) -> ToolResult:
        if not arguments.get("name"):
            return ToolResult(self._task.extras.prompt_list())
        given = {str(name): str(value) for name, value in (arguments.get("arguments") or {}).items()}
        return ToolResult(harmless(prompt_text(await live.prompt(str(arguments["name"]), given))))


def complaint(error: MCPError) -> str:
    """What the server said, or in our words that nobody can read it."""
    return "its answer is not what the protocol says" if _UNREADABLE.match(error.message) else error.message


def _is_unknown_session(error: MCPError) -> bool:
    """Whether the server says that it does not know our session, and so has run nothing.

    404 is what the specification asks for (the SDK words it "Session terminated"); some servers answer 400 instead.
    """
    words = error.message.lower()
    return words == "session terminated" or ("session" in words and ("not found" in words or "no valid" in words))


def _error(text: str) -> ToolResult:
    return ToolResult(text, is_error=True)
