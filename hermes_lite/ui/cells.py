"""Text measured in terminal cells: a wide character takes two, a joined emoji counts once."""

import regex
from rich.cells import cell_len

_GRAPHEME = regex.compile(r"\X")
MORE = "…"


def clip(text: str, cells: int) -> str:
    """`text` in at most `cells` cells, with a mark where something is left out; never inside a grapheme."""
    if cell_len(text) <= cells:
        return text
    return _head(text, cells - 1) + MORE if cells > 0 else ""


def clip_middle(text: str, cells: int) -> str:
    """`clip` that keeps both ends: for names, whose head and tail say more than their middle."""
    if cell_len(text) <= cells:
        return text
    if cells < 5:
        return clip(text, cells)
    tail = _head(text[::-1], (cells - 1) * 2 // 3)[::-1]
    return _head(text, cells - 1 - cell_len(tail)) + MORE + tail


def _head(text: str, cells: int) -> str:
    taken, used = [], 0
    for match in _GRAPHEME.finditer(text):
        used += cell_len(match[0])
        if used > cells:
            break
        taken.append(match[0])
    return "".join(taken)
