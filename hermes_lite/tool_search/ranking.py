"""Which tools answer a query: the score that orders them and the confidence that admits them.

The score is rank-bm25's Okapi, fed by postings, with an idf that is never negative; each concept of a query scores by
its best stand-in. Confidence is how much of the query a tool accounts for, whatever else the catalogue holds: words of
the source that the query names do not count inside that source. A `Ranking` has three tiers: `matches` are confident,
`weak` do not fit well, `rest` is what ranks below. Source: section 6 of the tool-search design.
"""

import difflib
import math
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from rank_bm25 import BM25Okapi

from hermes_lite.tool_search.catalog import Catalogue, letters
from hermes_lite.tool_search.parameters import CHOSEN, Parameters
from hermes_lite.tool_search.postings import Bools, Document, Floats, Ints, Postings, documents, label_terms
from hermes_lite.tool_search.query import Alternative, Concept, Query, could_be_label, read, split_prefix
from hermes_lite.tool_search.thesaurus import Terms
from hermes_lite.tool_search.words import language

Verdict: TypeAlias = Literal["found", "nothing", "language", "sources", "unknown_source"]

_INDEXES = 8
_WEAK = 3
_REST = 50


class Okapi(BM25Okapi):
    """rank-bm25's Okapi over postings; the idf is never negative, and an empty corpus is one too."""

    def __init__(self, postings: Postings, k1: float, b: float) -> None:
        self.k1, self.b, self.epsilon = k1, b, 0.0
        self.postings = postings
        self.doc_len = postings.lengths
        self.corpus_size = len(postings.lengths)
        self.avgdl = float(postings.lengths.mean()) if self.corpus_size else 1.0
        self.idf: Any = np.zeros(0)
        self._calc_idf(np.diff(postings.starts))
        frequency = postings.frequencies
        norm = k1 * (1 - b + b * self.doc_len / (self.avgdl or 1.0))
        self.parts = self.idf[self._numbers()] * frequency * (k1 + 1) / (frequency + norm[postings.holders])

    def _calc_idf(self, nd: Any) -> None:
        self.idf = np.log1p((self.corpus_size - nd + 0.5) / (nd + 0.5))

    def _numbers(self) -> Ints:
        counts = np.diff(self.postings.starts)
        return np.repeat(np.arange(len(counts)), counts)

    def idf_of(self, term: str) -> float:
        """The idf of `term`; that of a term which no document holds is the greatest there is."""
        number = self.postings.numbers.get(term)
        return math.log1p((self.corpus_size + 0.5) / 0.5) if number is None else float(self.idf[number])

    def get_scores(self, query: Sequence[str]) -> Floats:
        """The plain score of every document, in their order, for a list of terms."""
        scores = np.zeros(self.corpus_size)
        for term in query:
            span = self.postings.span(term)
            scores[self.postings.holders[span]] += self.parts[span]
        return scores


@dataclass(frozen=True, slots=True)
class Hits:
    """The documents that hold a stand-in: their share of the score, how sure the field makes it, whether in the name."""

    holders: Ints
    scores: Floats
    strengths: Floats
    in_name: Bools
    idf: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """What every document says to one concept. `names` marks the documents whose source the concept names."""

    concept: Concept
    idf: float
    scores: Floats
    bonds: Floats
    strengths: Floats
    in_name: Floats
    names: Bools


@dataclass(frozen=True)
class Ranking:
    """The answer to one query: names only, best first. `more` counts answers beyond the limit.

    `source` is the label that a `server: words` query was restricted to.
    """

    query: str
    source: str | None
    matches: tuple[str, ...]
    weak: tuple[str, ...]
    rest: tuple[str, ...]
    more: int
    verdict: Verdict


