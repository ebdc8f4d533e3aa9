"""Streaming Markdown: cut a growing text into finished blocks, and draw a block.

A finished block is printed once and never again. What is still growing is `MarkdownStream.tail`; how much of
it is shown meanwhile is the business of the terminal.
"""

import re

from rich.console import Console, ConsoleOptions, RenderResult
from rich.segment import Segment

from hermes_lite.text import harmless

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^`]*)$")
_HEADING = re.compile(r" {0,3}#{1,6}( |$)")
_LIST = re.compile(r" {0,3}([-*+]|\d{1,9}[.)])( |$)")


class MarkdownStream:
    """Takes a reply piece by piece and gives back its blocks as they end.

    A block ends at a blank line outside a fence, at the end of a fence and after a heading; a list ends where
    something stands at the margin that is not an item of it.
    """

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._partial = ""
        self._fence = ""

    def tail(self, lines: int) -> str:
        """What has come in but is not finished: at most the last `lines` lines, a fence with its opening."""
        opening = self._lines[:1] if self._fence and len(self._lines) >= lines else []
        return "\n".join([*opening, *[*self._lines[-lines:], self._partial][-lines:]])

    def feed(self, piece: str) -> list[str]:
        """Add `piece`; the blocks that it finishes."""
        *whole, self._partial = (self._partial + piece).split("\n")
        return [block for line in whole for block in self._line(line.removesuffix("\r"))]

    def close(self) -> list[str]:
        """The reply has ended: whatever is left is its last block."""
        blocks = self.feed("\n") if self._partial else []
        blocks += self._end()
        self._fence = ""
        return blocks

    def _line(self, line: str) -> list[str]:
        if self._fence:
            return self._in_fence(line)
        opened = _FENCE.match(line)
        done = self._end() if opened or self._is_over(line) else []
        self._fence = opened[1] if opened else ""
        if line.strip() or self._lines:
            self._lines.append(line)
        return done

    def _is_over(self, line: str) -> bool:
        if not self._lines:
            return False
        if _HEADING.match(self._lines[0]) or _HEADING.match(line):
            return True
        if not _LIST.match(self._lines[0]):
            return not line.strip()
        outside = bool(line.strip()) and not line.startswith("  ") and not _LIST.match(line)
        return outside and not self._lines[-1].strip()

    def _in_fence(self, line: str) -> list[str]:
        self._lines.append(line)
        bare = line.strip()
        if bare.startswith(self._fence) and not bare.strip(self._fence[0]):
            self._fence = ""
            return self._end()
        return []

    def _end(self) -> list[str]:
        block = "\n".join(self._lines).strip("\n")
        self._lines.clear()
        return [block] if block.strip() else []


class Block:
    """One block of an answer, without empty lines around it. The renderer is loaded when the first one is drawn."""

    def __init__(self, text: str) -> None:
        self._text = harmless(text)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from hermes_lite.ui.document import Document

        lines = console.render_lines(Document(self._text), options, pad=False)
        kept = [index for index, line in enumerate(lines) if any(segment.text.strip() for segment in line)]
        for line in lines[kept[0] : kept[-1] + 1] if kept else ():
            yield from line
            yield Segment.line()
