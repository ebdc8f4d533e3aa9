"""A query as the concepts it asks for.

Fillers go, identifiers are split, runs of unspaced scripts are cut into words, expressions of several words are kept
together, and each one that is left becomes a `Concept` with everything that may stand for it: other words for it, the
word that was probably meant, the joined or the split form that this catalogue uses. How well a tool answers is
`ranking`'s business.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import regex

from hermes_lite.tool_search.thesaurus import (
    Bond,
    Kind,
    Terms,
    is_filler,
    is_phrase,
    kind_of,
    phrase_lengths,
    segments,
    stand_ins,
    terms_of,
)
from hermes_lite.tool_search.words import chunks, fold, pairs, parts, stem, unspaced

_PREFIX = regex.compile(r"^\s*([\w.-]+(?: [\w.-]+){0,3})\s*[:：](?!//)\s*(\S.*)$", regex.DOTALL)
_CLAUSE = regex.compile(r"[,;、；，。！？\n]|[.!?](?:\s|$)|\s[+&|/]\s|\b(?:and|or|then)\b", regex.IGNORECASE)
_WHERE = frozenset(("in", "on", "at", "by", "within", "inside", "via", "using"))
_ACTING: frozenset[Kind] = frozenset(("action", "view"))
_ACTED_ON: frozenset[Kind] = frozenset(("object", "word"))
_TOOL_WORDS = frozenset(("tool", "tools", "server", "servers", "source", "sources", "capability", "capabilities"))
_UNSPACED_TOOL_WORDS = ("ツール", "工具", "サーバー", "服务器")
_LISTING = frozenset(("list", "show", "avail", "exist", "server", "sourc", "connect", "all", "see", "view", "which"))
_KEYWORDS = 16  # words of a clause up to which an unknown one may be a misspelling; prose is full of names
_LONGEST = 4000  # characters of a query that are read
_MOST = 64  # concepts that count
_SPLIT_MINIMUM = 3
_JOIN_MINIMUM = 5


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way in which a tool may say what was asked."""

    terms: Terms
    bond: Bond


@dataclass(frozen=True, slots=True)
class Concept:
    """One thing that the query asks for.

    `soft` marks a piece of an unspaced run, where parts may match; `aside` what only says where ("in the project").
    """

    text: str
    kind: Kind
    alternatives: tuple[Alternative, ...]
    soft: bool = False
    aside: bool = False

    @property
    def terms(self) -> Terms:
        return self.alternatives[0].terms


@dataclass(frozen=True, slots=True)
class Query:
    """`intents` are the positions of the concepts of each thing asked for ("list issues; create a label")."""

    text: str
    concepts: tuple[Concept, ...]
    intents: tuple[tuple[int, ...], ...]
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
    concepts: dict[Terms, Concept] = {}
    clauses: list[list[Terms]] = []
    dropped: list[str] = []
    for clause in _CLAUSE.split(text[:_LONGEST]):
        found = list(_clause_concepts(clause, vocabulary, dropped))
        for concept in found:
            concepts.setdefault(concept.terms, concept)
        clauses.append([concept.terms for concept in found])
    kept = _without_repeats(list(concepts.values())[:_MOST])
    return Query(
        text, kept, tuple(_intents(kept, clauses)), tuple(dict.fromkeys(dropped)), _asks_for_sources(text, kept)
    )


def _without_repeats(concepts: Sequence[Concept]) -> tuple[Concept, ...]:
    """`concepts` without those that only repeat another by its short or full name (`pg postgres`)."""
    kept: list[Concept] = []
    for concept in concepts:
        same = {other.terms for other in concept.alternatives if other.bond in ("itself", "abbreviation")}
        if not any(other.terms in same for other in kept):
            kept.append(concept)
    return tuple(kept)


def _intents(concepts: Sequence[Concept], clauses: Sequence[Sequence[Terms]]) -> Iterator[tuple[int, ...]]:
    """Each clause that names an action and an object is an intent of its own, with every name; else all is one."""
    groups = [[at for at, concept in enumerate(concepts) if concept.terms in clause] for clause in clauses if clause]
    kinds = [{concepts[at].kind for at in group} for group in groups]
    if len(groups) < 2 or not all(each & _ACTING and each & _ACTED_ON for each in kinds):
        yield tuple(range(len(concepts)))
        return
    names = [at for at, concept in enumerate(concepts) if concept.kind == "name"]
    for group in groups:
        yield tuple(sorted({*group, *names}))


def _clause_concepts(clause: str, vocabulary: Vocabulary, dropped: list[str]) -> Iterator[Concept]:
    """The concepts of one clause; its fillers are added to `dropped`."""
    pieces = list(_pieces(clause, vocabulary))
    position, aside = 0, False
    while position < len(pieces):
        rest = pieces[position:]
        concept = _phrase(rest, vocabulary) or _joined(rest[:2], vocabulary)
        size = len(concept.text.split()) if concept else 1
        position += size
        aside = aside or rest[0] in _WHERE
        if concept is None and not is_filler(rest[0]) and (not rest[0].isdecimal() or rest[0] in vocabulary):
            concept = _concept(rest[0], vocabulary, len(pieces) <= _KEYWORDS)
        if concept is None:
            dropped.append(rest[0])
        else:
            yield replace(concept, aside=aside)


def _phrase(words: Sequence[str], vocabulary: Vocabulary) -> Concept | None:
    """The longest expression of the lexicon that `words` begin with."""
    for size in range(min(phrase_lengths().get(stem(words[0]), 0), len(words)), 1, -1):
        key, joined = tuple(map(stem, words[:size])), stem("".join(words[:size]))
        if is_phrase(key):
            together = (Alternative((joined,), "joined"),) if vocabulary.is_word(joined) else ()
            alternatives = (Alternative(key, "itself"), *together, *_others(key))
            return Concept(" ".join(words[:size]), kind_of(key), alternatives)
    return None


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


def _joined(pair: Sequence[str], vocabulary: Vocabulary) -> Concept | None:
    """`circle ci` as `circleci`, where the catalogue writes it so."""
    if len(pair) < 2 or any(unspaced(word) or is_filler(word) for word in pair) or len("".join(pair)) < _JOIN_MINIMUM:
        return None
    term = stem("".join(pair))
    if not vocabulary.is_word(term):
        return None
    apart = Alternative(tuple(map(stem, pair)), "split")
    return Concept(" ".join(pair), kind_of((term,)), (Alternative((term,), "joined"), apart, *_others((term,))))


def _concept(word: str, vocabulary: Vocabulary, mend: bool) -> Concept:
    key = terms_of(word)
    alternatives = (Alternative(key, "itself"), *_others(key))
    soft = unspaced(word)
    if mend and not soft and kind_of(key) == "word" and not vocabulary.is_word(key[0]):
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
