"""What a word of a query may also be called, and whether it says anything at all: the `lexicon`, ready to look up.

A meaning is keyed by its terms, as `words` makes them: one stem, the stems of a phrase, or the 2-grams of a run of
an unspaced script. Nothing here knows a catalogue.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Literal, TypeAlias

from hermes_lite.tool_search import lexicon
from hermes_lite.tool_search.words import fold, pairs, stem, unspaced

Terms: TypeAlias = tuple[str, ...]
Kind: TypeAlias = Literal["name", "view", "action", "object", "word"]
Bond: TypeAlias = Literal["itself", "synonym", "translation", "abbreviation", "spelling", "joined", "split"]

_TABLES: tuple[tuple[str, Kind], ...] = (
    (lexicon.NAMES, "name"),
    (lexicon.VIEWS, "view"),
    (lexicon.OBJECTS, "object"),
    (lexicon.ACTIONS, "action"),
)


def terms_of(word: str) -> Terms:
    """The key of one word of the lexicon or of a query; `_` joins the words of a phrase."""
    folded = fold(word).lower()
    return pairs(folded) if unspaced(folded) else tuple(map(stem, folded.replace("-", "_").split("_")))


def kind_of(terms: Terms) -> Kind:
    """`name` of a service or product, `view` (to look at is what any tool may do), `action`, `object`, or a `word`
    outside everyday software language."""
    return _kinds().get(terms, "word")


def stand_ins(terms: Terms) -> Mapping[Terms, Bond]:
    """What may stand for `terms` in a query, and by which bond."""
    return _bonds().get(terms, MappingProxyType({}))


def is_filler(word: str) -> bool:
    """Whether `word`, as written or as one folded piece of a run, is language rather than content."""
    lowered = word.lower()
    return lowered in _fillers() or stem(lowered) in _fillers()


def segments(run: str) -> Iterator[str]:
    """The words of an unspaced run: those the lexicon knows, longest first, and what is left between them.

    Fillers are left out, and they part what stands around them.
    """
    known, fillers = _unspaced_words(), _fillers()
    longest = max(map(len, known))
    start = position = 0
    while position < len(run):
        word = _longest_word(run, position, longest)
        if not word:
            position += 1
            continue
        if start < position:
            yield run[start:position]
        if word in known or word not in fillers:
            yield word
        start = position = position + len(word)
    if start < position:
        yield run[start:]


def _longest_word(run: str, position: int, longest: int) -> str:
    known, fillers = _unspaced_words(), _fillers()
    for size in range(min(longest, len(run) - position), 0, -1):
        word = run[position : position + size]
        if word in fillers or (word in known and (size > 1 or len(run) == 1)):
            return word
    return ""


@cache
def _fillers() -> frozenset[str]:
    return frozenset(fold(word).lower() for word in lexicon.FILLERS.split())


@cache
def _unspaced_words() -> frozenset[str]:
    tables = (*(table for table, _ in _TABLES), lexicon.FILLERS)
    words = frozenset(fold(word).lower() for table in tables for word in table.split() if unspaced(word))
    return words - (_fillers() - _content_words())


@cache
def _content_words() -> frozenset[str]:
    return frozenset(fold(word).lower() for table, _ in _TABLES for word in table.split())


@cache
def _kinds() -> Mapping[Terms, Kind]:
    """The kind of every word; `set` is the verb, though `settings` has the same stem."""
    words = [(word, kind) for table, kind in _TABLES for word in table.split()]
    words.sort(key=lambda item: terms_of(item[0]) != (item[0],))
    kinds: dict[Terms, Kind] = {}
    for word, kind in words:
        kinds.setdefault(terms_of(word), kind)
    for line in lexicon.ABBREVIATIONS.split("\n"):
        short, *long = line.split() or ("",)
        for word in long:
            kinds.setdefault(terms_of(short), kinds.get(terms_of(word), "object"))
    return kinds


@cache
def phrase_lengths() -> Mapping[str, int]:
    """The first word of every spaced phrase of the lexicon, with the longest phrase that it begins."""
    lengths: dict[str, int] = {}
    for terms in (*_kinds(), *_bonds()):
        if len(terms) > 1 and not unspaced(terms[0]):
            lengths[terms[0]] = max(lengths.get(terms[0], 0), len(terms))
    return lengths


def is_phrase(terms: Terms) -> bool:
    """Whether the lexicon has these words as one expression."""
    return terms in _kinds() or terms in _bonds()


@cache
def _bonds() -> Mapping[Terms, Mapping[Terms, Bond]]:
    bonds: dict[Terms, dict[Terms, Bond]] = defaultdict(dict)
    for table, kind in _TABLES:
        for line in table.splitlines():
            _bind(bonds, line.split(), "abbreviation" if kind == "name" else "synonym")
    for line in lexicon.ABBREVIATIONS.splitlines():
        short, *long = line.split() or [""]
        for word in long:
            _bind(bonds, [short, word], "abbreviation")
    return bonds


def _bind(bonds: dict[Terms, dict[Terms, Bond]], group: list[str], bond: Bond) -> None:
    keyed = [(terms_of(word), unspaced(word)) for word in group]
    for terms, runs in keyed:
        for others, others_run in keyed:
            if terms != others:
                bonds[terms].setdefault(others, "translation" if runs != others_run else bond)
