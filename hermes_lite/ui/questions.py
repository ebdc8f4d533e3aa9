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

    async def put(self, question: RenderableType, hint: str) -> str | None:
        """The line that was typed in answer; `None` when it was declined. Cancelling withdraws the question."""
        async with self._one_at_a_time:
            self._say(question)
            return await self._terminal.answer(hint)
