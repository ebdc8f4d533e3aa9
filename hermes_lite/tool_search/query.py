"""A query as the concepts it asks for.

Fillers go, identifiers are split, runs of unspaced scripts are cut into words, and each word that is left becomes a
`Concept` with everything that may stand for it: other words for it, the word that was probably meant, the joined or
the split form that this catalogue uses. How well a tool answers is `ranking`'s business.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

import regex

from hermes_lite.tool_search.thesaurus import Bond, Kind, Terms, is_filler, kind_of, segments, stand_ins, terms_of
from hermes_lite.tool_search.words import chunks, fold, pairs, parts, stem, unspaced

_PREFIX = regex.compile(r"^\s*([\w.-]+(?: [\w.-]+){0,3})\s*[:：](?!//)\s*(\S.*)$", regex.DOTALL)
_TOOL_WORDS = frozenset(("tool", "tools", "server", "servers", "source", "sources", "capability", "capabilities"))
_UNSPACED_TOOL_WORDS = ("ツール", "工具", "サーバー", "服务器")
_LISTING = frozenset(("list", "show", "avail", "exist", "server", "sourc", "connect", "all", "see", "view", "which"))
_SPLIT_MINIMUM = 3
_JOIN_MINIMUM = 5


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way in which a tool may say what was asked."""

    terms: Terms
    bond: Bond


@dataclass(frozen=True, slots=True)
class Concept:
    """One thing that the query asks for. `soft` marks a piece of an unspaced run, where parts may match."""

    text: str
    kind: Kind
    alternatives: tuple[Alternative, ...]
    soft: bool = False

    @property
    def known(self) -> bool:
        """Whether everyday software language has the word."""
        return self.kind != "word"


@dataclass(frozen=True, slots=True)
class Query:
    """`prefix` is what stood before a colon, `asks_for_sources` a query that asks what tools there are."""

    text: str
    prefix: str
    concepts: tuple[Concept, ...]
    dropped: tuple[str, ...]
    asks_for_sources: bool


class Vocabulary(Protocol):
    """What a query may ask of the catalogue it is meant for."""

    def __contains__(self, term: str) -> bool: ...

    def is_word(self, term: str) -> bool:
        """Whether `term` stands in names, labels or summaries as a word, not just as a joined identifier."""
        ...

    def meant_by(self, word: str) -> tuple[str, ...]:
        """The terms of the words nearest to a misspelt `word`; nothing when it is no likely misspelling."""
        ...


def split_prefix(text: str) -> tuple[str, str]:
    """`server: words` as its two halves; without a colon the first is empty."""
    match = _PREFIX.match(text)
    return (match[1], match[2]) if match else ("", text)


def could_be_label(prefix: str) -> bool:
    """Whether `prefix` looks like the name of a source: one identifier that is no everyday word."""
    if not prefix.isascii() or " " in prefix or is_filler(prefix):
        return False
    return kind_of(terms_of(prefix)) in ("name", "word")


def read(text: str, vocabulary: Vocabulary) -> Query:
    """The concepts of `text`, each once, in order."""
    pieces = list(_pieces(text, vocabulary))
    dropped = tuple(dict.fromkeys(piece for piece in pieces if is_filler(piece)))
    content = list({terms_of(piece): piece for piece in reversed(pieces) if _counts(piece, vocabulary)}.values())[::-1]
    concepts = tuple(_concepts(content, vocabulary))
    return Query(text, "", concepts, dropped, _asks_for_sources(text, concepts))


def _counts(piece: str, vocabulary: Vocabulary) -> bool:
    """Whether `piece` is content: no filler, and no number that only this request knows."""
    return not is_filler(piece) and (not piece.isdecimal() or piece in vocabulary)


def _pieces(text: str, vocabulary: Vocabulary) -> Iterator[str]:
    for chunk in chunks(text):
        if unspaced(chunk[:1]):
            yield from _run_pieces(chunk)
            continue
        found = parts(chunk)
        whole = "".join(found)
        if is_filler(chunk) or len(found) < 2 or stem(whole) in vocabulary:
            yield chunk.lower() if is_filler(chunk) else whole
        else:
            yield from (part for part in found if len(part) > 1)


def _run_pieces(run: str) -> Iterator[str]:
    for segment in segments(fold(run).lower()):
        yield from (segment,) if stand_ins(terms_of(segment)) else pairs(segment)


def _concepts(content: list[str], vocabulary: Vocabulary) -> Iterator[Concept]:
    position = 0
    while position < len(content):
        joined = _joined(content[position : position + 2], vocabulary)
        yield joined or _concept(content[position], vocabulary)
        position += 2 if joined else 1


def _joined(pair: list[str], vocabulary: Vocabulary) -> Concept | None:
    """`circle ci` as `circleci`, where the catalogue writes it so."""
    if len(pair) < 2 or any(unspaced(word) for word in pair) or len("".join(pair)) < _JOIN_MINIMUM:
        return None
    term = stem("".join(pair))
    if not vocabulary.is_word(term):
        return None
    apart = Alternative(tuple(map(stem, pair)), "split")
    return Concept(term, kind_of((term,)), (Alternative((term,), "joined"), apart, *_others((term,))))


def _concept(word: str, vocabulary: Vocabulary) -> Concept:
    key = terms_of(word)
    alternatives = (Alternative(key, "itself"), *_others(key))
    soft = unspaced(word)
    if not soft and not any(all(term in vocabulary for term in other.terms) for other in alternatives):
        alternatives += tuple(_repairs(word, vocabulary))
    return Concept(word, kind_of(key), alternatives, soft)


def _others(key: Terms) -> tuple[Alternative, ...]:
    return tuple(Alternative(terms, bond) for terms, bond in stand_ins(key).items())


def _repairs(word: str, vocabulary: Vocabulary) -> Iterable[Alternative]:
    """What an unknown word may be: two known words written as one, else a misspelling."""
    cuts = range(_SPLIT_MINIMUM, len(word) - _SPLIT_MINIMUM + 1)
    halves = [(stem(word[:cut]), stem(word[cut:])) for cut in cuts]
    split = [Alternative(both, "split") for both in halves if all(map(vocabulary.is_word, both))]
    return split[:1] or [Alternative((term,), "spelling") for term in vocabulary.meant_by(word)]


def _asks_for_sources(text: str, concepts: tuple[Concept, ...]) -> bool:
    lowered = fold(text).lower()
    about_tools = any(word in _TOOL_WORDS for word in chunks(lowered)) or any(
        word in lowered for word in _UNSPACED_TOOL_WORDS
    )
    listing = all(concept.alternatives[0].terms[0] in _LISTING or _means_listing(concept) for concept in concepts)
    return listing and (about_tools or not concepts)


def _means_listing(concept: Concept) -> bool:
    return concept.soft and any(other.terms[0] in _LISTING for other in concept.alternatives)
