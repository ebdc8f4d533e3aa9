"""Puts questions to the person one after the other, whoever asks: the gate, a tool, an MCP server."""

import anyio
from rich.console import RenderableType

from hermes_lite.ui.terminal import Say, Terminal


class Questions:
    """`say` prints a question; the next one is printed only when this one has its answer or was withdrawn."""

    def __init__(self, terminal: Terminal, say: Say) -> None:
        self._terminal = terminal
        self._say = say
        self._one_at_a_time = anyio.Lock()
        self.whole: RenderableType | None = None
        """The open question without anything folded away, for Ctrl-O."""

    @property
    def can_unfold(self) -> bool:
        """Whether the person has a key for it. Where not, nothing may be folded away."""
        return self._terminal.look.live

    async def put(self, question: RenderableType, hint: str, whole: RenderableType | None = None) -> str | None:
        """The line that was typed in answer; `None` when it was declined. Cancelling withdraws the question."""
        async with self._one_at_a_time:
            self._say(question)
            self.whole = whole
            try:
                return await self._terminal.answer(hint)
            finally:
                self.whole = None
