"""A mark and a text whose further rows stand below the text, not below the mark."""

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.text import Text

_NARROW = 12


class Hanging:
    """`mark` in its style, such as `"› "`, then `body`; on a very narrow terminal `body` gets rows of its own."""

    def __init__(self, mark: str, body: RenderableType, style: str = "none") -> None:
        self._mark = mark
        self._body = body
        self._style = style

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if options.max_width < _NARROW:
            yield Text(self._mark.strip(), style=self._style)
            yield self._body
            return
        indent, style = cell_len(self._mark), console.get_style(self._style)
        body = console.render_lines(self._body, options.update(width=options.max_width - indent), pad=False)
        for row, line in enumerate(body):
            yield Segment(self._mark, style) if row == 0 else Segment(" " * indent)
            yield from line
            yield Segment.line()
