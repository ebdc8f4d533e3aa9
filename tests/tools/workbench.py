"""The built-in tools in a folder of their own: calls go through the rows, as they do in the product."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import anyio

from hermes_lite.events import CallProgress, Event
from hermes_lite.tools.core.processes import ProcessTable
from hermes_lite.tools.core.recall import SessionHistory
from hermes_lite.tools.core.settings import CoreSettings, SideFolder
from hermes_lite.tools.core.terminal import ToolNames
from hermes_lite.tools.core.todo import TodoList
from hermes_lite.tools.core.workspace import Checkpoints
from hermes_lite.tools.rows import builtin_rows
from hermes_lite.tools.spec import Question, ToolContext, ToolResult, resolve

T = TypeVar("T")
ROWS = {row.name: row for row in builtin_rows()}
SETTINGS = CoreSettings(terminal_timeout=30, output_bytes=2000, undo_turns=3, undo_bytes=10_000)


@dataclass
class Workbench:
    folder: Path
    side: Path
    settings: CoreSettings = SETTINGS
    answers: list[str | None] = field(default_factory=list)
    asked: list[Question] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    past: Callable[[str, int, str], tuple[Any, ...]] = lambda query, limit, leave_out: ()

    def __post_init__(self) -> None:
        names = ToolNames(lambda: {"patch"}, lambda: {"mcp__git__git_log"})
        provided: tuple[object, ...] = (
            self.settings,
            SideFolder(self.side),
            Checkpoints(self.side / "checkpoints", self.settings.undo_turns, self.settings.undo_bytes),
            ProcessTable(),
            TodoList(),
            SessionHistory(self.past),
            names,
        )
        resources = {type(resource): resource for resource in provided}
        self.context = ToolContext(
            "session-1", 1, "call-1", self.folder, self.events.append, self._ask, "direct", resources
        )

    async def _ask(self, question: Question) -> str | None:
        self.asked.append(question)
        return self.answers.pop(0) if self.answers else None

    def resource(self, kind: type[T]) -> T:
        return self.context.resource(kind)

    async def call(self, tool: str, **arguments: Any) -> ToolResult:
        return await resolve(ROWS[tool].handler)(arguments, self.context)

    def run(self, tool: str, **arguments: Any) -> ToolResult:
        """One call from start to end; background processes end with it."""

        async def once() -> ToolResult:
            try:
                return await self.call(tool, **arguments)
            finally:
                await self.resource(ProcessTable).close()

        return anyio.run(once)

    def next_turn(self) -> None:
        self.context = replace(self.context, turn=self.context.turn + 1)

    @property
    def progress(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, CallProgress))
