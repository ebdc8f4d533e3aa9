"""A runtime without a model: its turns play back scripts of events, so that the screen alone is tried."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio

from hermes_lite.approvals.gate import Approver
from hermes_lite.approvals.terms import Verb
from hermes_lite.config import load
from hermes_lite.config.place import Place
from hermes_lite.errors import HermesError
from hermes_lite.events import (
    CallEnded,
    CallStarted,
    ReplyEnded,
    RequestStarted,
    Sink,
    TextDelta,
    TurnEnded,
    TurnStarted,
)
from hermes_lite.messages import AssistantMessage, Message, Usage, UserMessage
from hermes_lite.paths import Project, home
from hermes_lite.runtime import ContextReport, ContextRow, CostReport, Overview, Pending, RuleView, Runtime
from hermes_lite.runtime.views import ApprovalMode
from hermes_lite.sessions.listing import SessionInfo
from hermes_lite.tools.registry import Dropped
from hermes_lite.tools.rows import builtin_rows
from hermes_lite.tools.spec import Ask, Display, Source, SourceStatus, ToolSpec
from hermes_lite.ui.settings import UiSettings

SETTINGS = UiSettings(plain="auto", preview_lines=3, diff_lines=20)
GIT_LOG = ToolSpec(
    name="mcp__git__git_log",
    description="Shows the commit logs",
    parameters={"type": "object", "properties": {"repo_path": {"type": "string"}}, "required": ["repo_path"]},
    handler="nowhere:nothing",
    source=Source("mcp", "git"),
    toolset="git",
    original_name="git_log",
    display=Display("•"),
)
OVERVIEW = Overview(
    model="gpt-5-mini",
    endpoint="https://api.example.com/v1",
    is_demo=False,
    session_id="7f3a91",
    used_tokens=12_400,
    window=128_000,
    counter="o200k exact",
    direct=9,
    deferred=41,
    approvals="ask",
    servers=(
        SourceStatus(Source("mcp", "github"), "ready", 34),
        SourceStatus(Source("mcp", "linear"), "connecting"),
        SourceStatus(Source("mcp", "jira"), "failed", 0, "401 Unauthorized at https://jira.example.com/mcp"),
    ),
)
REPORT = ContextReport(
    rows=(
        ContextRow("system prompt", 1_830, "persona, rules, AGENTS.md"),
        ContextRow("direct tools", 1_420, "9 tools"),
        ContextRow("bridge", 640, "3 tools"),
        ContextRow("listing", 1_210, "41 tools, signatures"),
        ContextRow("your messages", 310),
        ContextRow("answers", 2_140),
        ContextRow("tool results", 4_850, "6 results"),
    ),
    used=12_400,
    window=128_000,
    window_origin="endpoint",
    counter="o200k exact",
    deferred_tools=41,
    deferred_tokens=14_730,
    saved_tokens=12_880,
    activation="tool search is on: 41 tools can wait",
)

MODELS = ("gpt-5", "gpt-5-mini", "gpt-5-nano", "gpt-5-codex-with-a-name-that-is-longer-than-most")
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
SESSIONS = tuple(
    SessionInfo(name, title, Path("/home/ada/src/hermes"), NOW, NOW - timedelta(minutes=past), 8, "gpt-5-mini")
    for name, title, past in (
        ("7f3a91", "what changed last week in hermes, and does it build?", 0),
        ("51c0de", "rename the flag everywhere", 190),
        ("09ab3e", "", 3000),
    )
)

Script = Callable[[str, Sink], Awaitable[TurnEnded]]


@dataclass
class FakeRuntime(Runtime):
    """`script` runs each turn; `asked` keeps the texts that were run."""

    script: Script
    view: Overview = OVERVIEW
    asked: list[str] = field(default_factory=list)
    history: tuple[Message, ...] = ()
    approve: Approver | None = None
    ask: Ask | None = None
    outside: Sink | None = None

    def overview(self) -> Overview:
        return self.view

    def context_report(self) -> ContextReport:
        return REPORT

    def tools(self) -> tuple[tuple[ToolSpec, bool], ...]:
        return (*((row, row.source.kind != "core") for row in builtin_rows()), (GIT_LOG, True))

    def pending(self) -> tuple[Pending, ...]:
        return ()

    def dropped(self) -> tuple[Dropped, ...]:
        return ()

    def attach(self, *, approve: Approver | None, ask: Ask | None, sink: Sink) -> None:
        self.approve, self.ask, self.outside = approve, ask, sink

    @property
    def failure(self) -> HermesError | None:
        return None

    @property
    def place(self) -> Place:
        project = Project(Path("/nowhere"))
        return Place(load(home(), project, {}), home(), project, {})

    def sessions(self, limit: int) -> tuple[SessionInfo, ...]:
        return SESSIONS[:limit]

    def messages(self) -> tuple[Message, ...]:
        return self.history

    async def resume(self, session_id: str) -> None:
        self.view = replace(self.view, session_id=session_id)
        self.history = (UserMessage("what is left?"), AssistantMessage("Two *tests* are left."))

    def set_approvals(self, mode: ApprovalMode) -> None:
        self.view = replace(self.view, approvals=mode)

    def approval_rules(self) -> tuple[RuleView, ...]:
        return (RuleView("allow terminal: git status*", "config"), RuleView("allow mcp__git__git_log", "session"))

    async def models(self) -> tuple[str, ...]:
        return MODELS

    def known_models(self) -> tuple[str, ...]:
        return MODELS

    async def learn_window(self) -> None:
        pass

    def add_rule(self, verb: Verb, rule: str) -> Path:
        return Path("/home/ada/.hermes-lite/config.yaml")

    def forget_rule(self, rule: str) -> tuple[str, Path | None]:
        return rule, Path("/home/ada/.hermes-lite/config.yaml")

    def cost(self) -> CostReport:
        return CostReport("gpt-5-mini", 6, 41_200, 2_100, 38_000, 0.0123)

    async def run_shell(self, command: str, sink: Sink) -> None:
        call(sink, "terminal", json.dumps({"command": command}), "README.md\n")

    def export(self, path: Path) -> Path:
        return path.absolute()

    async def refresh_tools(self) -> None:
        self.asked.append("refresh")

    async def run_turn(self, text: str, sink: Sink) -> TurnEnded:
        self.asked.append(text)
        self.history = (*self.history, UserMessage(text))
        sink(TurnStarted(len(self.asked), text))
        try:
            ended = await self.script(text, sink)
        except anyio.get_cancelled_exc_class():
            sink(TurnEnded(len(self.asked), "interrupted", "", Usage(), 1.0))
            raise
        sink(ended)
        return ended

    async def new_session(self) -> None:
        self.view = replace(self.view, session_id="8b04c2", used_tokens=4_000)
        self.history = ()

    async def compact(self, focus: str, sink: Sink) -> None:
        await anyio.sleep_forever()

    async def switch_model(self, name: str) -> None:
        self.view = replace(self.view, model=name)


def reply(sink: Sink, text: str, size: int = 7) -> None:
    """One whole model reply, streamed in pieces of `size` characters."""
    sink(RequestStarted(1))
    for start in range(0, len(text), size):
        sink(TextDelta(text[start : start + size]))
    sink(ReplyEnded(AssistantMessage(text)))


def call(sink: Sink, name: str, arguments: str, text: str, *, call_id: str = "c1", seconds: float = 0.31) -> None:
    """One call that went well."""
    sink(CallStarted(call_id, name, arguments, "bridge"))
    sink(CallEnded(call_id, name, "ok", text, seconds, "bridge"))


def answered(text: str) -> TurnEnded:
    return TurnEnded(1, "answered", text, Usage(12_400, 85, 11_000), 3.2)
