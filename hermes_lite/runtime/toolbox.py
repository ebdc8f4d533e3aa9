"""The tools of this process: built-in rows, plugins, and every MCP server behind one pool."""

from collections.abc import Sequence
from dataclasses import replace
from types import TracebackType
from typing import Self

from hermes_lite.agent.notices import absence
from hermes_lite.config import load
from hermes_lite.config.place import Place
from hermes_lite.errors import ConfigError, UsageError
from hermes_lite.events import Sink
from hermes_lite.mcp.demo_servers import definitions
from hermes_lite.mcp.last_seen import LastSeen
from hermes_lite.mcp.limits import Limits
from hermes_lite.mcp.pool import McpPool
from hermes_lite.mcp.rows import source
from hermes_lite.mcp.settings import Problem, Servers, read_mcp_json, read_servers
from hermes_lite.mcp.trust import TrustStore
from hermes_lite.mcp.wishes import Complete
from hermes_lite.plugins import load_plugins
from hermes_lite.tools.registry import Registry, Scope
from hermes_lite.tools.rows import builtin_rows
from hermes_lite.tools.spec import Ask, Source, SourceStatus, ToolSpec

ALL = "all"
_SERVERS = "mcp_servers"
_OURS = ("tools.", "mcp.")
_TOLD_AT_ONCE = frozenset(("failed", "gone", "needs_auth"))
_FEW = 3


def configured_servers(place: Place, *, demo: bool) -> Servers:
    """Every server that is configured; the person's own stand before the project's, those before the demo's."""
    cwd = place.project.root
    own = read_servers(place.config.section(_SERVERS), environ=place.environ, origin=str(place.home.config), cwd=cwd)
    project = trust_store(place).held(_project_servers(place))
    return own + project + (demo_servers(place) if demo else Servers())


def _project_servers(place: Place) -> Servers:
    """The servers of `.mcp.json`; a file that cannot be read counts as one failed server, so that it is seen."""
    file = place.project.mcp_json
    try:
        return read_mcp_json(file, environ=place.environ, cwd=place.project.root)
    except ConfigError as error:
        return Servers(problems=(Problem(file.name, error.message),))


def trust_store(place: Place) -> TrustStore:
    """Which servers of the project folder may be started."""
    return TrustStore(place.home.root / "trusted-servers.json", place.project.root)


def demo_servers(place: Place) -> Servers:
    """The servers that ship with the product and stand beside the demo model."""
    return read_servers(definitions(place.home), environ=place.environ, origin="the demo", cwd=place.project.root)


