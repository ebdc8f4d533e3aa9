"""What the tests of MCP stand on: pools of scripted servers, and waiting for what they cause instead of sleeping."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio

from hermes_lite.events import CallProgress, Event, Notice
from hermes_lite.mcp.limits import Limits
from hermes_lite.mcp.pool import McpPool
from hermes_lite.mcp.settings import Servers, read_servers
from hermes_lite.tools.registry import Registry
from hermes_lite.tools.spec import Ask, Question, SourceStatus, ToolContext, ToolResult

BOUND = 30
_LIMITS: dict[str, Any] = {
    "concurrent_starts": 8,
    "connect_timeout": 20,
    "call_timeout": 20,
    "call_most": 60,
    "stop_grace": 1,
    "keepalive": 0,
    "reconnect_first": 0.02,
    "reconnect_most": 0.1,
    "reconnect_tries": 4,
    "line_limit": 32,
    "log_limit": 1,
}


def limits(**changed: Any) -> Limits:
    return Limits.read({**_LIMITS, **changed})


def tool(name: str, description: str = "Do it.", **more: Any) -> dict[str, Any]:
    """A tool as it goes over the wire, without parameters unless `inputSchema` is given."""
    return {"name": name, "description": description, "inputSchema": {"type": "object"}, **more}


def process_groups(folder: Path) -> set[int]:
    """The process groups whose leader was started with a script of `folder`."""
    groups = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (entry / "cmdline").exists():
            command = (entry / "cmdline").read_bytes().decode(errors="replace")
            if "-m\0hermes_lite.testing.mcp_server" in command and str(folder) in command:
                groups.add(os.getpgid(int(entry.name)))
    return groups


@dataclass
class Rig:
    """A folder for scripts, and what happened so far. `until` waits for the next thing to happen."""

    folder: Path
    events: list[Event] = field(default_factory=list)
    _news: anyio.Event = field(default_factory=anyio.Event)
    registry: Registry = field(init=False)

    def __post_init__(self) -> None:
        self.registry = _Told(told=self._tell)

    def scripted(self, name: str = "server", **script: Any) -> dict[str, Any]:
        """The definition of a stdio server that follows `script`; what it receives is kept (`received`)."""
        file = self.folder / f"{name}.json"
        script = {
            "record": str(self.folder / f"{name}.received"),
            "state": str(self.folder / f"{name}.state"),
            **script,
        }
        file.write_text(json.dumps(script), encoding="utf-8")
        return {"command": sys.executable, "args": ["-m", "hermes_lite.testing.mcp_server", str(file)]}

    def received(self, name: str = "server") -> list[dict[str, Any]]:
        file = self.folder / f"{name}.received"
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []

    def read(self, definitions: Mapping[str, Any], **more: Any) -> Servers:
        return read_servers(definitions, environ=os.environ, origin="the test", cwd=self.folder, **more)

    def pool(
        self,
        definitions: Mapping[str, Any] | Servers,
        *,
        ask: Ask | None = None,
        complete: Any = None,
        **changed: Any,
    ) -> McpPool:
        return McpPool(
            definitions if isinstance(definitions, Servers) else self.read(definitions),
            self.registry,
            self.sink,
            limits=limits(**changed),
            logs=self.folder / "logs",
            cache=self.folder / "cache",
            cwd=self.folder,
            ask=ask,
            complete=complete,
        )

    def sink(self, event: Event) -> None:
        self.events.append(event)
        self._tell()

    def notices(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, Notice)]

    def progress(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, CallProgress)]

    def status(self, key: str = "server") -> SourceStatus:
        return next(status for status in self.registry.scope().statuses if status.source.label == key)

    def names(self) -> list[str]:
        return [row.name for row in self.registry.scope().rows]

    async def call(self, name: str, /, **arguments: Any) -> ToolResult:
        row = self.registry.scope().row(name)
        assert row is not None, f"no tool {name}; there are {self.names()}"
        assert callable(row.handler)
        return await row.handler(arguments, self.context())

    def context(self) -> ToolContext:
        return ToolContext(session_id="s", turn=1, call_id="call-1", cwd=self.folder, sink=self.sink, ask=nobody)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until `holds`, looking again whenever the registry or the sink hears something."""
        with anyio.fail_after(BOUND):
            while not holds():
                await self._news.wait()

    async def until_state(self, state: str, key: str = "server") -> None:
        await self.until(lambda: self.status(key).state == state)

    async def until_received(self, servers: int) -> None:
        """Wait until that many scripted servers have received something; files tell nobody, so they are looked at."""
        with anyio.fail_after(BOUND):
            while len(list(self.folder.glob("*.received"))) < servers:
                await anyio.sleep(0.02)

    def _tell(self) -> None:
        self._news.set()
        self._news = anyio.Event()


class _Told(Registry):
    """A registry that tells when something changed."""

    def __init__(self, told: Callable[[], None]) -> None:
        super().__init__()
        self._told = told

    def replace(self, *args: Any, **kwargs: Any) -> None:
        super().replace(*args, **kwargs)
        self._told()

    def mark(self, *args: Any, **kwargs: Any) -> None:
        super().mark(*args, **kwargs)
        self._told()


async def nobody(question: Question) -> str | None:
    return None
