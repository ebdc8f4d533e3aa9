"""What every tool says to every concept of a query, and the two figures that follow from it.

The *score* orders tools: BM25, where each concept counts by its best stand-in, times how much of the tool's name the
query explains, how much of the query the tool covers, and a little of its confidence. The *confidence* admits them:
the share of what was asked that the tool accounts for. It looks at the query and the tool alone, so that the same
tool is admitted or refused whatever else the catalogue holds; all it takes from the catalogue is which words name a
source.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hermes_lite.tool_search.okapi import Hits, Okapi
from hermes_lite.tool_search.parameters import Parameters
from hermes_lite.tool_search.postings import Bools, Document, Floats
from hermes_lite.tool_search.query import Alternative, Concept, Query
from hermes_lite.tool_search.words import pairs

_TINY = 1e-9
_LEAST_SURENESS = 0.05


@dataclass(frozen=True, slots=True)
class Evidence:
    """One number per document: its score, the bond of what it holds, how sure it is, how much its name says it.

    `ours` marks the documents of the sources that the concept names; `None` when it names none.
    """

    concept: Concept
    idf: float
    scores: Floats
    bonds: Floats
    strengths: Floats
    in_name: Floats
    ours: Bools | None

    @property
    def names_a_service(self) -> bool:
        return self.ours is not None or self.concept.kind == "name"


@dataclass(frozen=True, slots=True)
class Judgement:
    """Every document's score and confidence for one query, and the evidence for both."""

    evidence: tuple[Evidence, ...]
    scores: Floats
    confidence: Floats


class Judge:
    """Judges the documents of one index."""

    def __init__(self, documents: Sequence[Document], okapi: Okapi, parameters: Parameters) -> None:
        self._size = len(documents)
        self._okapi = okapi
        self._parameters = parameters
        self._looks = ~np.array([document.acts for document in documents], np.bool_)
        self._name_mass = np.array([sum(map(okapi.idf_of, document.core)) for document in documents])

    def judge(self, query: Query, named: Mapping[str, Bools]) -> Judgement:
        """`named` are the documents of the sources that a concept names, by its text."""
        prose = len(query.concepts) > self._parameters.long_query
        evidence = tuple(self._evidence(concept, named.get(concept.text), prose) for concept in query.concepts)
        if not evidence:
            return Judgement((), np.zeros(self._size), np.zeros(self._size))
        shares = [self._confidence([evidence[at] for at in intent]) for intent in query.intents if intent]
        confidence = np.max(shares, axis=0)
        sureness = np.maximum(confidence, _LEAST_SURENESS) ** self._parameters.sureness_power
        return Judgement(evidence, self._scores(evidence, prose) * sureness, confidence)

    def _scores(self, evidence: Sequence[Evidence], prose: bool) -> Floats:
        idf = np.array([item.idf for item in evidence])
        total = np.sum([item.scores for item in evidence], axis=0)
        covered = idf @ np.array([item.bonds for item in evidence]) / idf.sum()
        explained = idf @ np.array([item.in_name for item in evidence]) / np.maximum(self._name_mass, _TINY)
        power = self._parameters.long_coverage_power if prose else self._parameters.coverage_power
        return np.asarray(total * (1 + self._parameters.name_bonus * np.minimum(1.0, explained)) * covered**power)

    def _confidence(self, evidence: Sequence[Evidence]) -> Floats:
        """How surely a document is of the service that is named, times the share of the other words it matches."""
        service = np.ones(self._size)
        for item in evidence:
            if item.names_a_service:
                certain = np.minimum(service, item.strengths)
                service = certain if item.ours is None else np.where(item.ours, service, certain)
        words = [item for item in evidence if not item.names_a_service]
        return service * self._share(words) if words else service

    def _share(self, evidence: Sequence[Evidence]) -> Floats:
        weights = np.array([self._weight(item.concept) for item in evidence])
        strengths = np.array([self._strengths(item) for item in evidence])
        share = weights @ strengths / weights.sum()
        lone = np.count_nonzero(strengths, axis=0) < min(2, len(evidence))
        return np.asarray(np.where(lone, np.minimum(share, self._parameters.lone_word), share))

    def _strengths(self, item: Evidence) -> Floats:
        """A tool whose name holds no other verb looks at something, whether it says so or not."""
        if item.concept.kind != "view":
            return item.strengths
        return np.asarray(np.maximum(item.strengths, self._parameters.unspoken_view * self._looks))

    def _weight(self, concept: Concept) -> float:
        gram = concept.soft and concept.kind == "word"
        weight = self._parameters.unspaced_weight if gram else self._parameters.weight[concept.kind]
        return weight * (self._parameters.aside if concept.aside else 1.0)

    def _evidence(self, concept: Concept, ours: Bools | None, prose: bool) -> Evidence:
        table = np.zeros((4, self._size))
        own: float | None = None
        worth: list[float] = []
        for other, hits in self._found(concept):
            if other.bond in ("itself", "joined"):
                own = hits.idf
            cap = hits.idf if own is None else min(own, hits.idf)
            worth.append(cap)
            rows = self._rows(other, hits, cap, prose)
            table[:, hits.holders] = np.maximum(table[:, hits.holders], rows)
        idf = own if own is not None else max(worth, default=self._okapi.greatest_idf)
        return Evidence(concept, idf, table[0], table[1], table[2], table[3], ours)

    def _rows(self, other: Alternative, hits: Hits, cap: float, prose: bool) -> Floats:
        """Score, bond, strength and name of each holder; a stand-in is worth no more than the word that was used."""
        bond = self._bond(other, prose)
        rows = np.empty((4, len(hits.holders)))
        np.multiply(hits.scores, bond * cap / (hits.idf or 1.0), out=rows[0])
        rows[1] = bond
        np.multiply(hits.strengths, self._parameters.trust[other.bond], out=rows[2])
        np.multiply(hits.in_name, bond, out=rows[3])
        return rows

    def _found(self, concept: Concept) -> list[tuple[Alternative, Hits]]:
        return [(other, hits) for other in concept.alternatives if (hits := self._hits(concept, other))]

    def _hits(self, concept: Concept, other: Alternative) -> Hits | None:
        if not (concept.soft and other.bond == "itself"):
            return self._okapi.hits(other.terms)
        singles = concept.text if len(concept.text) > 1 else ""
        parameters = self._parameters
        pair_share = parameters.character_pairs if singles else 1.0
        return self._okapi.soft_hits(pairs(concept.text), singles, pair_share, parameters.single_characters)

    def _bond(self, other: Alternative, prose: bool) -> float:
        if prose and other.bond == "synonym":
            return self._parameters.long_synonym
        return self._parameters.bond[other.bond]
