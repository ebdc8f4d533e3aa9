"""One server from start to end: a single task opens its connection, serves it, and closes it again.

States go to the registry as they change. A connection that ends is opened again after a growing pause; a server whose
program or address is wrong, or that wants a sign-in, is left alone until it is asked for again. How a call is made
over the open session is `calls`' business.
"""

import math
from collections.abc import Awaitable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import anyio
import httpx2
import mcp_types as types
from anyio.to_thread import run_sync
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from hermes_lite.errors import reason
from hermes_lite.events import Notice, Sink
from hermes_lite.mcp.bearer import Bearer
from hermes_lite.mcp.calls import Calls, complaint
from hermes_lite.mcp.extras import Extras
from hermes_lite.mcp.grants import GrantStore
from hermes_lite.mcp.last_seen import LastSeen, changes
from hermes_lite.mcp.limits import MEBIBYTE, Limits
from hermes_lite.mcp.live import Live
from hermes_lite.mcp.process import CannotStart, Watchdog
from hermes_lite.mcp.results import Keep
from hermes_lite.mcp.rows import Tool, clean, source, tool_rows
from hermes_lite.mcp.server_log import Log
from hermes_lite.mcp.settings import ServerSettings
from hermes_lite.mcp.transport import Connection, Http, Stdio
from hermes_lite.mcp.wishes import Complete
from hermes_lite.text import cut, one_line
from hermes_lite.tools.registry import Registry
from hermes_lite.tools.spec import Ask, SourceState

