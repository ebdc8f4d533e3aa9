"""What the chat needs of a terminal, and the plain one: a place that is only ever appended to.

The live one (`hermes_lite.ui.live`) keeps an editor and a status line below the scrollback. Both send what the
person does to `Intents`; neither knows what a turn is.
"""

import os
import termios
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from typing import Protocol, TextIO, TypeAlias

import anyio
from rich.console import RenderableType
from rich.text import Text

from hermes_lite.text import one_line
from hermes_lite.ui.look import Look, drawable, render, writable

Say: TypeAlias = Callable[[RenderableType], None]
_CHUNK = 65536
_PROMPT = "> "


class Intents(Protocol):
    """What a person can want. Each returns at once."""

    def submit(self, text: str) -> None: ...

    def stop_turn(self) -> None: ...

    def interrupt(self) -> None:
        """Ctrl-C: end the turn; twice, leave."""

    def leave(self) -> None: ...

    def finish(self) -> None:
        """Nothing more will be typed: do what was asked for, then leave."""

    @property
    def busy(self) -> bool: ...

    def unfold(self) -> None: ...

    def next_mode(self) -> None: ...


class Terminal(Protocol):
    """Where a session is shown and typed. `width` is in cells and may change at any time."""

    look: Look

    @property
    def echoes(self) -> bool:
        """Whether what was typed stays to be read where it was typed."""

    @property
    def width(self) -> int: ...

    def say(self, what: RenderableType) -> None:
        """Append `what` to the scrollback."""

    def refresh(self) -> None:
        """Something that is drawn from outside (live lines, status line) has changed."""

    def ready(self) -> None:
        """The chat waits for the person."""

    async def run(self, intents: Intents) -> None:
        """Read what the person does until `stop`."""

    def stop(self) -> None: ...

    def give_back(self, texts: Sequence[str]) -> None:
        """Return what was sent but will not be run, so that nothing typed is lost."""

    async def answer(self, hint: str) -> str | None:
        """One line typed in answer to a question that was just said; `None` when it was declined.

        Keys typed before the question stood on the screen are dropped, not taken for an answer.
        """


class PlainTerminal:
    """Lines in, lines out: for dumb terminals, pipes, screen readers. A line that ends in `\\` goes on.

    `mode` is a word before the prompt, such as `yolo `, or nothing.
    """

    def __init__(self, look: Look, source: TextIO, out: TextIO, mode: Callable[[], str] = str) -> None:
        self.look = look
        self._mode = mode
        self._source = source
        self._out = out
        self._pending = b""
        self._asked: tuple[anyio.Event, list[str]] | None = None
        self._stopped = anyio.Event()
        self._at_prompt = False

    @property
    def echoes(self) -> bool:
        return self._source.isatty() and self._out.isatty()

    @property
    def width(self) -> int:
        with suppress(OSError, ValueError):
            return os.get_terminal_size(self._out.fileno()).columns or 80
        return int(os.environ.get("COLUMNS") or 80)

    def say(self, what: RenderableType) -> None:
        self._write("\n" * self._at_prompt + render(what, self.look, self.width))
        self._at_prompt = False

    def refresh(self) -> None:
        pass

    def ready(self) -> None:
        if self._source.isatty():
            self._write(self._mode() + _PROMPT)
            self._at_prompt = True

    def stop(self) -> None:
        self._stopped.set()

    def give_back(self, texts: Sequence[str]) -> None:
        for text in texts:
            self.say(Text(f"· not sent: {one_line(text)}"))

    async def run(self, intents: Intents) -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(self._read, intents)
            await self._stopped.wait()
            group.cancel_scope.cancel()

    async def answer(self, hint: str) -> str | None:
        if not self._source.isatty():
            return None
        self._drop_typed()
        self._write(drawable(hint, self.look))
        given: list[str] = []
        self._asked = (anyio.Event(), given)
        try:
            await self._asked[0].wait()
        finally:
            self._asked = None
        return "".join(given) if given else None

    async def _read(self, intents: Intents) -> None:
        begun = ""
        async for line in self._lines():
            self._at_prompt = False
            if self._asked:
                self._asked[1].append(line.strip())
                self._asked[0].set()
            elif line.endswith("\\"):
                begun += line[:-1] + "\n"
            else:
                intents.submit(begun + line)
                begun = ""
        intents.finish()

    async def _lines(self) -> AsyncIterator[str]:
        fd = self._source.fileno()
        while chunk := await _read_when_there(fd):
            self._pending += chunk
            while b"\n" in self._pending:
                line, self._pending = self._pending.split(b"\n", 1)
                yield line.decode("utf-8", "replace").rstrip("\r")
        if self._pending:
            yield self._pending.decode("utf-8", "replace")

    def _drop_typed(self) -> None:
        self._pending = b""
        with suppress(termios.error):
            termios.tcflush(self._source.fileno(), termios.TCIFLUSH)

    def _write(self, text: str) -> None:
        self._out.write(writable(text, self._out))
        self._out.flush()


async def _read_when_there(fd: int) -> bytes:
    # A regular file is always readable, and epoll refuses to watch one.
    with suppress(PermissionError):
        await anyio.wait_readable(fd)
    return os.read(fd, _CHUNK)
