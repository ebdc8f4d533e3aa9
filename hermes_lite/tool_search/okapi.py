"""rank-bm25's Okapi, fed by postings. The only module that knows the library.

The idf is never negative and an empty or one-tool catalogue works; a term costs what its postings cost, not what
the catalogue holds. `tests/tool_search/test_okapi.py` compares every score with plain scoring.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rank_bm25 import BM25Okapi

from hermes_lite.tool_search.postings import Bools, Floats, Ints, Postings
from hermes_lite.tool_search.thesaurus import Terms


@dataclass(frozen=True, slots=True)
class Hits:
    """The documents that hold some terms, ascending, and per document what that says.

    `scores` is the share of the BM25 score, `strengths` the surest field, `in_name` whether the tool's name says it.
    """

    holders: Ints
    scores: Floats
    strengths: Floats
    in_name: Bools
    idf: float


class Okapi(BM25Okapi):
    """BM25 over weighted counts."""

    def __init__(self, postings: Postings, k1: float, b: float) -> None:
        self.k1, self.b, self.epsilon = k1, b, 0.0
        self.postings = postings
        self.doc_len: Any = postings.lengths
        self.corpus_size = len(postings.lengths)
        self.avgdl: Any = float(postings.lengths.mean()) if self.corpus_size else 1.0
        counts = np.diff(postings.starts)
        self.idf: Any = None
        self._calc_idf(counts)
        lengths = 1 - b + b * postings.lengths / (self.avgdl or 1.0)
        frequencies = postings.frequencies
        saturated = frequencies * (k1 + 1) / (frequencies + k1 * lengths[postings.holders])
        self.parts: Floats = np.repeat(np.asarray(self.idf), counts) * saturated
        self._phrases: dict[Terms, Hits | None] = {}

    def _calc_idf(self, nd: Any) -> None:
        self.idf = np.log1p((self.corpus_size - nd + 0.5) / (nd + 0.5))

    @property
    def greatest_idf(self) -> float:
        """What a term is worth that no document holds."""
        return math.log1p((self.corpus_size + 0.5) / 0.5)

    def idf_of(self, term: str) -> float:
        """What `term` is worth here."""
        number = self.postings.numbers.get(term)
        return self.greatest_idf if number is None else float(self.idf[number])

    def get_scores(self, query: Sequence[str]) -> Floats:
        """The plain score of every document, in their order, for a list of terms."""
        scores = np.zeros(self.corpus_size)
        for term in query:
            span = self.postings.span(term)
            scores[self.postings.holders[span]] += self.parts[span]
        return scores

    def hits(self, terms: Terms) -> Hits | None:
        """The documents that hold every one of `terms`; `None` when there is none."""
        if not all(term in self.postings.numbers for term in terms):
            return None
        if len(terms) == 1:
            return self._term(terms[0])
        if terms not in self._phrases:
            self._phrases[terms] = self._phrase([self._term(term) for term in terms])
        return self._phrases[terms]

    def _term(self, term: str) -> Hits:
        span, postings = self.postings.span(term), self.postings
        return Hits(
            postings.holders[span],
            self.parts[span],
            postings.strengths[span],
            postings.in_name[span],
            self.idf_of(term),
        )

    def _phrase(self, each: Sequence[Hits]) -> Hits | None:
        counts = np.bincount(np.concatenate([hits.holders for hits in each]), minlength=self.corpus_size)
        common = np.flatnonzero(counts == len(each))
        if not len(common):
            return None
        rows = [(hits, np.searchsorted(hits.holders, common)) for hits in each]
        scale = math.sqrt(len(each))
        return Hits(
            common,
            np.sum([hits.scores[at] for hits, at in rows], axis=0) / scale,
            np.min([hits.strengths[at] for hits, at in rows], axis=0),
            np.all([hits.in_name[at] for hits, at in rows], axis=0),
            sum(hits.idf for hits in each) / scale,
        )

    def soft_hits(self, pairs: Terms, characters: str, pair_share: float, character_share: float) -> Hits | None:
        """The documents that hold a piece of an unspaced run; single characters add to the score and to no more."""
        scores, strengths = np.zeros(self.corpus_size), np.zeros(self.corpus_size)
        in_name = np.zeros(self.corpus_size, np.bool_)
        held = [hits for pair in pairs if (hits := self.hits((pair,)))]
        for hits in held:
            scores[hits.holders] += pair_share / len(pairs) * hits.scores
            strengths[hits.holders] += hits.strengths / len(pairs)
            in_name[hits.holders] |= hits.in_name
        for character in characters:
            if single := self.hits((character,)):
                scores[single.holders] += character_share / len(characters) * single.scores
        holders = np.flatnonzero(scores)
        if not len(holders):
            return None
        idf = sum(hits.idf for hits in held) / len(held) if held else self.greatest_idf
        return Hits(holders, scores[holders], strengths[holders], in_name[holders], idf)
