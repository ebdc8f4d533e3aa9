"""In which languages the tools of a catalogue are described, which is what a query has to be written in.

Told by script alone, which suffices to choose the words of a query: whatever is in Latin letters counts as English.
Source: section 5 of the tool-search design; T-C06 of the robustness page.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache

import regex

from hermes_lite.tools.spec import ToolSpec

DEFAULT = "English"
_CHINESE, _JAPANESE = "Chinese", "Japanese"
_READ_CHARS = 400
_SHARE = 0.3
_RARE = 50
_LETTER = regex.compile(r"\p{L}")
_KANA = regex.compile(r"[\p{Hiragana}\p{Katakana}]")
_SCRIPTS: Sequence[tuple[str, "regex.Pattern[str]"]] = tuple(
    (name, regex.compile(letters))
    for name, letters in (
        (_CHINESE, r"[\p{Han}\p{Hiragana}\p{Katakana}]"),
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
    """The languages of the descriptions, English first if it is one of them, the others by name.

    One that fewer than one tool in fifty has is none. Han characters alone are Japanese where their source has kana.
    """
    sources: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        sources[row.source.label].append(language(row.description[:_READ_CHARS]))
    counts = Counter(name for found in sources.values() for name in _with_kana_known(found))
    spoken = [name for name, count in counts.items() if count * _RARE >= counts.total()] or [DEFAULT]
    return tuple(sorted(spoken, key=lambda name: (name != DEFAULT, name)))


def _with_kana_known(found: Sequence[str]) -> Sequence[str]:
    return [_JAPANESE if name == _CHINESE else name for name in found] if _JAPANESE in found else found


@lru_cache(maxsize=16_384)
def language(text: str) -> str:
    """The language of `text`: the one whose script holds at least three of its letters in ten."""
    if text.isascii():
        return DEFAULT
    least = max(1, len(_LETTER.findall(text)) * _SHARE)
    found = next((name for name, script in _SCRIPTS if len(script.findall(text)) >= least), DEFAULT)
    return _JAPANESE if found == _CHINESE and _KANA.search(text) else found


def possible_languages(query: str) -> frozenset[str]:
    """What `query` may be written in: a few Han characters are as good Japanese as Chinese."""
    found = language(query)
    return frozenset((found, _JAPANESE)) if found == _CHINESE else frozenset((found,))
