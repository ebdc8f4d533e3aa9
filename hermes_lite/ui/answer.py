"""How a reply becomes rows: what is finished, to be printed once, and the few rows that still grow.

A part is printed when it ends. A block that gets longer than `_HELD` rows is printed from its top while it grows, as
far as nothing that may follow can change how a row reads. So the same reply leaves the same rows, in whatever pieces
it came in.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.text import Text

from hermes_lite.text import harmless
from hermes_lite.ui.look import Look, render
from hermes_lite.ui.markdown import Code, MarkdownStream, Part, Prose

if TYPE_CHECKING:
    from hermes_lite.ui.code import Highlighter

_HELD = 5
_REDRAWN, _PARSED = 4_000, 20_000
_BARE = Look(color=False, unicode=True, live=False)
_UNSETTLED = re.compile(r"`|~~|\[|<\S|\*\S|\S\*|(?<!\w)_|_(?!\w)")
# What every row of a quote begins with is not the text's either.
_NO_INK = re.compile(r"[\s▌]+")


class Block:
    """One block of an answer, without empty lines around it. The renderer is loaded when the first one is drawn.

    `above` characters of it, white space not counted, are printed already and left out, `rows` are drawn at most.
    """

    def __init__(self, text: str, above: int = 0, rows: int | None = None) -> None:
        self._text = harmless(text)
        self._above = above
        self._rows = rows

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from hermes_lite.ui.document import Document

        lines = console.render_lines(Document(self._text), options, pad=False)
        kept = [index for index, line in enumerate(lines) if any(segment.text.strip() for segment in line)]
        inked = lines[kept[0] : kept[-1] + 1] if kept else []
        for line in _below(inked, self._above)[: self._rows]:
            yield from line
            yield Segment.line()


@dataclass(frozen=True, slots=True)
class Shown:
    """Something to print. `joined` goes on with what was printed last, without an empty line between."""

    what: RenderableType
    joined: bool = False


class Answer:
    """Takes the text of a reply. `width` is that of the terminal, in cells, and may change."""

    def __init__(self, width: Callable[[], int]) -> None:
        self._width = width
        self._stream = MarkdownStream()
        self._colours: Highlighter | None = None
        self._above = self._read = 0
        self._drawn_from: tuple[Part, int, Look, int] | None = None
        self._drawn: list[str] = []

    def feed(self, text: str) -> list[Shown]:
        """What can be printed now that `text` has come in."""
        return [*self._finished(self._stream.feed(text)), *self._overflow()]

    def close(self) -> list[Shown]:
        """The reply has ended: the rest of it."""
        rest = list(self._finished(self._stream.close()))
        self._above = 0
        return rest

    def growing(self, look: Look, width: int) -> list[str]:
        """The rows of what is not printed yet, set apart from what is where they do not go on with it."""
        now = (self._stream.growing, self._above, look, width)
        if now != self._drawn_from:
            self._drawn_from, self._drawn = now, self._rows_of(now[0], look, width)
        return self._drawn

    def _rows_of(self, part: Part, look: Look, width: int) -> list[str]:
        if isinstance(part, Code):
            from hermes_lite.ui.code import code_block

            what, joined = code_block(self._highlighter(part).preview(part.lines)), part.joined
        elif part.text.strip():
            what, joined = _preview(part.text, self._above, width), self._goes_on(part)
        else:
            return []
        return [*([] if joined else [""]), *render(what, look, width).removesuffix("\n").split("\n")]

    def _finished(self, parts: Iterable[Part]) -> Iterator[Shown]:
        for part in parts:
            self._read = 0
            if isinstance(part, Code):
                yield self._coloured(part)
            else:
                yield from self._rest_of(part)

    def _coloured(self, part: Code) -> Shown:
        from hermes_lite.ui.code import code_block

        self._colours = self._highlighter(part)
        return Shown(code_block(self._colours.colour(part.lines)), part.joined)

    def _rest_of(self, part: Prose) -> Iterator[Shown]:
        size = _ink(_rows(Block(part.text), self._width()))
        if self._above < size:
            yield Shown(Block(part.text, self._above), self._goes_on(part))
        self._above = max(0, self._above - size)

    def _overflow(self) -> Iterator[Shown]:
        """The rows of a long block that are there to stay; asked anew when about one more row has come in.

        What may be a table is none of these: its columns change with every row.
        """
        part, width = self._stream.growing, self._width()
        if isinstance(part, Code) or "|" in part.text or not self._read + width < len(part.text) <= _PARSED:
            return
        self._read = len(part.text)
        rows = _rows(Block(part.text, self._above), width)
        firm = [*takewhile(lambda row: not _UNSETTLED.search(row), rows[:-_HELD])]
        while firm and not firm[-1]:
            firm.pop()
        if firm:
            yield Shown(Block(part.text, self._above, len(firm)), self._goes_on(part))
            self._above += _ink(firm)

    def _goes_on(self, part: Prose) -> bool:
        return part.joined or self._above > 0

    def _highlighter(self, part: Code) -> "Highlighter":
        from hermes_lite.ui.code import Highlighter

        return self._colours if part.joined and self._colours else Highlighter(part.language)


def _preview(text: str, above: int, width: int) -> RenderableType:
    """A block that grows; of one too long to be read anew at every redraw, the end as it was written."""
    return Block(text, above) if len(text) <= _REDRAWN else Text(harmless(text[-_HELD * width :]), overflow="fold")


def _rows(block: Block, width: int) -> list[str]:
    return render(block, _BARE, width).rstrip("\n").split("\n")


def _ink(rows: Iterable[str]) -> int:
    """The characters that show, by which a place in a block is known whatever the width of the terminal."""
    return sum(len(_NO_INK.sub("", row)) for row in rows)


def _below(lines: list[list[Segment]], above: int) -> list[list[Segment]]:
    """`lines` from the one on that holds more than the first `above` characters."""
    for index, line in enumerate(lines):
        if above <= 0:
            return lines[index:]
        size = _ink(segment.text for segment in line)
        if above < size:
            return [_after(line, above), *lines[index + 1 :]]
        above -= size
    return []


def _after(line: list[Segment], above: int) -> list[Segment]:
    """`line` without its first `above` characters; only a terminal that changed its width has such a line."""
    text = "".join(segment.text for segment in line)
    start = next(index for index in range(len(text)) if _ink(text[:index]) == above)
    *_, rest = Segment.divide(line, (cell_len(text[:start]), Segment.get_line_length(line)))
    return rest
