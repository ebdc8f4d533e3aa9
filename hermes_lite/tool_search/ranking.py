"""BM25 over a catalogue, and the decision which of the ranked tools is an answer.

The score is rank-bm25's Okapi with an idf that is never negative, fed by postings. A `Ranking` keeps three tiers:
`matches` answer the query, `weak` do not fit well, `rest` is what ranks below.
Source: section 6 of the tool-search design.
"""

import difflib
import math
from collections import Counter, OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from rank_bm25 import BM25Okapi

from hermes_lite.tool_search.catalog import Catalogue, Entry, letters
from hermes_lite.tool_search.words import terms

Verdict: TypeAlias = Literal["found", "nothing", "language", "sources", "unknown_source"]

_INDEXES = 8
_WEAK = 3


@dataclass(frozen=True)
class Ranking:
    """The answer to one query: names only, best first. `more` counts answers beyond the limit."""

    query: str
    source: str | None
    matches: tuple[str, ...]
    weak: tuple[str, ...]
    rest: tuple[str, ...]
    more: int
    verdict: Verdict
    explanation: Mapping[str, Any] = field(default_factory=dict)


class Okapi(BM25Okapi):
    """rank-bm25's Okapi over counted documents; the idf is never negative, and an empty corpus is one too."""

    def __init__(self, documents: list[Counter[str]], k1: float = 1.2, b: float = 0.4) -> None:
        self.k1, self.b, self.epsilon = k1, b, 0.0
        self.doc_freqs = documents
        self.corpus_size = len(documents)
        self.doc_len = [sum(document.values()) for document in documents]
        self.avgdl = sum(self.doc_len) / max(1, len(documents))  # type: ignore[assignment]
        self.idf: dict[str, float] = {}
        self._calc_idf(Counter(term for document in documents for term in document))

    def _calc_idf(self, nd: Mapping[str, int]) -> None:
        for term, count in nd.items():
            self.idf[term] = math.log(1 + (self.corpus_size - count + 0.5) / (count + 0.5))

    def scores(self, query: list[str]) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The score of every document, in their order."""
        return np.asarray(self.get_scores(query)) if self.corpus_size else np.zeros(0)  # type: ignore[no-untyped-call]


class Index:
    """A searchable catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._documents = [_document(entry) for entry in catalogue.entries]
        self._okapi = Okapi(self._documents)

    def search(self, query: str, limit: int) -> Ranking:
        """Rank the tools for `query`; at most `limit` of them are matches."""
        wanted = list(dict.fromkeys(terms(query)))
        scores = self._okapi.scores(wanted)
        ranked = [self.catalogue.entries[i].name for i in np.argsort(-scores, kind="stable") if scores[i] > 0]
        rarest = min(wanted, key=lambda term: -self._okapi.idf.get(term, math.inf), default="")
        good = [name for name in ranked if rarest in self._by_name[name]]
        named = [row.name for row in self.catalogue.resolve(query)[:1]]
        matches = list(dict.fromkeys([*named, *good]))[:limit]
        others = [name for name in ranked if name not in matches]
        verdict: Verdict = "found" if matches else "nothing"
        return Ranking(
            query,
            None,
            tuple(matches),
            tuple(others[:_WEAK]),
            tuple(others[_WEAK:]),
            len(good) - len(matches),
            verdict,
        )

    def closest(self, name: str, limit: int = 3) -> tuple[str, ...]:
        """The names most like `name`, for "did you mean"."""
        if rows := self.catalogue.resolve(name):
            return tuple(row.name for row in rows[:limit])
        spelt = {letters(entry.row.short_name): entry.name for entry in reversed(self.catalogue.entries)}
        near = [spelt[key] for key in difflib.get_close_matches(letters(name), spelt, limit)]
        found = self.search(name, limit)
        return tuple(dict.fromkeys([*near, *found.matches, *found.weak]))[:limit]

    @cached_property
    def _by_name(self) -> Mapping[str, Counter[str]]:
        return {entry.name: doc for entry, doc in zip(self.catalogue.entries, self._documents, strict=True)}


def _document(entry: Entry) -> Counter[str]:
    fields = entry.fields
    return Counter(
        term
        for text in (fields.name, fields.source, fields.summary, fields.details, fields.parameters, fields.keywords)
        for term in terms(text)
    )


_indexes: OrderedDict[bytes, Index] = OrderedDict()


def index_of(catalogue: Catalogue) -> Index:
    """The index of `catalogue`, built once per content."""
    index = _indexes.pop(catalogue.digest, None) or Index(catalogue)
    _indexes[catalogue.digest] = index
    while len(_indexes) > _INDEXES:
        _indexes.popitem(last=False)
    return index
