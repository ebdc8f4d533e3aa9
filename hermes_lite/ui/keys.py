"""Keys that some terminals report with their modifiers, in the forms `CSI 13;2u` (kitty) and `CSI 27;2;13~` (xterm).

They are understood, never asked for: what would switch the reporting on also changes how Esc, Ctrl-C and Alt arrive,
and a shell that is killed could not take it back. So a terminal that reports them does so by its own setting. Ctrl
and Esc are understood as well, because a program before us may have left the reporting on.
"""

from collections.abc import Iterator
from string import ascii_lowercase
from typing import TypeAlias

from prompt_toolkit.input.ansi_escape_sequences import ANSI_SEQUENCES
from prompt_toolkit.keys import Keys

Meaning: TypeAlias = Keys | tuple[Keys, ...]
_ENTER, _ESCAPE = 13, 27
_SHIFT, _ALT, _SHIFT_ALT, _CTRL = 2, 3, 4, 5
_NEW_LINE = (Keys.Escape, Keys.ControlM)


def understand_reported_keys() -> None:
    """Teach the parser of prompt_toolkit, which all its inputs share; once is enough, again does no harm."""
    ANSI_SEQUENCES.update(_reported())


def _reported() -> Iterator[tuple[str, Meaning]]:
    """Enter with Shift or Alt is Alt-Enter; with Ctrl it stays Enter."""
    yield f"\x1b[{_ESCAPE}u", Keys.Escape
    for modifier in (_SHIFT, _ALT, _SHIFT_ALT):
        yield from _both(_ENTER, modifier, _NEW_LINE)
    yield from _both(_ENTER, _CTRL, Keys.ControlM)
    for letter in ascii_lowercase:
        yield from _both(ord(letter), _CTRL, Keys(f"c-{letter}"))


def _both(code: int, modifier: int, meaning: Meaning) -> Iterator[tuple[str, Meaning]]:
    yield f"\x1b[{code};{modifier}u", meaning
    yield f"\x1b[27;{modifier};{code}~", meaning
