"""Cuts Markdown that comes in piece by piece into parts that are finished.

A finished part never changes again: a line of code, an item of a list, any other block. What is still growing is
`MarkdownStream.growing`; how parts are drawn belongs to `hermes_lite.ui.answer`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

_FENCE = re.compile(r"( {0,3})(`{3,}(?=[^`]*$)|~{3,})\s*(\S*)")
_HEADING = re.compile(r" {0,3}#{1,6}( |$)")
_ITEM = re.compile(r"( {0,3})([-*+]|(\d{1,9})[.)])( {1,4}|$)")
_ITEM_BEGUN = re.compile(r" {0,3}([-*+]|\d{1,9}[.)]) +\S")
_INTERRUPTING = re.compile(r" {0,3}([-*+]|1[.)]) +\S")


@dataclass(frozen=True, slots=True)
class Prose:
    """A block that is not code, or one item of a list. `joined` goes on with the list that was begun before it."""

    text: str
    joined: bool = False


@dataclass(frozen=True, slots=True)
class Code:
    """Lines of a fenced block without its fence. `joined` goes on with the block that was begun before it."""

    lines: tuple[str, ...]
    language: str
    joined: bool = False


Part: TypeAlias = Prose | Code


@dataclass(frozen=True, slots=True)
class _Item:
    """The item that grows, or that was last: its marker, its place, the column of its text, what its number added."""

    marker: str
    number: int
    joined: bool
    column: int
    widened: int


@dataclass(slots=True)
class _Fence:
    """An open fence; `blank` lines are kept back, since they are nothing at the end of a block."""

    mark: str
    margin: int
    language: str
    begun: bool = False
    blank: int = 0

    def ends_at(self, line: str) -> bool:
        bare = line.strip()
        return bare.startswith(self.mark) and not bare.strip(self.mark[0]) and len(line) - len(line.lstrip()) < 4

    def inner(self, line: str) -> str:
        return line[min(self.margin, len(line) - len(line.lstrip(" "))) :]


class MarkdownStream:
    """Takes a reply piece by piece and gives back its parts as they end.

    A line of code ends with the line, an item where the next one begins; any other block at a blank line, at a fence
    or list that follows, and after a heading. A list ends where something stands at the margin that is no item of it.
    """

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._partial = ""
        self._fence: _Fence | None = None
        self._item: _Item | None = None

    @property
    def growing(self) -> Part:
        """What has come in but is not finished."""
        if self._fence:
            begun = "" if self._fence.mark.startswith(self._partial.strip()) else self._fence.inner(self._partial)
            return Code((*[""] * self._fence.blank, begun), self._fence.language, self._fence.begun)
        started = None if self._lines else _ITEM.match(self._partial)
        if started:
            item, text = self._counted(started, self._partial)
            return Prose(text, item.joined)
        return Prose("\n".join([*self._lines, self._partial]).strip("\n"), bool(self._lines) and self._joined)

    @property
    def _joined(self) -> bool:
        return self._item is not None and self._item.joined

    def feed(self, piece: str) -> list[Part]:
        """Add `piece`; the parts that it finishes, lines of one block of code in one."""
        *whole, self._partial = (self._partial + piece).split("\n")
        parts = [part for line in whole for part in self._line(line.removesuffix("\r"))]
        if self._begins_next():
            parts += self._end()
        return _run_together(parts)

    def close(self) -> list[Part]:
        """The reply has ended: whatever is left is its last part."""
        parts = self.feed("\n") if self._partial else []
        parts += self._end()
        self._fence = self._item = None
        return parts

    def _line(self, line: str) -> list[Part]:
        if self._fence:
            return self._in_fence(self._fence, line)
        opened = _FENCE.match(line)
        item = None if opened else self._begun_item(line)
        done = self._end() if opened or item or self._is_over(line) else []
        if opened:
            self._fence, self._item = _Fence(opened[2], len(opened[1]), opened[3]), None
        elif item:
            self._item, counted = self._counted(item, line)
            self._lines.append(counted)
        elif self._lines:
            self._lines.append(" " * (self._item.widened if self._item else 0) + line)
        elif line.strip():
            self._item = None
            self._lines.append(line)
        return done

    def _begins_next(self) -> bool:
        """Whether the line that comes in is an item already, so that what stands before it is finished."""
        if self._fence or not _ITEM_BEGUN.match(self._partial):
            return False
        return self._begun_item(self._partial) is not None

    def _in_fence(self, fence: _Fence, line: str) -> list[Part]:
        if fence.ends_at(line):
            self._fence = None
            return []
        if not line.strip():
            fence.blank += fence.begun
            return []
        part = Code((*[""] * fence.blank, fence.inner(line)), fence.language, fence.begun)
        fence.begun, fence.blank = True, 0
        return [part]

    def _begun_item(self, line: str) -> re.Match[str] | None:
        """The marker of an item that `line` begins, unless it stands within the item before it."""
        found = _ITEM.match(line)
        if not found or not self._lines:
            return found
        if self._item is None:
            return found if _INTERRUPTING.match(line) else None
        return found if len(found[1]) < self._item.column else None

    def _counted(self, item: re.Match[str], line: str) -> tuple[_Item, str]:
        """The item that `line` begins, and the line with the number that its place in the list gives it."""
        before, marker, written = self._item, item[2][-1], item[3] or ""
        joined = before is not None and before.marker == marker
        number = before.number + 1 if before and joined else int(written or 0)
        widened = max(0, len(str(number)) - len(written)) if written else 0
        counted = f"{item[1]}{number}{line[item.end(3) :]}" if written else line
        return _Item(marker, number, joined, item.end(), widened), counted

    def _is_over(self, line: str) -> bool:
        if not self._lines:
            return False
        if _HEADING.match(self._lines[0]) or _HEADING.match(line):
            return True
        if self._item is None:
            return not line.strip()
        return bool(line.strip()) and not line.startswith("  ") and not self._lines[-1].strip()

    def _end(self) -> list[Part]:
        block = "\n".join(self._lines).strip("\n")
        self._lines.clear()
        return [Prose(block, self._joined)] if block.strip() else []


def _run_together(parts: Iterable[Part]) -> list[Part]:
    """`parts` with the lines of one block of code in one part."""
    together: list[Part] = []
    for part in parts:
        last = together[-1] if together else None
        if isinstance(part, Code) and part.joined and isinstance(last, Code):
            together[-1] = Code(last.lines + part.lines, last.language, last.joined)
        else:
            together.append(part)
    return together
