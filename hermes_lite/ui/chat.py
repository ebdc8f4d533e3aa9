"""The interactive chat: takes what the person types, runs it as a turn or a command, shows what happens.

Typing goes on while a turn runs; what is sent then waits in a queue. Esc or Ctrl-C cancels the running turn's scope,
Ctrl-C again within two seconds leaves. What a turn is belongs to `Runtime`, how a screen works to `Terminal`.
"""

import os
import signal
import sys
from collections import deque
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import monotonic

import anyio
from rich.console import Group, RenderableType
from rich.text import Text

from hermes_lite.errors import HermesError
from hermes_lite.events import Event, Sink
from hermes_lite.paths import home
from hermes_lite.runtime import Runtime
from hermes_lite.text import one_line
from hermes_lite.tools.spec import ToolSpec
from hermes_lite.ui.approve import TerminalApprover
from hermes_lite.ui.ask import TerminalAsk
from hermes_lite.ui.banner import Welcome, banner
from hermes_lite.ui.cells import clip
from hermes_lite.ui.command import completions, find, split
from hermes_lite.ui.commands import COMMANDS
from hermes_lite.ui.complete import InputCompleter
from hermes_lite.ui.feed import complaint, unfolded
from hermes_lite.ui.frame import Drawn
from hermes_lite.ui.history import LineHistory
from hermes_lite.ui.live import LiveTerminal
from hermes_lite.ui.look import look_of, render
from hermes_lite.ui.questions import Questions
from hermes_lite.ui.sessions import recap
from hermes_lite.ui.settings import UiSettings
from hermes_lite.ui.status import status_line
from hermes_lite.ui.terminal import PlainTerminal, Terminal
from hermes_lite.ui.transcript import Transcript
from hermes_lite.ui.way_back import way_back

TWICE = 2.0
_FRAME = 0.125
_QUEUED_SHOWN = 3
_BARE_LEAVE = ("exit", "quit")
_SIGNALS = {signal.SIGTERM: 143, signal.SIGHUP: 129}


async def chat(runtime: Runtime, *, welcome: Welcome, settings: UiSettings, first_message: str | None = None) -> int:
    """Run the chat until the person leaves; the exit code: 0, 130 after Ctrl-C twice, 143 when terminated."""
    ready = Chat(runtime, settings, on_this_terminal(settings))
    if first_message:
        ready.submit(first_message)
    return await ready.run(welcome)


def on_this_terminal(settings: UiSettings) -> Callable[["Chat"], Terminal]:
    """Opens the terminal that standard input and output are, in the form that it and the settings allow."""

    def opened(chat: "Chat") -> Terminal:
        look = look_of(os.environ, sys.stdout, settings.plain)
        if not (look.live and sys.stdin.isatty()):
            return PlainTerminal(look, sys.stdin, sys.stdout, chat.mode)
        completer = InputCompleter(lambda before: completions(COMMANDS, chat.runtime, before), Path.cwd())
        return LiveTerminal(look, chat.drawn(), completer, LineHistory(home().history))

    return opened