_DETAIL = 160
_REASON = 300
_CHANGES_SHOWN = 3
_WORDS = 10
_EXTRAS_PATIENCE = 5
_TRIM_EVERY = 60
# While strangers' messages are read: transports, parsers, and the SDK where it takes a shape for granted.
_FAULTS = (
    *(MCPError, CannotStart, httpx2.HTTPError, httpx2.InvalidURL, OSError, RuntimeError, ValueError),
    *(
        anyio.BrokenResourceError,
        anyio.ClosedResourceError,
        anyio.EndOfStream,
        LookupError,
        TypeError,
        AttributeError,
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """What all servers of a pool share. `gate` bounds how many of them start at the same time."""

    registry: Registry
    sink: Sink
    limits: Limits
    logs: Path
    cwd: Path
    seen: LastSeen
    keep: Keep
    watchdog: Watchdog
    gate: anyio.Semaphore
    ask: Ask | None
    complete: Complete | None
    grants: GrantStore | None


@dataclass(frozen=True, slots=True)
class _End:
    """How a connection ended. `final`: trying again soon will not help."""

    state: SourceState
    reason: str
    final: bool = False


class ServerTask:
    """The life of one server. `run` is the task; everything else may be called from other tasks."""

    def __init__(self, server: ServerSettings, prefix: str, house: House) -> None:
        self.server = server
        self.live: Live | None = None
        self.state: SourceState = "connecting"
        self.extras = Extras()
        self.instructions = ""
        self._told: tuple[str, bool] | None = None
        self._log: Log | None = None
        self._link: Connection | None = None
        self._calls = Calls(self, house.limits, house.keep)
        self._prefix = prefix
        self._house = house
        self._source = source(server.key)
        self._scope = anyio.CancelScope()
        self._wanted = anyio.Event()
        self._news = anyio.Event()
        self._moved = anyio.Event()
        self._ready_since = math.inf
        self._ended = self._stale = False

    async def run(self) -> None:
        """Serve until cancelled."""
        tries = 0
        while True:
            self._wanted = anyio.Event()
            self._ready_since = math.inf
            end = await self._life()
            if self._should_try_sse():
                self.server = replace(self.server, wire="sse", guessed=False)
                continue
            tries = 1 if self._has_lasted else tries + 1
            if not self._wanted.is_set():
                await self._rest(end, self._pause(end, tries), tries)
            if self._wanted.is_set():
                tries = 0

    async def _rest(self, end: _End, pause: float | None, tries: int) -> None:
        """Tell how the connection ended and wait for the next attempt: until its time, or until it is asked for."""
        outlook = self._outlook(end, pause, tries)
        self._mark(end.state, cut(end.reason, _DETAIL - len(outlook)) + outlook)
        if pause is None or self._has_worked(end):
            self._tell_once((end.reason, pause is None), f"{self.server.key}: {end.reason}{outlook}")
        with anyio.move_on_after(math.inf if pause is None else pause):
            await self._wanted.wait()

    def reconnect(self) -> None:
        """Close the connection, if there is one, and open it afresh now."""
        self._mark("connecting", "")
        self._wanted.set()
        self._scope.cancel()

    async def settled(self) -> None:
        """Wait until the server is anything but connecting."""
        while self.state == "connecting":
            await self._moved.wait()

    async def ready_again(self, before: Live) -> Live | None:
        """The session that takes the place of `before`; `None` when it has not come within the time to connect."""
        with anyio.move_on_after(self._connect_timeout):
            while self.live is None or self.live is before:
                await self._moved.wait()
            return self.live
        return None

    def last_words(self) -> tuple[str, ...]:
        """The last lines that the server wrote beside the protocol in its latest run."""
        return self._log.tail(_WORDS) if self._log else ()

    @property
    def wants_sign_in(self) -> bool:
        """Whether the server's latest answer was that nobody, or nobody any more, is signed in."""
        return self._link is not None and self._link.needs_auth

    @property
    def refusal(self) -> str:
        """What the address answered last instead of speaking the protocol; empty when it spoke it."""
        return self._link.blame() if self._link is not None and self.server.wire != "stdio" else ""

    @property
    def log_path(self) -> Path | None:
        """The log file, once the server has been started."""
        return self._log.path if self._log else None

    @property
    def _was_ready(self) -> bool:
        return self._ready_since < math.inf

    @property
    def _has_lasted(self) -> bool:
        """Whether the connection was ready so long that its end is a new trouble, not one of a loop of crashes."""
        return anyio.current_time() - self._ready_since > self._house.limits.reconnect_most

    @property
    def _connect_timeout(self) -> float:
        return self.server.connect_timeout or self._house.limits.connect_timeout

    def _should_try_sse(self) -> bool:
        """Whether an address that nobody has named the wire of answers like a server of the older transport."""
        guessed = self.server.guessed and self.server.wire == "http" and not self._was_ready
        return guessed and self._link is not None and self._link.speaks_other_http

    def _pause(self, end: _End, tries: int) -> float | None:
        """Seconds to the next attempt, `None` when there will be none unasked.

        A program that has never worked gets one second chance only: it would fail the same way each time.
        """
        limits = self._house.limits
        most = limits.reconnect_tries if self._has_worked(end) else min(1, limits.reconnect_tries)
        if end.final or tries > most:
            return None
        return min(limits.reconnect_first * 2.0 ** (tries - 1), limits.reconnect_most)

    def _has_worked(self, end: _End) -> bool:
        """Whether the trouble may pass: an address may be down for a while, a program that never worked is wrong."""
        return end.state == "gone" or self.server.wire != "stdio"

    def _outlook(self, end: _End, pause: float | None, tries: int) -> str:
        """What will come after `end`, as a remark behind its reason; empty where that says it."""
        if pause is not None:
            return f"; next attempt in {pause:g} s"
        if end.final or tries < 2:
            return ""
        return f"; given up after {tries} attempts, `/mcp reload {self.server.key}` tries again"

    async def _life(self) -> _End:
        """One connection, from waiting for a place to start until it has ended."""
        async with _Place(self._house.gate) as place:
            limit = int(self._house.limits.log_limit * MEBIBYTE)
            with closing(Log(self._house.logs, self.server.key, limit)) as log:
                self._log = log
                self._link = self._connection(log)
                return await self._linked(self._link, place)

    async def _linked(self, connection: Connection, place: "_Place") -> _End:
        failure: BaseException | None = None
        self._ended = self._stale = False
        self._scope = anyio.CancelScope(deadline=anyio.current_time() + self._connect_timeout)
        try:
            with self._scope:
                await self._connected(connection, place)
        except* _FAULTS as group:
            failure = _first(group)
        finally:
            self.live = None
        return self._end(connection, failure)

    async def _connected(self, connection: Connection, place: "_Place") -> None:
        async with connection as (reading, writing):
            live = Live(
                self.server.key,
                reading,
                writing,
                cwd=self._house.cwd,
                ask=self._house.ask,
                complete=self._house.complete if self.server.sampling else None,
                on_list_changed=self._list_changed,
            )
            async with live.session:
                await live.greet()
                await self._publish(live)
                self._scope.deadline = math.inf
                place.leave()
                await self._serve(live)

    async def _serve(self, live: Live) -> None:
        """Follow the server's changes until its connection ends. Pings only an idle server behind a URL."""
        keepalive = self._house.limits.keepalive if self.server.wire != "stdio" else _TRIM_EVERY
        while not self._ended:
            self._news = anyio.Event()
            if self._stale:
                await self._bounded(self._publish(live), "it did not list its tools in time")
                continue
            with anyio.move_on_after(keepalive or math.inf) as silence:
                await self._news.wait()
            if self._log is not None:
                self._log.trim()
            if silence.cancelled_caught and self.server.wire != "stdio" and live.idle and live.has_ping:
                await self._bounded(live.ping(), "it did not answer a ping")

    async def _bounded(self, exchange: Awaitable[None], complaint: str) -> None:
        """Give up the connection when the server does not answer within the time to connect."""
        with anyio.move_on_after(self._connect_timeout) as scope:
            await exchange
        if scope.cancelled_caught:
            raise TimeoutError(complaint)

    async def _publish(self, live: Live) -> None:
        """List everything the server offers and put its rows into the registry."""
        self._stale = False
        tools = await self._listed(live)
        with anyio.move_on_after(_EXTRAS_PATIENCE):
            self.extras = await live.extras()
        self.instructions = "" if self.server.untrusted else clean(live.instructions)
        offered = [*tools, *self.extras.tools(tools)]
        rows, dropped = await run_sync(tool_rows, self.server, offered, self._prefix, self._calls.call)
        await self._remember(tools)
        came_back = self.state not in ("connecting", "ready")
        self.live = live
        self._ready_since = min(self._ready_since, anyio.current_time())
        self._told = None
        self._house.registry.replace(self._source, rows, dropped)
        self._move("ready")
        if came_back:
            self._tell("info", f"{self.server.key}: connected, {len(rows)} tools")

    async def _listed(self, live: Live) -> list[Tool]:
        """The tools; a server that has some and lists none is asked once more, a moment later."""
        tools = await live.tools()
        if not tools and live.offers.tools is not None:
            await anyio.sleep(self._house.limits.reconnect_first)
            tools = await live.tools()
        return list(tools)

    async def _remember(self, tools: list[Tool]) -> None:
        """Tell what differs from the list last seen, and keep the new one."""
        before = await run_sync(self._house.seen.tools, self.server.key) or ()
        if list(before) == tools:
            return
        await run_sync(self._house.seen.keep, self.server.key, tools)
        found = () if self.server.trusted else changes(before, tools)
        for change in found[:_CHANGES_SHOWN]:
            self._tell("warning", f"{self.server.key} changed {change}")
        if len(found) > _CHANGES_SHOWN:
            self._tell("warning", f"{self.server.key} changed {len(found) - _CHANGES_SHOWN} more of its tools")

    def _end(self, connection: Connection, failure: BaseException | None) -> _End:
        """What became of a connection that is closed now."""
        if connection.needs_auth:
            return _End("needs_auth", f"sign in with `hermes-lite mcp login {self.server.key}`", final=True)
        state: SourceState = "gone" if self._was_ready else "failed"
        blame = connection.blame()
        parts = [blame] if blame and self.server.wire != "stdio" else [self._complaint(failure), blame]
        reason = cut(one_line(": ".join(part for part in parts if part)) or "the connection ended", _REASON)
        return _End(state, reason, final=isinstance(failure, CannotStart) or connection.refused)

    def _complaint(self, failure: BaseException | None) -> str:
        match failure:
            case None if self._scope.cancelled_caught:
                return f"no answer within {self._connect_timeout:g} s"
            case MCPError() if failure.code == types.CONNECTION_CLOSED:
                return ""
            case MCPError():
                return complaint(failure)
            case httpx2.ConnectError():
                return f"{httpx2.URL(self.server.url).netloc.decode()} cannot be reached: {reason(failure)}"
            case ValidationError():
                return "its answer is not what the protocol says"
            case None:
                return ""
            case _:
                return reason(failure)

    def _connection(self, log: Log) -> Connection:
        limits = self._house.limits
        line_limit = int(limits.line_limit * MEBIBYTE)
        if self.server.wire == "stdio":
            return Stdio(
                self.server,
                cwd=self._house.cwd,
                log=log,
                watchdog=self._house.watchdog,
                grace=limits.stop_grace,
                line_limit=line_limit,
                on_end=self._connection_ended,
            )
        return Http(
            self.server,
            auth=self._bearer(),
            connect_timeout=self._connect_timeout,
            line_limit=line_limit,
            on_end=self._connection_ended,
        )

    def _bearer(self) -> Bearer | None:
        """The token of a sign-in, unless the person has given the header themselves."""
        given = any(name.lower() == "authorization" for name in self.server.headers)
        return None if given or self._house.grants is None else Bearer(self.server.key, self._house.grants)

    def _connection_ended(self) -> None:
        self._ended = True
        self._news.set()

    def _list_changed(self) -> None:
        self._stale = True
        self._news.set()

    def _mark(self, state: SourceState, detail: str) -> None:
        self._house.registry.mark(self._source, state, detail)
        self._move(state)

    def _move(self, state: SourceState) -> None:
        self.state = state
        self._moved.set()
        self._moved = anyio.Event()

    def _tell_once(self, what: tuple[str, bool], text: str) -> None:
        """Tell why the server is not there, but not again at each attempt that fails in the same way."""
        if what != self._told:
            self._told = what
            self._tell("warning", text)

    def _tell(self, level: Literal["info", "warning"], text: str) -> None:
        self._house.sink(Notice(level, text))


class _Place:
    """A place among the servers that start at the same time; given up by `leave`, at the latest on the way out."""

    def __init__(self, gate: anyio.Semaphore) -> None:
        self._gate = gate
        self._held = False

    async def __aenter__(self) -> "_Place":
        await self._gate.acquire()
        self._held = True
        return self

    async def __aexit__(self, *_: object) -> None:
        self.leave()

    def leave(self) -> None:
        if self._held:
            self._held = False
            self._gate.release()


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first leaf: the fault itself, out of the task groups that it passed."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
