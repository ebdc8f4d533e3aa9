"""Connections to servers: a pair of message streams as the SDK's session wants them, over stdio, HTTP or SSE.

Each kind is an async context manager that must be entered and left by the same task. The stdio reader is our own: it
survives noise, lines of many megabytes and lone surrogates, and it stops the whole process group. Every connection
passes what it receives through a `Tap`, which mends results and tells when the other side has gone.
"""

import json
import os
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

import anyio
import httpx2
import mcp_types as types
from anyio.abc import Process, TaskGroup
from anyio.streams.memory import MemoryObjectSendStream
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage

from hermes_lite.mcp.challenge import missing_scope
from hermes_lite.mcp.process import Watchdog, ending, environment, resolved, start, stop
from hermes_lite.mcp.server_log import Log
from hermes_lite.mcp.settings import ServerSettings
from hermes_lite.mcp.wire import Lines, LineTooLong, lawful, mend, parsed
from hermes_lite.text import cut, one_line, utf8

_CHUNK = 256 * 1024
_QUOTED = 80
_OTHER_HTTP = frozenset((400, 404, 405))
_FINAL = frozenset((400, 403, 404, 405, 406, 410, 415, 501))


class Connection(Protocol):
    """What the lifecycle of a server needs to know of its connection.

    `needs_auth`: the server wants a sign-in. `refused`: it answered in a way that trying again will not change.
    `speaks_other_http`: it answered as servers of the older HTTP transport do.
    """

    needs_auth: bool
    refused: bool
    speaks_other_http: bool

    async def __aenter__(self) -> "tuple[Tap, WriteStream[SessionMessage]]": ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def blame(self) -> str:
        """Why the other side refused or went away, in one line; empty when it is not known here."""
        ...


