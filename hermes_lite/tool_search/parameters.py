"""The numbers of the ranking, in one place."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldWeights:
    """One number per field of an entry."""

    name: float
    source: float
    summary: float
    details: float
    parameters: float
    notes: float
    keywords: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """Everything that `scripts/bench_retrieval` may turn.

    Score: `frequency` is how often one occurrence in a field counts, `repeated` what is left of it for a part of a
    name that only repeats the server's name or a version; `k1` and `b` are BM25's. A stand-in scores its `bond`.
    `name_bonus` rewards a tool whose name the query explains, `coverage_power` one that covers the query.
    A query of more than `long_query` concepts is prose: its synonyms and its coverage count less.

    Confidence: `strength` is how sure a field makes that a tool is about a word, `trust` how sure a stand-in
    makes it, `weight` how much of the query a word of that kind is. A tool is a match from `floor` on.
    """

    frequency: FieldWeights
    repeated: float
    k1: float
    b: float
    bond: dict[str, float]
    character_pairs: float
    single_characters: float
    name_bonus: float
    coverage_power: float
    long_query: int
    long_synonym: float
    long_coverage_power: float
    strength: FieldWeights
    trust: dict[str, float]
    weight: dict[str, float]
    unspaced_weight: float
    aside: float
    unspoken_view: float
    floor: float
    lone_word: float


CHOSEN = Parameters(
    frequency=FieldWeights(name=1.5, source=1.5, summary=0.9, details=0.5, parameters=0.6, notes=0.45, keywords=1.5),
    repeated=0.5,
    k1=2.0,
    b=0.5,
    bond={
        "itself": 1.0,
        "synonym": 0.5,
        "translation": 0.8,
        "abbreviation": 0.9,
        "spelling": 0.8,
        "joined": 1.0,
        "split": 0.9,
    },
    character_pairs=0.5,
    single_characters=1.0,
    name_bonus=0.7,
    coverage_power=0.5,
    long_query=6,
    long_synonym=0.25,
    long_coverage_power=0.25,
    strength=FieldWeights(name=1.0, source=1.0, summary=0.9, details=0.6, parameters=0.5, notes=0.4, keywords=1.0),
    trust={
        "itself": 1.0,
        "synonym": 0.7,
        "translation": 0.9,
        "abbreviation": 1.0,
        "spelling": 0.9,
        "joined": 1.0,
        "split": 0.9,
    },
    weight={"view": 0.6, "action": 0.6, "object": 1.0, "word": 1.3},
    unspaced_weight=0.6,
    aside=0.5,
    unspoken_view=0.8,
    floor=0.65,
    lone_word=0.5,
)
