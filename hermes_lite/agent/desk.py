"""What every call of a session passes over, and what is said of a call on its way."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import TypeVar

from hermes_lite.agent.results import Shelf
from hermes_lite.approvals.gate import ApprovalGate
from hermes_lite.events import CallOutcome, Notice, Sink
from hermes_lite.hooks import Hooks
from hermes_lite.tool_search.breaker import Breaker
from hermes_lite.tool_search.bridge import ToolSearch
from hermes_lite.tools.registry import Scope
from hermes_lite.tools.spec import Ask

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Desk:
    """What every call of a session passes over. `timeout` is in seconds."""

    session_id: str
    cwd: Path
    scope: Callable[[], Scope]
    search: ToolSearch
    breaker: Breaker
    hooks: Hooks
    gate: ApprovalGate
    ask: Ask
    shelf: Shelf
    timeout: float
    resources: Mapping[type, object]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a call ended, and the text that the model gets for it."""

    kind: CallOutcome
    text: str


@dataclass(slots=True)
class Stopwatch:
    """Wall time less the time spent waiting for the person."""

    started: float = field(default_factory=monotonic)
    waited: float = 0.0

    async def pause(self, waiting: Awaitable[T]) -> T:
        began = monotonic()
        try:
            return await waiting
        finally:
            self.waited += monotonic() - began

    def seconds(self) -> float:
        return monotonic() - self.started - self.waited


def say(notes: Sequence[str], sink: Sink) -> None:
    for note in notes:
        sink(Notice("warning", note))