class Toolbox:
    """An async context manager, entered and left by one task; entering returns before any server has connected.

    With `offline` no server is started: their last seen tool lists stand in, and calling one answers an error.
    """

    def __init__(
        self,
        place: Place,
        sink: Sink,
        *,
        demo: bool = False,
        offline: bool = False,
        ask: Ask | None = None,
        complete: Complete | None = None,
    ) -> None:
        self.registry = Registry()
        self.servers = configured_servers(place, demo=demo)
        self.plugins = load_plugins(place.config.get("plugins.enabled"), place.home.plugins)
        self._place = place
        self._demo = demo
        self._offline = offline
        self._pool = McpPool(
            Servers() if offline else self.servers,
            self.registry,
            sink,
            limits=Limits.read(place.config.section("mcp")),
            logs=place.home.logs,
            cache=place.home.cache,
            tokens=place.home.tokens,
            cwd=place.project.root,
            ask=ask,
            complete=complete,
        )

    def check(self, toolsets: Sequence[str]) -> None:
        """Raise `UsageError` for a toolset that neither the built-in tools nor a plugin nor a server has."""
        attached = {server.key for server in self.servers.servers} | {p.source.label for p in self.plugins}
        known = {row.toolset for row in builtin_rows()} | attached | {ALL}
        for name in toolsets:
            if name not in known:
                raise UsageError(f"there is no toolset {name!r}", mend=f"There are {', '.join(sorted(known))}.")

    async def __aenter__(self) -> Self:
        _register(self.registry, builtin_rows())
        for plugin in self.plugins:
            self.registry.replace(plugin.source, plugin.rows, plugin.dropped)
            if plugin.fault:
                self.registry.mark(plugin.source, "failed", plugin.fault)
        if self._offline:
            self._register_last_seen()
        await self._pool.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._pool.__aexit__(kind, error, trace)

    @property
    def pool(self) -> McpPool:
        return self._pool

    def scope(self, toolsets: Sequence[str] = ()) -> Scope:
        """What a session is granted now: the toolsets named, else those of the configuration."""
        names = toolsets or self._place.config.get("tools.toolsets")
        return self.registry.scope(None if ALL in names else names)

    async def settle(self, seconds: float, *, heard: bool = False) -> tuple[str, ...]:
        """Wait at most `seconds` for the servers; a line for each that is not there then.

        Somebody who has `heard` of each server's failure as it happened is not told of it again.
        """
        await self._pool.wait_settled(seconds)
        told = frozenset(s.source for s in self._pool.statuses() if heard and s.state in _TOLD_AT_ONCE)
        return missing([status for status in self.registry.statuses() if status.source not in told])

    def edited(self) -> tuple[str, ...]:
        """Keys about tools that were written since and hold from the next start on; servers count as one of them."""
        place = self._place_now()
        before = dict(self._place.config.items())
        keys = [key for key, value in place.config.items() if key.startswith(_OURS) and before.get(key) != value]
        if configured_servers(place, demo=self._demo) != self.servers:
            keys.append(_SERVERS)
        return tuple(keys)

    async def reload(self, key: str = "") -> None:
        """Open the connection of `key`, or of every server, afresh, as the configuration defines it now.

        Raises `UsageError` for a server that there is not.
        """
        self.servers = configured_servers(self._place_now(), demo=self._demo)
        wanted = [server for server in self.servers.servers if server.enabled and not server.hold]
        chosen = [server for server in wanted if key in ("", server.key)]
        if key and not chosen:
            known = ", ".join(server.key for server in wanted) or "none"
            raise UsageError(f"there is no server {key!r} to start", mend=f"Configured: {known}.")
        for server in chosen:
            await self._pool.start(server)
        for status in self._pool.statuses() if not key else ():
            if status.source.label not in {server.key for server in wanted}:
                self._pool.stop(status.source.label)

    def _place_now(self) -> Place:
        """The place with its configuration as the files have it by now."""
        return replace(self._place, config=load(self._place.home, self._place.project, self._place.environ))

    def _register_last_seen(self) -> None:
        usable = [server for server in self.servers.servers if server.enabled and not server.hold]
        seen = LastSeen(self._place.home.cache)
        _register(self.registry, seen.rows(usable))
        for server in usable:
            if seen.tools(server.key) is None:
                self.registry.mark(source(server.key), "failed", "never seen; run once without --offline")


def missing(statuses: Sequence[SourceStatus]) -> tuple[str, ...]:
    """A line for each source that is not there, but for those that the person switched off; one for all late ones."""
    late = [status.source.label for status in statuses if status.state == "connecting"]
    many = len(late) > _FEW
    each = tuple(
        absence(status.source.label, status.state, status.detail)
        for status in statuses
        if status.state != "ready" and (status.state != "disabled" or status.detail)
        if not (many and status.state == "connecting")
    )
    return (*each, f"{len(late)} servers are still connecting: {', '.join(late)}") if many else each


def _register(registry: Registry, rows: Sequence[ToolSpec]) -> None:
    by_source: dict[Source, list[ToolSpec]] = {}
    for row in rows:
        by_source.setdefault(row.source, []).append(row)
    for owner, own in by_source.items():
        registry.replace(owner, own)