class Tap:
    """A read stream that mends results on their way and calls `on_end` once when nothing more will come."""

    def __init__(self, stream: ReadStream[SessionMessage | Exception], on_end: Callable[[], None]) -> None:
        self._stream = stream
        self._on_end = on_end

    @property
    def last_context(self) -> Any:
        return getattr(self._stream, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        try:
            item = await self._stream.receive()
        except (anyio.EndOfStream, anyio.ClosedResourceError):
            self._on_end()
            raise
        if isinstance(item, SessionMessage) and isinstance(item.message, types.JSONRPCResponse):
            item.message.result = mend(item.message.result)
        return item

    async def aclose(self) -> None:
        await self._stream.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


class Stdio:
    """A server that is a program of ours."""

    needs_auth = False
    refused = False
    speaks_other_http = False

    def __init__(
        self,
        server: ServerSettings,
        *,
        cwd: Path,
        log: Log,
        watchdog: Watchdog,
        grace: float,
        line_limit: int,
        on_end: Callable[[], None],
    ) -> None:
        self._server = server
        self._cwd = cwd
        self._log = log
        self._watchdog = watchdog
        self._grace = grace
        self._lines = Lines(line_limit)
        self._on_end = on_end
        self._fault = ""
        self._spoke = self._hung_up = self._left = False
        self._process: Process | None = None
        self._tasks: TaskGroup | None = None

    async def __aenter__(self) -> tuple[Tap, WriteStream[SessionMessage]]:
        env = environment(self._server, os.environ)
        command = resolved(self._server, env, self._cwd)
        process = await start(
            command, {**env, **self._watchdog.mark()}, self._server.cwd or self._cwd, self._log.file
        )
        self._process = process
        self._watchdog.add(process.pid)
        arriving, arrived = anyio.create_memory_object_stream[SessionMessage | Exception]()
        self._tasks = anyio.create_task_group()
        await self._tasks.__aenter__()
        self._tasks.start_soon(self._read, process, arriving)
        return Tap(arrived, self._on_end), _Input(process)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process is not None and self._tasks is not None
        self._hung_up |= self._process.returncode is not None
        self._tasks.cancel_scope.cancel()
        try:
            await self._tasks.__aexit__(kind, error, trace)
        finally:
            with anyio.CancelScope(shield=True):
                await self._leave(self._process)
            self._watchdog.drop(self._process.pid)

    def blame(self) -> str:
        if self._fault:
            return self._fault
        code = self._process.returncode if self._process and self._hung_up and self._left else None
        if code == 0 and self._log.first_noise and not self._spoke:
            return f"it is no MCP server: it printed “{cut(one_line(self._log.first_noise), _QUOTED)}” and ended"
        words = one_line(" | ".join(self._log.tail(3)))
        return ": ".join(part for part in (ending(code) if code is not None else "", words) if part)

    async def _leave(self, process: Process) -> None:
        """Stop the process while its last output is read and thrown away: a full pipe would keep it from leaving."""
        async with anyio.create_task_group() as draining:
            draining.start_soon(_drain, process)
            self._left = await stop(process, self._grace)
            draining.cancel_scope.cancel()

    async def _read(self, process: Process, arriving: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        assert process.stdout is not None
        async with arriving:
            with suppress(anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
                while True:
                    await self._deliver(await process.stdout.receive(_CHUNK), arriving)
            self._hung_up = True

    async def _deliver(self, chunk: bytes, arriving: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        """Pass the messages in `chunk` on."""
        try:
            for line in self._lines.feed(chunk):
                message = _parse(line)
                if message is None:
                    self._log.noise(line)
                    continue
                self._spoke = True
                with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                    await arriving.send(SessionMessage(message))
        except LineTooLong as error:
            self._fault = f"it sent {error}"
            raise anyio.EndOfStream from error


class _Input:
    """A server's standard input as a stream of messages; written to by whichever task has something to say."""

    def __init__(self, process: Process) -> None:
        assert process.stdin is not None
        self._stdin = process.stdin

    async def send(self, item: SessionMessage, /) -> None:
        try:
            await self._stdin.send(_encode(item.message))
        except OSError as error:
            raise anyio.BrokenResourceError from error

    async def aclose(self) -> None:
        """Left to `stop`, which closes the pipe as the first step of ending the process."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


class Http:
    """A server behind a URL, by streamable HTTP or by the older SSE transport."""

    def __init__(
        self,
        server: ServerSettings,
        *,
        auth: httpx2.Auth | None,
        connect_timeout: float,
        line_limit: int,
        on_end: Callable[[], None],
    ) -> None:
        self._server = server
        self._auth = auth
        self._timeout = httpx2.Timeout(connect_timeout, read=None)
        self._line_limit = line_limit
        self._on_end = on_end
        self._stack = AsyncExitStack()
        self._refusal = ""
        self.needs_auth = False
        self.refused = False
        self.speaks_other_http = False

    async def __aenter__(self) -> tuple[Tap, WriteStream[SessionMessage]]:
        if self._server.wire == "sse":
            context: Any = sse_client(self._server.url, httpx_client_factory=self._client)
        else:
            client = await self._stack.enter_async_context(self._client())
            context = streamable_http_client(
                self._server.url, http_client=client, max_sse_event_size=self._line_limit
            )
        reading, writing = await self._stack.enter_async_context(context)
        return Tap(reading, self._on_end), writing

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.__aexit__(kind, error, trace)

    def blame(self) -> str:
        return self._refusal

    def _client(
        self,
        headers: dict[str, str] | None = None,
        timeout: httpx2.Timeout | None = None,
        auth: httpx2.Auth | None = None,
    ) -> httpx2.AsyncClient:
        """The client with our own settings; the arguments are there because the SSE transport passes its own."""
        return httpx2.AsyncClient(
            headers=dict(self._server.headers),
            timeout=self._timeout,
            auth=self._auth,
            event_hooks={"response": [self._note]},
        )

    async def _note(self, response: httpx2.Response) -> None:
        """Remember what was wrong with the latest answer: the SDK's own errors no longer say."""
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        self.needs_auth = response.status_code == 401 or missing_scope(response) is not None
        is_page = response.status_code < 400 and kind == "text/html"
        self.refused = is_page or response.status_code in _FINAL
        self.speaks_other_http = response.status_code in _OTHER_HTTP
        self._refusal = ""
        if response.status_code >= 400:
            self._refusal = f"HTTP {response.status_code} {response.reason_phrase}".strip()
        elif is_page:
            self._refusal = f"the address answers with {kind}: a web page, not an MCP server"


async def _drain(process: Process) -> None:
    assert process.stdout is not None
    with suppress(anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
        while True:
            await process.stdout.receive(_CHUNK)


def _parse(line: bytes) -> types.JSONRPCMessage | None:
    """The message on `line`, `None` when it is noise."""
    with suppress(ValueError, RecursionError):
        return types.jsonrpc_message_adapter.validate_python(lawful(parsed(line)), by_name=False)
    return None


def _encode(message: types.JSONRPCMessage) -> bytes:
    plain = message.model_dump(by_alias=True, exclude_unset=True)
    return utf8(json.dumps(plain, ensure_ascii=False, separators=(",", ":"))) + b"\n"