class Chat:
    """One chat: `Intents` for its terminal and the `Desk` for its commands."""

    def __init__(
        self,
        runtime: Runtime,
        settings: UiSettings,
        open_terminal: Callable[["Chat"], Terminal],
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.runtime = runtime
        self._clock = clock
        self._queue: deque[str] = deque()
        self._wake = anyio.Event()
        self._work: anyio.CancelScope | None = None
        self.in_turn = False
        self._code: int | None = None
        self._is_last = False
        self._is_idle = False
        self._broke_at = float("-inf")
        self._terminal = open_terminal(self)
        self._transcript = Transcript(self._terminal, settings, self._row, clock)
        self._questions = Questions(self._terminal, lambda what: self._transcript.put("question", what))

    # What the terminal draws

    def drawn(self) -> Drawn:
        return Drawn(
            mode=self.mode,
            live=lambda width, rows: self._transcript.live(width, rows),
            queued=self._queued,
            status=self._status,
        )

    def mode(self) -> str:
        """The word before the prompt that warns where nothing asks."""
        return "yolo " if self.runtime.overview().approvals == "yolo" else ""

    def _status(self, width: int) -> str:
        return render(status_line(self.runtime.overview(), width), self._terminal.look, width).rstrip("\n")

    def _queued(self, width: int) -> str:
        waiting = list(self._queue) if self.busy else []
        lines = [Text(clip(f"↳ {one_line(text)}", width), style="faint") for text in waiting[:_QUEUED_SHOWN]]
        if len(waiting) > _QUEUED_SHOWN:
            lines.append(Text(clip(f"  … +{len(waiting) - _QUEUED_SHOWN} queued", width), style="faint"))
        return "".join(render(line, self._terminal.look, width) for line in lines).rstrip("\n")

    def _row(self, name: str) -> ToolSpec | None:
        return next((row for row, _ in self.runtime.tools() if row.name == name), None)

    # Intents

    @property
    def busy(self) -> bool:
        return self._work is not None

    def submit(self, text: str) -> None:
        self._broke_at = float("-inf")
        parts = split(text)
        if parts and self.busy and self._is_any_time(parts[0]):
            self._group.start_soon(self._command, *parts)
            return
        self._queue.append(text)
        self._wake.set()
        self._terminal.refresh()

    def stop_turn(self) -> None:
        if self._work:
            self._terminal.give_back(self._queue)
            self._queue.clear()
            self._work.cancel()

    def interrupt(self) -> None:
        again = self._clock() - self._broke_at < TWICE
        self._broke_at = self._clock()
        if again:
            self._leave(130)
        elif self._work:
            self.stop_turn()
        else:
            self.say(Text("· Ctrl-C again quits", style="faint"))
            self._terminal.ready()

    def leave(self) -> None:
        self._leave(0)

    def finish(self) -> None:
        self._is_last = True
        self._wake.set()

    def unfold(self) -> None:
        if self._questions.whole:
            self.say(self._questions.whole)
        elif self._transcript.last_output:
            self.say(unfolded(*self._transcript.last_output))

    def next_mode(self) -> None:
        """Files change unasked, or not. What loosens more is asked for by name: `/approve yolo`."""
        self.runtime.set_approvals("ask" if self.runtime.overview().approvals == "auto-edit" else "auto-edit")
        self._terminal.refresh()

    # Desk

    @property
    def width(self) -> int:
        return self._terminal.width

    @property
    def sink(self) -> Sink:
        return self._transcript.sink

    def say(self, what: RenderableType) -> None:
        self._transcript.put("aside", what)

    # The loop

    def _hear(self, event: Event) -> None:
        """Show what happens outside a turn, below which a terminal that only appends needs its prompt again."""
        self._transcript.sink(event)
        if self._is_idle:
            self._terminal.ready()

    async def run(self, welcome: Welcome) -> int:
        self.runtime.attach(
            approve=TerminalApprover(self._questions, self._row),
            ask=TerminalAsk(self._questions),
            sink=self._hear,
        )
        try:
            async with anyio.create_task_group() as self._group:
                self._group.start_soon(self._obey_signals)
                self._group.start_soon(self._tick)
                await self._sit(welcome)
                self._group.cancel_scope.cancel()
        finally:
            self._farewell()
        return self._code or 0

    async def _sit(self, welcome: Welcome) -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(self._terminal.run, self)
            live = self._terminal.look.live
            self._terminal.say(Group(banner(welcome, self.runtime.overview(), self.width, live=live), Text()))
            before = recap(self.runtime.messages())
            if before:
                self.say(before)
            await self._converse()
            self._terminal.stop()

    async def _converse(self) -> None:
        while self._code is None and (self._queue or not self._is_last):
            if self._queue:
                await self._obey(self._queue.popleft())
            else:
                self._terminal.ready()
                self._wake, self._is_idle = anyio.Event(), True
                await self._wake.wait()
                self._is_idle = False

    async def _obey(self, text: str) -> None:
        if not text.strip():
            return
        parts = split(text)
        if parts:
            lasts = not self._is_any_time(parts[0])
            if await self._scoped(lambda: self._command(*parts), in_turn=lasts) and self._code is None:
                self.say(Text("■ interrupted", style="warn"))
        elif text.strip().lower() in _BARE_LEAVE:
            self.leave()
        elif text.startswith("!") and text[1:].strip():
            self._transcript.echo(text)
            await self._scoped(lambda: self.runtime.run_shell(text[1:].strip(), self._transcript.sink))
        else:
            await self._scoped(lambda: self.runtime.run_turn(text, self._transcript.sink))

    async def _scoped(self, work: Callable[[], Awaitable[object]], *, in_turn: bool = True) -> bool:
        """Do `work` so that the person can stop it; whether they did."""
        self.in_turn = in_turn
        with anyio.CancelScope() as scope, self._transcript.working(self._waiting_for()):
            self._work = scope
            try:
                await work()
            except HermesError as error:
                self._complain(error)
        self._work, self.in_turn = None, False
        return scope.cancelled_caught

    def _waiting_for(self) -> str:
        late = [s.source.label for s in self.runtime.overview().servers if s.state == "connecting"]
        return f"waiting for {', '.join(map(one_line, late))}" if late else "working"

    async def _command(self, name: str, argument: str) -> None:
        self._transcript.echo(f"/{name} {argument}".rstrip())
        try:
            command = find(COMMANDS, name)
            await command.run(self, command.accepted(argument))
        except HermesError as error:
            self._complain(error)

    def _is_any_time(self, name: str) -> bool:
        try:
            return find(COMMANDS, name).any_time
        except HermesError:
            return False

    def _complain(self, error: HermesError) -> None:
        self.say(complaint(error.message, error.mend or ""))

    def _leave(self, code: int) -> None:
        if self._code is None:
            self._code = code
        self._wake.set()
        if self._work:
            self._work.cancel()

    async def _obey_signals(self) -> None:
        with anyio.open_signal_receiver(signal.SIGINT, *_SIGNALS) as signals:
            async for number in signals:
                if number == signal.SIGINT:
                    self.interrupt()
                else:
                    self._leave(_SIGNALS[number])

    async def _tick(self) -> None:
        while True:
            await anyio.sleep(_FRAME)
            if self.busy or any(s.state == "connecting" for s in self.runtime.overview().servers):
                self._terminal.refresh()

    def _farewell(self) -> None:
        if self.runtime.messages():
            self._terminal.say(way_back(self.runtime.overview().session_id, self.width))
