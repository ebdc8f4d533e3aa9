"""Source code with its colours, a few lines at a time: each is coloured in the light of those before it."""

from collections.abc import Iterable, Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.syntax import Syntax
from rich.text import Text

from hermes_lite.text import harmless

_INDENT = 2
_TAB = 4
_LONG, _ENOUGH = 50, 20
_TOO_MUCH = 200_000


class Highlighter:
    """Colours one block in `language`, which may be empty or unknown.

    The lines are read again from some line of the block on, since a string or comment may reach over many. That line
    moves down where reading from there makes no difference, so that a long block does not get slower and slower.
    """

    def __init__(self, language: str) -> None:
        self._syntax = Syntax("", language or "text", theme="ansi_dark", background_color="default", tab_size=_TAB)
        self._before: list[str] = []
        self._long = _LONG

    def colour(self, lines: Sequence[str]) -> list[Text]:
        """The next lines of the block."""
        coloured = self.preview(lines)
        self._before += _clean(lines)
        if len(self._before) > self._long:
            self._shorten()
        return coloured

    def preview(self, lines: Sequence[str]) -> list[Text]:
        """`lines` as they would be coloured if they came next."""
        clean = _clean(lines)
        return self._coloured(self._before, clean)

    def _shorten(self) -> None:
        before, rest = self._before[:-_ENOUGH], self._before[-_ENOUGH:]
        if self._coloured([], rest) == self._coloured(before, rest):
            self._before, self._long = rest, _LONG
        else:
            self._long *= 2

    def _coloured(self, before: list[str], lines: list[str]) -> list[Text]:
        """`lines` with their colours, when `before` stands above them."""
        above = "".join(f"{line}\n" for line in before)
        code = above + "\n".join(lines)
        text = self._syntax.highlight(code) if len(code) <= _TOO_MUCH else Text(code)
        wanted = text.divide([len(above)])[-1]
        return list(wanted.split("\n", allow_blank=True))[: len(lines)]


def code_block(lines: Iterable[Text]) -> RenderableType:
    """Lines of code a little to the right, without a frame that would be copied with them."""
    return Padding(Text("\n").join(lines), (0, 0, 0, _INDENT))


def _clean(lines: Iterable[str]) -> list[str]:
    return harmless("\n".join(lines)).expandtabs(_TAB).split("\n")
