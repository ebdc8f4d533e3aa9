"""Makes what a person is asked to allow visible to the last character.

Escape sequences, bidirectional marks, zero-width and look-alike spaces are written out as `<U+202E>`, never dropped:
dropping them would show a command other than the one that runs.
"""

import unicodedata

_HIDDEN = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
_KEPT = frozenset("\n\t ")
# Letters and marks that are drawn as nothing: Hangul and Khmer fillers, the empty Braille cell, joiners of graphemes.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")


def visible(text: str) -> str:
    """`text` with every character that a reader cannot see, or a terminal would act on, written out."""
    return "".join(f"<U+{ord(char):04X}>" if _is_hidden(char) else char for char in text)


def has_hidden(text: str) -> bool:
    return any(_is_hidden(char) for char in text)


def _is_hidden(char: str) -> bool:
    if char in _KEPT:
        return False
    category = unicodedata.category(char)
    return category in _HIDDEN or category == "Zs" or char in _BLANK
