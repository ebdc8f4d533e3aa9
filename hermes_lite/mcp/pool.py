"""All MCP servers of a session: started side by side, kept, and ended together.

Entering the pool returns at once; the SDK is imported by a worker thread before the first server starts, so that the
prompt stays responsive. Rows and states of every server stand in the registry, under `Source("mcp", key)`.
"""

import math
from collections.abc import Awaitable, Callable
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import anyio
from anyio.abc import TaskGroup
from anyio.to_thread import run_sync

from hermes_lite.events import Sink
from hermes_lite.mcp.grants import GrantStore
from hermes_lite.mcp.last_seen import LastSeen
from hermes_lite.mcp.limits import MEBIBYTE, Limits
from hermes_lite.mcp.process import Watchdog
from hermes_lite.mcp.results import keeper
from hermes_lite.mcp.rows import source
from hermes_lite.mcp.server_log import SdkLog
from hermes_lite.mcp.settings import Servers, ServerSettings
from hermes_lite.tools.naming import server_prefixes
from hermes_lite.tools.registry import Registry
from hermes_lite.tools.spec import Ask, SourceStatus

if TYPE_CHECKING:
    from hermes_lite.mcp.server_task import House, ServerTask
    from hermes_lite.mcp.wishes import Complete


class McpPool:
    """An async context manager, entered and left by one task.

    `servers` come with their problems, which are shown as failed servers. `cache` keeps the last seen tool lists and
    binary results, `tokens` what sign-ins have left; without that folder nobody is signed in. `ask` is how a server's
    questions reach the person; without it every one is declined. `complete` lends the model to the servers that the
    person has switched it on for; without it to none.
    """

    def __init__(
        self,
        servers: Servers,
        registry: Registry,
        sink: Sink,
        *,
        limits: Limits,
        logs: Path,
        cache: Path,
        cwd: Path,
        tokens: Path | None = None,
        ask: Ask | None = None,
        complete: "Complete | None" = None,
    ) -> None:
        self._servers = servers
        self._registry = registry
        self._sink = sink
        self._limits = limits
        self._logs = logs
        self._cache = cache
        self._cwd = cwd
        self._tokens = tokens
        self._ask = ask
        self._complete = complete
        self._watchdog = Watchdog()
        self._log: SdkLog | None = None
        self._tasks: dict[str, ServerTask] = {}
        self._scopes: dict[str, anyio.CancelScope] = {}
        self._group: TaskGroup | None = None
        self._begun = anyio.Event()
        self._house: House | None = None
        self._opening = anyio.Lock()

    async def __aenter__(self) -> Self:
        for problem in self._servers.problems:
            if problem.fatal:
                self._registry.mark(source(problem.key), "failed", problem.text)
        for server in self._servers.servers:
            resting = not server.enabled or server.hold
            self._registry.mark(source(server.key), "disabled" if resting else "connecting", server.hold)
        self._group = anyio.create_task_group()
        await self._group.__aenter__()
        self._group.start_soon(self._begin)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End every server. What ended the session is not wrapped into a group of exceptions on its way out."""
        assert self._group is not None
        self._group.cancel_scope.cancel()
        try:
            await self._group.__aexit__(None, None, None)
        finally:
            self._watchdog.close()
            if self._log is not None:
                self._log.close()

    def statuses(self) -> tuple[SourceStatus, ...]:
        """How every server stands, by name."""
        return tuple(status for status in self._registry.statuses() if status.source.kind == "mcp")

    async def wait_settled(self, seconds: float = math.inf) -> tuple[SourceStatus, ...]:
        """Wait until no server is connecting any more, at most `seconds`; how they stand then."""
        with anyio.move_on_after(seconds):
            await self._begun.wait()
            for task in list(self._tasks.values()):
                await task.settled()
        return self.statuses()

    def reconnect(self, key: str) -> None:
        """Close and open the server afresh. Raises `KeyError` for one that is not running."""
        self._tasks[key].reconnect()

    async def start(self, server: ServerSettings) -> None:
        """Start a server that was not running, or end it and start it as it is defined now."""
        self._registry.mark(source(server.key), "connecting")
        self._end(server.key)
        await self._launch(server)

    def stop(self, key: str) -> None:
        """End a server for the rest of the session; its tools go at once. Unknown ones are left alone."""
        if key in self._scopes:
            self._end(key)
            self._registry.mark(source(key), "disabled", "switched off for this session")

    def instructions(self) -> dict[str, str]:
        """What the connected servers say about their own use, by key; servers that say nothing are left out."""
        return {
            key: task.instructions for key, task in sorted(self._tasks.items()) if task.live and task.instructions
        }

    def prompts(self) -> dict[str, str]:
        """The prompts of the connected servers, one line each, by key."""
        return {key: task.extras.prompt_list() for key, task in sorted(self._tasks.items()) if task.extras.prompts}

    def last_words(self, key: str) -> tuple[str, ...]:
        """The last lines that a server wrote beside the protocol in its latest run; none for an unknown one."""
        task = self._tasks.get(key)
        return task.last_words() if task else ()

    def log_path(self, key: str) -> Path | None:
        """The log file of a server that was started in this session."""
        task = self._tasks.get(key)
        return task.log_path if task else None

    async def _begin(self) -> None:
        for server in self._servers.servers:
            if server.enabled and not server.hold:
                await self._launch(server)
        self._begun.set()

    async def _launch(self, server: ServerSettings) -> None:
        async with self._opening:
            house = self._house = self._house or await self._open()
        from hermes_lite.mcp.server_task import ServerTask

        assert self._group is not None
        keys = {*self._tasks, *(known.key for known in self._servers.servers), server.key}
        task = ServerTask(server, server_prefixes(sorted(keys))[server.key], house)
        scope = anyio.CancelScope()
        self._tasks[server.key], self._scopes[server.key] = task, scope
        self._group.start_soon(_within, scope, task.run)

    def _end(self, key: str) -> None:
        if key in self._scopes:
            self._scopes.pop(key).cancel()
            del self._tasks[key]

    async def _open(self) -> "House":
        """What the servers share; importing it loads the SDK."""
        self._log = SdkLog(self._logs, int(self._limits.log_limit * MEBIBYTE))
        await run_sync(import_module, "hermes_lite.mcp.server_task")
        from hermes_lite.mcp.server_task import House

        return House(
            registry=self._registry,
            sink=self._sink,
            limits=self._limits,
            logs=self._logs,
            cwd=self._cwd,
            seen=LastSeen(self._cache),
            keep=keeper(self._cache / "mcp" / "files"),
            watchdog=self._watchdog,
            gate=anyio.Semaphore(self._limits.concurrent_starts),
            ask=self._ask,
            complete=self._complete,
            grants=GrantStore(self._tokens) if self._tokens else None,
        )


async def _within(scope: anyio.CancelScope, run: Callable[[], Awaitable[None]]) -> None:
    with scope:
        await run()
