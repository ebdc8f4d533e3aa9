"""Which tools answer a query, in three tiers.

`matches` are the tools whose confidence reaches the floor, `weak` the next ones by score, which do not fit well,
`rest` what ranks below. A query that is a tool's name matches it, first. `server: words` looks into one source.
How a tool is scored and admitted is settled in `evidence`, with the numbers of `parameters`.
Source: section 6 of the tool-search design.
"""

import difflib
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from hermes_lite import collector
from hermes_lite.tool_search.catalog import Catalogue, letters
from hermes_lite.tool_search.evidence import Judge, Judgement
from hermes_lite.tool_search.languages import possible_languages
from hermes_lite.tool_search.okapi import Okapi
from hermes_lite.tool_search.parameters import CHOSEN, Parameters
from hermes_lite.tool_search.postings import Postings, documents
from hermes_lite.tool_search.query import Query, could_be_label, read, split_prefix
from hermes_lite.tool_search.vocabulary import Vocabulary

Verdict: TypeAlias = Literal["found", "nothing", "language", "sources", "unknown_source"]

_INDEXES = 8
_WEAK = 3
_REST = 50
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Reading:
    """How a query was understood: the source before its colon, if any, and the concepts of the rest."""

    asked: str
    source: str | None
    unknown_source: bool
    query: Query


@dataclass(frozen=True, slots=True)
class Ranking:
    """The answer to one query: names only, best first.

    `source` is the label that a `server: words` query was restricted to, `more` the number of answers beyond the
    limit, `verdict` why there are matches or none: `nothing` here can do it, the query's `language` is not indexed,
    it asks what `sources` there are, or the source before its colon is unknown.
    """

    query: str
    source: str | None
    matches: tuple[str, ...]
    weak: tuple[str, ...]
    rest: tuple[str, ...]
    more: int
    verdict: Verdict


class Index:
    """A searchable catalogue. Searching keeps no state: the same query has the same answer."""

    def __init__(self, catalogue: Catalogue, parameters: Parameters = CHOSEN) -> None:
        self.catalogue = catalogue
        self.parameters = parameters
        docs = documents(catalogue.entries)
        postings = Postings.of(docs, parameters)
        self.okapi = Okapi(postings, parameters.k1, parameters.b)
        self.vocabulary = Vocabulary(docs, postings, [entry.fields.source for entry in catalogue.entries])
        self._judge = Judge(docs, self.okapi, parameters)

    def search(self, query: str, limit: int) -> Ranking:
        """Rank the tools for `query`; at most `limit` of them are matches."""
        reading = self.read(query)
        if reading.unknown_source:
            return Ranking(query, None, (), (), (), 0, "unknown_source")
        if reading.query.asks_for_sources and not self.catalogue.resolve(reading.asked):
            return Ranking(query, reading.source, (), (), (), 0, "sources")
        answers, others = self.tiers(reading, self.judge(reading))
        weak = others[:_WEAK] if len(answers) <= limit else ()
        rest = (*answers[limit:], *others[len(weak) :])
        return Ranking(
            query,
            reading.source,
            self._names(answers[:limit]),
            self._names(weak),
            self._names(rest[:_REST]),
            max(0, len(answers) - limit),
            self._verdict(reading, bool(answers)),
        )

    def read(self, query: str) -> Reading:
        """How `query` is understood here."""
        prefix, asked = split_prefix(query)
        source = self.vocabulary.label(prefix) if prefix else None
        unknown = bool(prefix) and source is None and could_be_label(prefix)
        wanted = asked if source or unknown else query
        return Reading(wanted, source, unknown, read(wanted, self.vocabulary))

    def judge(self, reading: Reading) -> Judgement:
        """Every tool's score and confidence; those outside the source that the query is restricted to have none."""
        judgement = self._judge.judge(reading.query, self.vocabulary.named_by(reading.query))
        if reading.source is None:
            return judgement
        inside = self.vocabulary.inside(reading.source)
        return Judgement(judgement.evidence, judgement.scores * inside, judgement.confidence * inside)

    def tiers(self, reading: Reading, judgement: Judgement) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The positions of the tools that answer, and of the best others; best first, ties by name."""
        touched = np.flatnonzero(judgement.scores > 0)
        order = touched[np.argsort(-judgement.scores[touched], kind="stable")]
        sure = judgement.confidence[order] >= self.parameters.floor - _ROUNDING
        named = self.named(reading)
        answers = tuple(dict.fromkeys([*named, *order[sure].tolist()]))
        others = order[~sure][: _WEAK + _REST + len(named)].tolist()
        return answers, tuple(at for at in others if at not in named)

    def named(self, reading: Reading) -> tuple[int, ...]:
        """The positions of the tools whose name the query is."""
        rows = self.catalogue.resolve(reading.asked)
        return tuple(self._positions[row.name] for row in rows if reading.source in (None, row.source.label))

    def position(self, name: str) -> int:
        """Where the tool stands among the entries, and in every figure of a judgement."""
        return self._positions[name]

    def closest(self, name: str, limit: int = 3) -> tuple[str, ...]:
        """The names most like `name`, for "did you mean": alike in spelling, then in meaning."""
        if rows := self.catalogue.resolve(name):
            return tuple(row.name for row in rows[:limit])
        alike = [self._spelt[key] for key in difflib.get_close_matches(letters(name), self._spelt, limit)]
        found = self.search(name, limit)
        return tuple(dict.fromkeys([*alike, *found.matches, *found.weak]))[:limit]

    def _verdict(self, reading: Reading, found: bool) -> Verdict:
        if found:
            return "found"
        return "language" if possible_languages(reading.asked).isdisjoint(self.catalogue.languages) else "nothing"

    def _names(self, positions: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.catalogue.entries[at].name for at in positions)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {entry.name: at for at, entry in enumerate(self.catalogue.entries)}

    @cached_property
    def _spelt(self) -> dict[str, str]:
        return {letters(entry.row.short_name): entry.name for entry in reversed(self.catalogue.entries)}


_indexes: OrderedDict[bytes, Index] = OrderedDict()


def index_of(catalogue: Catalogue) -> Index:
    """The index of `catalogue`, built once per content: a changed description makes another catalogue."""
    index = _indexes.pop(catalogue.digest, None) or _built(catalogue)
    _indexes[catalogue.digest] = index
    while len(_indexes) > _INDEXES:
        _indexes.popitem(last=False)
    return index


def _built(catalogue: Catalogue) -> Index:
    with collector.resting():
        return Index(catalogue)
