"""The consumer that turns a session's events into the scrollback, and into the few lines that still move.

What is finished goes to the terminal once, in order, and is never touched again: parts of the answer, one line a
call. What is not finished (what grows of the answer, running calls, a retry's countdown) is asked for by `live`.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import monotonic
from typing import Literal, TypeAlias, assert_never

from rich.console import Group, RenderableType
from rich.text import Text

from hermes_lite.events import (
    CallEnded,
    CallProgress,
    CallStarted,
    Compacted,
    Event,
    Notice,
    ReasoningDelta,
    ReplyEnded,
    RequestStarted,
    RetryScheduled,
    TextDelta,
    TurnEnded,
    TurnStarted,
)
from hermes_lite.messages import AssistantMessage
from hermes_lite.text import one_line
from hermes_lite.tools.spec import ToolSpec
from hermes_lite.ui import feed
from hermes_lite.ui.answer import Answer, Shown
from hermes_lite.ui.cells import clip
from hermes_lite.ui.look import render
from hermes_lite.ui.settings import UiSettings
from hermes_lite.ui.terminal import Terminal

Kind: TypeAlias = Literal["said", "text", "call", "question", "aside", "end"]
_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧"
_FRAMES_A_SECOND = 8
_IDLE = "working"
_UNNOTICED = 0.2


@dataclass(frozen=True, slots=True)
class Running:
    """A call between its start and its end."""

    name: str
    arguments: str
    since: float
    progress: str = ""


class Transcript:
    """`sink` takes every event of a session. `row_of` gives the row behind a tool's name, if there is one."""

    def __init__(
        self,
        terminal: Terminal,
        settings: UiSettings,
        row_of: Callable[[str], ToolSpec | None],
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._terminal = terminal
        self._settings = settings
        self._row_of = row_of
        self._clock = clock
        self._answer = Answer(lambda: terminal.width)
        self._streamed = False
        self._reply = ""
        self._running: dict[str, Running] = {}
        self._retry: tuple[RetryScheduled, float] | None = None
        self._since: float | None = None
        self._doing = _IDLE
        self._last: Kind | None = None
        self.last_output: tuple[str, str] | None = None

    def sink(self, event: Event) -> None:
        match event:
            case TurnStarted():
                self._begin(event.text)
            case RequestStarted():
                self._retry, self._doing = None, _IDLE
            case TextDelta():
                self._streamed, self._doing = True, _IDLE
                self._show(self._answer.feed(event.text))
            case ReasoningDelta():
                self._doing = "thinking"
            case RetryScheduled():
                self._wait(event)
            case ReplyEnded():
                self._reply_ended(event.message)
            case CallStarted():
                self._running[event.call_id] = Running(event.name, event.arguments, self._clock())
            case CallProgress():
                self._progress(event)
            case CallEnded():
                self._call_ended(event)
            case Notice():
                self.put("call", feed.notice_line(event))
            case Compacted():
                self.put("call", feed.compacted_line(event))
            case TurnEnded():
                self._end(event)
            case _:
                assert_never(event)
        self._terminal.refresh()

    def put(self, kind: Kind, what: RenderableType, *, joined: bool = False) -> None:
        """Print `what`, set apart by an empty line where the kind changes, and from text it is not `joined` to."""
        changes = self._last is not None and (kind != self._last or kind == "text")
        if changes and not (self._last == "text" and joined):
            self._terminal.say(Text())
        self._terminal.say(what)
        self._last = kind

    def echo(self, text: str) -> None:
        """Show what the person wrote, where the terminal does not keep it by itself."""
        if self._terminal.echoes:
            self._last = "said"
        else:
            self.put("said", feed.said(text))

    def _begin(self, text: str) -> None:
        self.echo(text)
        self._reply = ""

    @contextmanager
    def working(self, doing: str = _IDLE) -> Iterator[None]:
        """While this lasts `live` shows that something is going on, until a request is sent it is `doing`."""
        self._since, self._doing = self._clock(), doing
        try:
            yield
        finally:
            self._since = None

    def _show(self, parts: Iterable[Shown]) -> None:
        for part in parts:
            self.put("text", part.what, joined=part.joined)

    def _wait(self, retry: RetryScheduled) -> None:
        self._show(self._answer.close())
        self._retry = (retry, self._clock() + retry.delay)
        if not self._terminal.look.live:
            self.put("call", feed.retry_line(retry, retry.delay, self._terminal.width))

    def _reply_ended(self, message: AssistantMessage) -> None:
        if not self._streamed:
            self._show(self._answer.feed(message.text))
        self._show(self._answer.close())
        self._streamed, self._reply, self._doing = False, message.text, _IDLE

    def _progress(self, event: CallProgress) -> None:
        running = self._running.get(event.call_id)
        if running:
            self._running[event.call_id] = replace(running, progress=event.text)

    def _call_ended(self, ended: CallEnded) -> None:
        started = self._running.pop(ended.call_id, None)
        width = self._terminal.width
        lookup = feed.lookup_line(ended, width)
        if lookup is not None:
            self.put("call", lookup)
            return
        self.last_output = (ended.name, ended.text)
        arguments = started.arguments if started else ""
        self.put("call", feed.call_line(ended, arguments, self._row_of(ended.name), width))
        body = feed.call_body(ended, self._settings.preview_lines, self._settings.diff_lines, width)
        if body is not None:
            self._terminal.say(body)

    def _end(self, ended: TurnEnded) -> None:
        self._show(self._answer.close())
        if ended.end == "answered" and ended.text.strip() not in ("", self._reply.strip()):
            self._show([*self._answer.feed(ended.text), *self._answer.close()])
        self._running.clear()
        self._streamed, self._retry = False, None
        self.put("end", feed.turn_end(ended, self._terminal.width), joined=not feed.has_reason(ended))

    def live(self, width: int, rows: int) -> str:
        """The lines that still move, at most `rows` of them, ready to be written; empty while nothing runs."""
        if self._since is None or rows < 1:
            return ""
        frame = _FRAMES[int(self._clock() * _FRAMES_A_SECOND) % len(_FRAMES)]
        kept = render(Group(*self._moving(frame, width)), self._terminal.look, width).splitlines()[-rows:]
        room = rows - len(kept)
        return "\n".join([*self._growing(width)[-room:], *kept] if room else kept)

    def _moving(self, frame: str, width: int) -> list[Text]:
        if self._retry:
            event, until = self._retry
            return [feed.retry_line(event, until - self._clock(), width)]
        lines = [line for call in self._running.values() for line in self._running_lines(call, frame, width)]
        return lines or self._idle(frame, width)

    def _running_lines(self, call: Running, frame: str, width: int) -> list[Text]:
        facts = [feed.seconds(self._clock() - call.since)]
        row = self._row_of(call.name)
        line = feed.running_line(frame, call.name, call.arguments, row, facts, width)
        said = clip(one_line(call.progress), width - 2)
        return [line, Text("  " + said, style="faint", no_wrap=True)] if said else [line]

    def _idle(self, frame: str, width: int) -> list[Text]:
        spent = self._clock() - (self._since or 0.0)
        if spent < _UNNOTICED:
            return []
        told = f"{frame} {self._doing} · {feed.seconds(spent)} · Esc to interrupt"
        return [Text(clip(told, width), style="faint")]

    def _growing(self, width: int) -> list[str]:
        rows = self._answer.growing(self._terminal.look, width)
        return [*rows, ""] if rows else []