class Index:
    """A searchable catalogue."""

    def __init__(self, catalogue: Catalogue, parameters: Parameters = CHOSEN) -> None:
        self.catalogue = catalogue
        self.parameters = parameters
        self._documents = documents(catalogue.entries, parameters)
        self._postings = Postings.of(self._documents)
        self._okapi = Okapi(self._postings, parameters.k1, parameters.b)
        self._size = len(self._documents)
        self._phrases: dict[Terms, Hits | None] = {}

    def search(self, query: str, limit: int) -> Ranking:
        """Rank the tools for `query`; at most `limit` of them are matches."""
        label, asked = self._restriction(query)
        if label == "":
            return Ranking(query, None, (), (), (), 0, "unknown_source")
        read_query = read(asked, self)
        if read_query.asks_for_sources and not self.catalogue.resolve(asked):
            return Ranking(query, label, (), (), (), 0, "sources")
        judged = self.judge(read_query)
        inside = self._labels == label if label else np.ones(self._size, bool)
        scores, confidence = judged.scores * inside, judged.confidence * inside
        order = self._order(scores)
        named = [number for number in self._named(asked) if inside[number]]
        good = [int(n) for n in order if confidence[n] >= self.parameters.floor - 1e-9]
        answers = list(dict.fromkeys([*named, *good]))
        others = [int(n) for n in order if int(n) not in set(answers[:limit])]
        weak, rest = others[:_WEAK], others[_WEAK : _WEAK + _REST]
        return Ranking(
            query,
            label,
            self._names(answers[:limit]),
            self._names(weak),
            self._names(rest),
            max(0, len(answers) - limit),
            self._verdict(read_query, bool(answers), bool(weak)),
        )

    def _verdict(self, query: Query, found: bool, touched: bool) -> Verdict:
        if found:
            return "found"
        foreign = language(query.text) not in self.languages
        return "language" if foreign and not touched else "nothing"

    @cached_property
    def languages(self) -> frozenset[str]:
        return frozenset(language(entry.row.description) for entry in self.catalogue.entries)

    def _restriction(self, query: str) -> tuple[str | None, str]:
        """The label before a colon, `""` when no source is called so, `None` without a colon; and the rest."""
        prefix, asked = split_prefix(query)
        if not prefix:
            return None, query
        called = letters(prefix)
        known = [label for label in dict.fromkeys(self._labels) if letters(label) == called]
        if known:
            return known[0], asked
        return ("", asked) if could_be_label(prefix) else (None, query)

    def _named(self, query: str) -> list[int]:
        rows = self.catalogue.resolve(query)
        return [self._numbers[row.name] for row in rows]

    def _names(self, numbers: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.catalogue.entries[number].name for number in numbers)

    def _order(self, scores: Floats) -> Ints:
        found = np.flatnonzero(scores > 0)
        return found[np.argsort(-scores[found], kind="stable")]

    # -- vocabulary -----------------------------------------------------------------------------------------------

    def __contains__(self, term: str) -> bool:
        return term in self._postings.numbers

    def is_word(self, term: str) -> bool:
        return term in self._words

    def meant_by(self, word: str) -> tuple[str, ...]:
        if len(word) < 4 or not word.isalpha() or not word.isascii():
            return ()
        allowed = 1 if len(word) < 8 else 2
        near = [
            (distance(word, other, allowed), other)
            for other in self._spelt
            if other[0] == word[0] and abs(len(other) - len(word)) <= allowed
        ]
        best = min((d for d, _ in near), default=9)
        return tuple(dict.fromkeys(self._spelt[other] for d, other in sorted(near) if d == best <= allowed))[:3]

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset().union(*(document.words for document in self._documents))

    @cached_property
    def _spelt(self) -> dict[str, str]:
        return {word: term for document in self._documents for word, term in document.spelt.items()}

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        return {entry.name: number for number, entry in enumerate(self.catalogue.entries)}

    @cached_property
    def _labels(self) -> Any:
        return np.array([entry.fields.source for entry in self.catalogue.entries], dtype=object)

    @cached_property
    def _core_mass(self) -> Floats:
        return np.array([sum(map(self._okapi.idf_of, document.core)) for document in self._documents])

    # -- judging --------------------------------------------------------------------------------------------------

    def judge(self, query: Query) -> "Judged":
        named = self._named_sources(query)
        long = len(query.concepts) > self.parameters.long_query
        evidence = [self._evidence(concept, named, long) for concept in query.concepts]
        return Judged(evidence, self._score(evidence, long), self._confidence(evidence))

    def _score(self, evidence: Sequence[Evidence], long: bool) -> Floats:
        if not evidence:
            return np.zeros(self._size)
        idf = np.array([item.idf for item in evidence])
        total = np.sum([item.scores for item in evidence], axis=0)
        covered = idf @ np.array([item.bonds for item in evidence]) / idf.sum()
        explained = idf @ np.array([item.in_name for item in evidence])
        share = np.minimum(1.0, explained / np.maximum(self._core_mass, 1e-9))
        power = self.parameters.long_coverage_power if long else self.parameters.coverage_power
        return total * (1 + self.parameters.name_bonus * share) * covered**power

    def _confidence(self, evidence: Sequence[Evidence]) -> Floats:
        if not evidence:
            return np.zeros(self._size)
        weights = np.array([self._weight(item.concept) for item in evidence])
        counted = weights[:, None] * ~np.array([item.names for item in evidence])
        strengths = np.array([item.strengths for item in evidence])
        whole = counted.sum(0)
        matched = ((strengths > 0) & (counted > 0)).sum(0)
        asked = (counted > 0).sum(0)
        share = np.where(whole > 0, (counted * strengths).sum(0) / np.maximum(whole, 1e-9), 1.0)
        return np.where(matched >= np.minimum(asked, 2), share, np.minimum(share, self.parameters.lone_word))

    def _weight(self, concept: Concept) -> float:
        if concept.soft and not concept.known:
            return self.parameters.unspaced_weight
        return self.parameters.weight[concept.kind]

    def _evidence(self, concept: Concept, named: "Mapping[str, Bools]", long: bool) -> Evidence:
        size = self._size
        scores, bonds, strengths, in_name = np.zeros(size), np.zeros(size), np.zeros(size), np.zeros(size)
        own: float | None = None
        seen: list[float] = []
        for alternative in concept.alternatives:
            hits = self._soft_hits(concept.text) if concept.soft and alternative.bond == "itself" else self._hits(alternative.terms)
            if hits is None:
                continue
            itself = alternative.bond in ("itself", "joined")
            if itself:
                own = hits.idf
            weight = self._bond(alternative, long)
            rare = min(1.0, own / hits.idf) if own is not None and hits.idf else 1.0
            seen.append(min(hits.idf, own if own is not None else hits.idf))
            at = hits.holders
            scores[at] = np.maximum(scores[at], weight * rare * hits.scores)
            bonds[at] = np.maximum(bonds[at], weight * (hits.strengths > 0))
            strengths[at] = np.maximum(strengths[at], self.parameters.trust[alternative.bond] * hits.strengths)
            in_name[at] = np.maximum(in_name[at], weight * hits.in_name)
        idf = own if own is not None else max(seen, default=self._okapi.idf_of(""))
        names = named.get(concept.text)
        if names is None:
            return Evidence(concept, idf, scores, bonds, strengths, in_name, np.zeros(size, bool))
        strengths = np.where(strengths >= self.parameters.elsewhere, strengths, 0.0)
        return Evidence(concept, idf, scores, bonds, strengths, in_name, names)

    def _bond(self, alternative: Alternative, long: bool) -> float:
        if long and alternative.bond == "synonym":
            return self.parameters.long_synonym
        return self.parameters.bond[alternative.bond]

    def _hits(self, terms: Terms) -> Hits | None:
        """The documents that hold every one of `terms`."""
        if not all(term in self for term in terms):
            return None
        if len(terms) == 1:
            return self._term_hits(terms[0])
        if terms not in self._phrases:
            self._phrases[terms] = self._phrase_hits(terms)
        return self._phrases[terms]

    def _term_hits(self, term: str) -> Hits:
        span = self._postings.span(term)
        postings = self._postings
        return Hits(
            postings.holders[span],
            self._okapi.parts[span],
            postings.strengths[span],
            postings.in_name[span],
            self._okapi.idf_of(term),
        )

    def _phrase_hits(self, terms: Terms) -> Hits | None:
        each = [self._term_hits(term) for term in terms]
        counts = np.bincount(np.concatenate([hits.holders for hits in each]), minlength=self._size)
        common = np.flatnonzero(counts == len(terms))
        if not len(common):
            return None
        at = [np.searchsorted(hits.holders, common) for hits in each]
        scale = math.sqrt(len(terms))
        return Hits(
            common,
            np.sum([hits.scores[i] for hits, i in zip(each, at, strict=True)], axis=0) / scale,
            np.min([hits.strengths[i] for hits, i in zip(each, at, strict=True)], axis=0),
            np.all([hits.in_name[i] for hits, i in zip(each, at, strict=True)], axis=0),
            sum(hits.idf for hits in each) / scale,
        )

    def _soft_hits(self, run: str) -> Hits | None:
        """The documents that hold a piece of an unspaced run: its 2-grams count in full, single characters less."""
        pairs = tuple(run[at : at + 2] for at in range(len(run) - 1))
        grams = [(gram, 1.0 / len(pairs)) for gram in pairs if gram in self] or [(run, 1.0)]
        singles = [(char, self.parameters.single_characters / len(run)) for char in run] if pairs else []
        scores, strengths, in_name = np.zeros(self._size), np.zeros(self._size), np.zeros(self._size, bool)
        idfs = []
        for gram, share in grams:
            if gram in self:
                hits = self._term_hits(gram)
                scores[hits.holders] += share * self.parameters.character_pairs * hits.scores
                strengths[hits.holders] += share * hits.strengths
                in_name[hits.holders] |= hits.in_name
                idfs.append(hits.idf)
        for gram, share in singles:
            if gram in self:
                hits = self._term_hits(gram)
                scores[hits.holders] += share * hits.scores
        at = np.flatnonzero(scores)
        if not len(at):
            return None
        return Hits(at, scores[at], strengths[at], in_name[at], sum(idfs) / len(idfs) if idfs else self._okapi.idf_of(""))

    # -- sources --------------------------------------------------------------------------------------------------

    @cached_property
    def _sources(self) -> list[tuple[frozenset[str], Bools]]:
        return [(label_terms(label), self._labels == label) for label in dict.fromkeys(self._labels)]

    def _named_sources(self, query: Query) -> "dict[str, Bools]":
        """For each concept that names a source, the documents of the sources that it names."""
        says = {
            concept.text: frozenset(
                term
                for other in concept.alternatives
                if other.bond in ("itself", "abbreviation", "joined", "split", "spelling", "translation")
                for term in other.terms
            )
            for concept in query.concepts
        }
        everyday = {text for concept in query.concepts for text in says[concept.text] if concept.kind in ("action", "object")}
        found: dict[str, Bools] = {}
        for label, inside in self._sources:
            said = label.intersection(*[frozenset().union(*says.values())])
            if not said or not (said == label or said - everyday):
                continue
            for text, terms in says.items():
                if terms & said:
                    found[text] = found.get(text, np.zeros(self._size, bool)) | inside
        return found

    def closest(self, name: str, limit: int = 3) -> tuple[str, ...]:
        """The names most like `name`, for "did you mean"."""
        if rows := self.catalogue.resolve(name):
            return tuple(row.name for row in rows[:limit])
        spelt = {letters(entry.row.short_name): entry.name for entry in reversed(self.catalogue.entries)}
        near = [spelt[key] for key in difflib.get_close_matches(letters(name), spelt, limit)]
        found = self.search(name, limit)
        return tuple(dict.fromkeys([*near, *found.matches, *found.weak]))[:limit]


@dataclass(frozen=True, slots=True)
class Judged:
    """Every document's score and confidence for one query, and the evidence for both."""

    evidence: Sequence[Evidence]
    scores: Floats
    confidence: Floats


def distance(one: str, other: str, most: int) -> int:
    """The edits (insert, delete, change, swap neighbours) between two words; more than `most` are not counted."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row = [i] + [0] * len(other)
        for j, b in enumerate(other, 1):
            row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                row[j] = min(row[j], before[j - 2] + 1)
        if min(row) > most:
            return most + 1
        before, last = last, row
    return last[-1]


_indexes: OrderedDict[bytes, Index] = OrderedDict()


def index_of(catalogue: Catalogue) -> Index:
    """The index of `catalogue`, built once per content."""
    index = _indexes.pop(catalogue.digest, None) or Index(catalogue)
    _indexes[catalogue.digest] = index
    while len(_indexes) > _INDEXES:
        _indexes.popitem(last=False)
    return index
