"""The composition root: what a session needs, built from the configuration and taken down again.

`Runtime` is the one object that the screen, the one-shot command and the measurements talk to. It owns the registry,
the MCP pool, the store and the approval gate, and drives one `Conversation` at a time.
"""

from dataclasses import dataclass
from typing import Literal

from hermes_lite.events import Sink, TurnEnded
from hermes_lite.tools.spec import SourceStatus, ToolSpec


@dataclass(frozen=True, slots=True)
class Overview:
    """What the status line shows. Token figures are by `counter`'s method; `window` is None when unknown."""

    model: str
    endpoint: str
    is_demo: bool
    session_id: str
    used_tokens: int
    window: int | None
    counter: str
    direct: int
    deferred: int
    approvals: Literal["ask", "auto-edit", "yolo", "deny"]
    servers: tuple[SourceStatus, ...]


@dataclass(frozen=True, slots=True)
class ContextRow:
    """One bar of `/context`: system prompt, direct tools, bridge, listing, history by kind."""

    label: str
    tokens: int
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ContextReport:
    rows: tuple[ContextRow, ...]
    used: int
    window: int | None
    window_origin: str
    counter: str
    deferred_tools: int
    deferred_tokens: int
    saved_tokens: int
    activation: str


class Runtime:
    """An async context manager; entering it returns before any MCP server has connected."""

    def overview(self) -> Overview:
        raise NotImplementedError

    def context_report(self) -> ContextReport:
        raise NotImplementedError

    def tools(self) -> tuple[tuple[ToolSpec, bool], ...]:
        """Every tool of the session and whether it waits behind search."""
        raise NotImplementedError

    async def run_turn(self, text: str, sink: Sink) -> TurnEnded:
        """Run one user turn to its end. Cancelling it leaves a valid history and still emits `TurnEnded`."""
        raise NotImplementedError

    async def new_session(self) -> None:
        raise NotImplementedError

    async def resume(self, session_id: str) -> None:
        raise NotImplementedError

    async def switch_model(self, name: str) -> None:
        raise NotImplementedError

    async def compact(self, focus: str, sink: Sink) -> None:
        raise NotImplementedError

    async def undo(self) -> tuple[str, ...]:
        """Take back the last turn, file changes made through our tools included; one line per thing done."""
        raise NotImplementedError
