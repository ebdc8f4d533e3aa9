"""A real screen for the chat: keys go in as bytes, and pyte shows what a terminal would show."""

import io
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pyte
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

from hermes_lite.ui.banner import Welcome
from hermes_lite.ui.chat import Chat
from hermes_lite.ui.command import completions
from hermes_lite.ui.commands import COMMANDS
from hermes_lite.ui.complete import InputCompleter
from hermes_lite.ui.guard import Guard
from hermes_lite.ui.history import LineHistory
from hermes_lite.ui.live import LiveTerminal
from hermes_lite.ui.look import Look
from hermes_lite.ui.terminal import Terminal
from tests.ui.fake import SETTINGS, FakeRuntime
from tests.ui.scrollback import COLOURED

PATIENCE = 10.0
_TURNS_OF_THE_LOOP = 20


class Tape(io.StringIO):
    """Everything written, and a bell for each time."""

    def __init__(self) -> None:
        super().__init__()
        self.written = anyio.Event()

    def write(self, text: str) -> int:
        self.written.set()
        self.written = anyio.Event()
        return super().write(text)

    def isatty(self) -> bool:
        return True

    async def until(self, what: str) -> None:
        with anyio.fail_after(PATIENCE):
            while what not in self.getvalue():
                await self.written.wait()


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Screen:
    """`keys` types; `until` waits, bounded, for something to stand on the screen."""

    pipe: PipeInput
    tape: Tape
    rows: int
    columns: int
    clock: Clock = field(default_factory=Clock)
    code: int | None = None
    ended: anyio.Event = field(default_factory=anyio.Event)
    fed: int = 0

    def __post_init__(self) -> None:
        self._cells = pyte.HistoryScreen(self.columns, self.rows, history=10_000)
        self._terminal = pyte.Stream(self._cells)

    def keys(self, text: str) -> None:
        self.pipe.send_text(text)

    @property
    def lines(self) -> list[str]:
        """The whole scrollback and the screen, without trailing space."""
        written = self.tape.getvalue()
        self._terminal.feed(written[self.fed :])
        self.fed = len(written)
        rows = self._cells.history.top
        above = ("".join(row[column].data for column in range(self.columns)) for row in rows)
        return [line.rstrip() for line in (*above, *self._cells.display)]

    @property
    def visible(self) -> list[str]:
        return self.lines[-self.rows :]

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip("\n")

    async def until(self, what: str | Callable[[], bool]) -> None:
        there = (lambda: what in self.text) if isinstance(what, str) else what
        with anyio.fail_after(PATIENCE):
            while not there():
                await self.tape.written.wait()

    async def taken(self) -> None:
        """Wait until the keys have been read, where nothing is to be seen of it."""
        for _ in range(_TURNS_OF_THE_LOOP):
            await anyio.lowlevel.checkpoint()

    async def over(self) -> int | None:
        with anyio.fail_after(PATIENCE):
            await self.ended.wait()
        return self.code


@asynccontextmanager
async def chatting(
    runtime: FakeRuntime,
    folder: Path,
    *,
    rows: int = 24,
    columns: int = 80,
    look: Look = COLOURED,
    typed_before: str = "",
) -> AsyncIterator[Screen]:
    """A running chat on a screen of its own; it is left, if it has not been, when the block ends."""
    tape = Tape()
    with create_pipe_input() as pipe:
        pipe.send_text(typed_before)
        screen = Screen(pipe, tape, rows, columns)
        output = Vt100_Output(tape, lambda: Size(rows=rows, columns=columns), term="xterm-256color", enable_cpr=False)

        def opened(chat: Chat) -> Terminal:
            completer = InputCompleter(lambda before: completions(COMMANDS, chat.runtime, before), folder)
            history = LineHistory(folder / "history")
            return LiveTerminal(
                look, chat.drawn(), completer, history, source=pipe, out=output, guard=Guard(screen.clock)
            )

        async def run() -> None:
            screen.code = await Chat(runtime, SETTINGS, opened, screen.clock).run(Welcome("0.1.0", "it is there"))
            screen.ended.set()

        async with anyio.create_task_group() as group:
            group.start_soon(run)
            await screen.until("›")
            yield screen
            if not screen.ended.is_set():
                group.cancel_scope.cancel()
