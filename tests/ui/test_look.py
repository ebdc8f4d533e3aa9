"""What a terminal cannot show is left out at the exit, cell for cell."""

import io

import pytest
from rich.cells import cell_len
from rich.text import Text

from hermes_lite.ui.look import Look, look_of, render, writable
from tests.support.promises import promise
from tests.ui.scrollback import BARE, shown


class _Stream(io.StringIO):
    def __init__(self, tty: bool, encoding: str = "utf-8") -> None:
        super().__init__()
        self._tty, self._encoding = tty, encoding

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding

    def isatty(self) -> bool:
        return self._tty


@promise("SCREEN-6")
@pytest.mark.parametrize(
    ("environ", "tty", "plain", "look"),
    [
        ({"TERM": "xterm-256color"}, True, "auto", Look(color=True, unicode=True, live=True)),
        ({"TERM": "xterm", "NO_COLOR": "1"}, True, "auto", Look(color=False, unicode=True, live=True)),
        ({"TERM": "xterm", "NO_COLOR": ""}, True, "auto", Look(color=True, unicode=True, live=True)),
        ({"TERM": "dumb"}, True, "auto", Look(color=False, unicode=True, live=False)),
        ({"TERM": "xterm"}, True, "on", Look(color=False, unicode=True, live=False)),
        ({"TERM": "xterm"}, False, "auto", Look(color=False, unicode=True, live=False)),
        ({"TERM": "xterm", "FORCE_COLOR": "1"}, False, "auto", Look(color=True, unicode=True, live=False)),
    ],
)
def test_the_look_follows_the_terminal_and_the_conventions(
    environ: dict[str, str], tty: bool, plain: str, look: Look
) -> None:
    assert look_of(environ, _Stream(tty), plain) == look  # type: ignore[arg-type]


def test_a_terminal_that_is_not_utf_8_gets_no_glyph_that_it_cannot_show() -> None:
    look = look_of({"TERM": "xterm"}, _Stream(True, "ANSI_X3.4-1968"), "auto")
    assert not look.unicode
    glyphs = "› … · • ✓ ✗ ⊘ ■ █ ░ ─ │ ▌ ↳ ≡ ± ⠋ ⠧"
    drawn = render(Text(glyphs), Look(color=False, unicode=False, live=True), 80).rstrip("\n")
    assert drawn.isascii()
    assert cell_len(drawn) == cell_len(glyphs)


def test_what_an_encoding_has_no_room_for_is_replaced() -> None:
    assert writable("é日\ud800 x", _Stream(True, "ascii")) == "??? x"
    assert writable("é日 x", _Stream(True, "latin-1")) == "é? x"


def test_without_colour_not_one_escape_is_written() -> None:
    assert "\x1b" not in shown(Text("x", style="bold red"), look=BARE)


def test_no_line_ends_in_spaces() -> None:
    assert render(Text("a   \nb\t"), BARE, 10) == "a\nb\n"
