"""Text measured in terminal cells: a wide character takes two, a joined emoji counts once."""

from collections.abc import Iterable

import regex
from rich.cells import cell_len

_GRAPHEME = regex.compile(r"\X")
MORE = "…"


def clip(text: str, cells: int) -> str:
    """`text` in at most `cells` cells, with a mark where something is left out; never inside a grapheme."""
    if cell_len(text) <= cells:
        return text
    return "".join(_fitting(_GRAPHEME.findall(text), cells - 1)) + MORE if cells > 0 else ""


def clip_middle(text: str, cells: int) -> str:
    """`clip` that keeps both ends: for names, whose head and tail say more than their middle."""
    if cell_len(text) <= cells:
        return text
    if cells < 5:
        return clip(text, cells)
    graphemes = _GRAPHEME.findall(text)
    tail = "".join(reversed(_fitting(reversed(graphemes), (cells - 1) * 2 // 3)))
    return "".join(_fitting(graphemes, cells - 1 - cell_len(tail))) + MORE + tail


def _fitting(graphemes: Iterable[str], cells: int) -> list[str]:
    taken, used = [], 0
    for grapheme in graphemes:
        used += cell_len(grapheme)
        if used > cells:
            break
        taken.append(grapheme)
    return taken
