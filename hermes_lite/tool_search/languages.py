"""In which languages the tools of a catalogue are described, which is what a query has to be written in.

Told by script alone, which suffices to choose the words of a query: whatever is in Latin letters counts as English.
Source: section 5 of the tool-search design; T-C06 of the robustness page.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

import regex

from hermes_lite.tools.spec import ToolSpec

DEFAULT = "English"
_READ_CHARS = 400
_SHARE = 0.3
_LETTER = regex.compile(r"\p{L}")
_KANA = regex.compile(r"[\p{Hiragana}\p{Katakana}]")
_SCRIPTS: Sequence[tuple[str, "regex.Pattern[str]"]] = tuple(
    (name, regex.compile(letters))
    for name, letters in (
        ("Chinese", r"[\p{Han}\p{Hiragana}\p{Katakana}]"),
        ("Korean", r"\p{Hangul}"),
        ("Russian", r"\p{Cyrillic}"),
        ("Arabic", r"\p{Arabic}"),
        ("Hebrew", r"\p{Hebrew}"),
        ("Greek", r"\p{Greek}"),
        ("Hindi", r"\p{Devanagari}"),
        ("Thai", r"\p{Thai}"),
    )
)


def languages(rows: Iterable[ToolSpec]) -> tuple[str, ...]:
    """The languages of the descriptions, English first if it is one of them, the others by name."""
    found = {language(row.description[:_READ_CHARS]) for row in rows} or {DEFAULT}
    return tuple(sorted(found, key=lambda name: (name != DEFAULT, name)))


@lru_cache(maxsize=16_384)
def language(text: str) -> str:
    """The language of `text`: the one whose script holds at least three of its letters in ten."""
    if text.isascii():
        return DEFAULT
    least = max(1, len(_LETTER.findall(text)) * _SHARE)
    found = next((name for name, script in _SCRIPTS if len(script.findall(text)) >= least), DEFAULT)
    return "Japanese" if found == "Chinese" and _KANA.search(text) else found
