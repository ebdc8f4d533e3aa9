"""What tests of whole turns stand on: the real runtime in this process, over a scripted model and scripted tools."""

import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import anyio

from hermes_lite.approvals.gate import Answer, ApprovalRequest
from hermes_lite.config import load
from hermes_lite.config.place import Place
from hermes_lite.events import CallEnded, CallStarted, Event, Notice, TurnEnded
from hermes_lite.messages import Message
from hermes_lite.model.endpoint import Endpoint
from hermes_lite.paths import Home, Project
from hermes_lite.runtime import Options, Runtime
from hermes_lite.testing.model_server import ScriptedModel
from hermes_lite.testing.script import Call, Calls, Recorded
from hermes_lite.tools.spec import Handler, Question, Source, ToolContext, ToolResult, ToolSpec

BOUND = 30
LOCAL = Source("core", "bench")
DEFERRED = Source("plugin", "workshop")
E = TypeVar("E")


async def echo(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
    """A tool that answers with what it was given."""
    return ToolResult(json.dumps(arguments))


def row(name: str, handler: Handler = echo, source: Source = LOCAL, **more: Any) -> ToolSpec:
    """A tool that takes anything, may run beside others and needs nobody's leave."""
    values: dict[str, Any] = {
        "description": f"Do {name.replace('_', ' ')}.",
        "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}},
        "toolset": source.label,
        "deferrable": source.kind != "core",
        "parallel": "safe",
        "tier": "silent",
        "risk": "read",
        "idempotent": True,
    }
    return ToolSpec(name=name, handler=handler, source=source, **{**values, **more})


def calls(*names: str, **arguments: Any) -> Calls:
    """A reply that calls each of `names` with `arguments`."""
    return Calls(tuple(Call(name, arguments, f"call_{name}_{n}") for n, name in enumerate(names)))


@dataclass
class Talk:
    """A session under way, and everything that was heard of it."""

    runtime: Runtime
    events: list[Event] = field(default_factory=list)

    async def say(self, text: str = "go") -> TurnEnded:
        return await self.runtime.run_turn(text, self.events.append)

    def heard(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    def notices(self) -> list[str]:
        return [event.text for event in self.heard(Notice)]

    def outcomes(self) -> list[tuple[str, str]]:
        return [(event.name, event.outcome) for event in self.heard(CallEnded)]

    def started(self) -> list[str]:
        return [event.name for event in self.heard(CallStarted)]

    @property
    def messages(self) -> Sequence[Message]:
        return self.runtime.messages()

    def offer(self, *rows: ToolSpec) -> None:
        """Let the tools `rows` exist, in place of others of their source."""
        for source in {row.source for row in rows}:
            own = [row for row in rows if row.source == source]
            self.runtime.toolbox.registry.replace(source, own)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until `holds`; what other processes do tells nobody, so it is looked at."""
        with anyio.fail_after(BOUND):
            while not holds():
                await anyio.sleep(0.005)

    def state(self, server: str) -> str:
        statuses = self.runtime.scope().statuses
        return next((status.state for status in statuses if status.source.label == server), "unknown")


@dataclass(frozen=True)
class Rig:
    """A home and a project folder; `open` starts a session there."""

    home: Home
    project: Path

    @classmethod
    def at(cls, folder: Path) -> "Rig":
        (folder / "work").mkdir()
        (folder / "home").mkdir()
        return cls(Home(folder / "home"), folder / "work")

    def server(self, name: str, **script: Any) -> dict[str, Any]:
        """The definition of a stdio server that follows `script`."""
        file = self.project.parent / f"{name}.json"
        file.write_text(json.dumps(script), encoding="utf-8")
        return {"command": sys.executable, "args": ["-m", "hermes_lite.testing.mcp_server", str(file)]}

    @asynccontextmanager
    async def open(
        self,
        model: ScriptedModel,
        *,
        config: Mapping[str, Any] | None = None,
        environ: Mapping[str, str] | None = None,
        name: str = "scripted",
        key: str = "",
        wait: float = 10,
        rows: Sequence[ToolSpec] = (),
        approve: Callable[[ApprovalRequest], Awaitable[Answer]] | None = None,
        ask: Callable[[Question], Awaitable[str | None]] | None = None,
    ) -> AsyncIterator[Talk]:
        """A session with `model`. Without `approve` nobody is there to ask."""
        self.home.config.write_text(json.dumps(config or {}), encoding="utf-8")
        variables = {"PATH": os.environ["PATH"], **(environ or {})}
        project = Project(self.project)
        place = Place(load(self.home, project, variables), self.home, project, variables)
        assert not place.config.problems, place.config.problems
        endpoint = Endpoint("custom", model.base_url, name, "the test", key)
        async with Runtime(place, endpoint, Options(base_url=model.base_url, server_wait=wait)) as runtime:
            talk = Talk(runtime)
            runtime.attach(approve=approve, ask=ask, sink=talk.events.append)
            if rows:
                talk.offer(*rows)
            yield talk

    def activities(self) -> list[dict[str, Any]]:
        """The facts of every recorded turn, of the only session."""
        (file,) = self.home.sessions.rglob("*.jsonl")
        records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        return [record["fact"] for record in records if record["type"] == "activity"]


def results(request: Recorded) -> dict[str, str]:
    """Call id to text of every result that `request` carries."""
    return {m["tool_call_id"]: m["content"] for m in request.messages if m["role"] == "tool"}


def notices(request: Recorded) -> list[str]:
    return [m["content"] for m in request.messages if str(m["content"]).startswith("<shell-notice>")]
