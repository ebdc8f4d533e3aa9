"""Why a tool was found, or was not: the numbers behind one search, and the lines that say them.

Everything is read from the same reading and judgement that `ranking` decides by; nothing is scored here.
Source: section 12 of the tool-search design.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Literal, TypeAlias

from hermes_lite.tool_search.evidence import Evidence, Judgement
from hermes_lite.tool_search.query import Concept
from hermes_lite.tool_search.ranking import Index, Ranking, Reading
from hermes_lite.tool_search.search_result import instead_of_matches
from hermes_lite.tool_search.words import terms

Reason: TypeAlias = Literal["name", "sure", "beyond-limit", "other-service", "lone-word", "below-floor"]

_SHOWN = 12
_FIELDS = ("name", "source", "summary", "details", "parameters", "notes", "keywords")
_REASONS: dict[Reason, str] = {
    "name": "the query is its name",
    "sure": "it accounts for enough of the query",
    "beyond-limit": "it answers too, but more tools were not asked for",
    "other-service": "the query names a service that it does not belong to",
    "lone-word": "it shares a single word with what is asked for",
    "below-floor": "it accounts for too little of the query",
}


def explain(index: Index, query: str, limit: int) -> dict[str, Any]:
    """What one search did, as JSON-able data.

    `{query, source, verdict, matches, weak_matches, more, terms, dropped, rarest_term, floor, tools}`; each of
    `tools`, best first, has its `score`, `confidence`, `reason`, what it `matched` per term and what `fields` hold.
    Without a match there are `available_sources` and the `hint` that the model gets.
    """
    ranking, reading = index.search(query, limit), index.read(query)
    judgement = index.judge(reading)
    return {
        "query": ranking.query,
        "source": ranking.source,
        "verdict": ranking.verdict,
        "matches": list(ranking.matches),
        "weak_matches": list(ranking.weak),
        "more": ranking.more,
        "terms": [_term(index, item) for item in judgement.evidence],
        "dropped": list(reading.query.dropped),
        "rarest_term": _rarest(judgement),
        "floor": index.parameters.floor,
        "tools": list(_tools(index, ranking, reading, judgement)),
        **({} if ranking.matches else instead_of_matches(ranking, index.catalogue)),
    }


def _term(index: Index, item: Evidence) -> dict[str, Any]:
    concept = item.concept
    return {
        "term": concept.text,
        "kind": concept.kind,
        "names_a_source": item.ours is not None,
        "tools": int((item.bonds > 0).sum()),
        "idf": round(item.idf, 2),
        "also": [
            f"{_spelt(other.terms)} ({other.bond})" for other in concept.alternatives[1:] if _known(index, other)
        ],
    }


def _known(index: Index, other: Any) -> bool:
    return all(term in index.vocabulary for term in other.terms)


def _spelt(stems: Iterable[str]) -> str:
    return " ".join(stems)


def _rarest(judgement: Judgement) -> dict[str, Any] | None:
    """The concept that fewest tools hold, by any of its names."""
    if not judgement.evidence:
        return None
    rarest = min(judgement.evidence, key=lambda item: int((item.bonds > 0).sum()))
    return {"term": rarest.concept.text, "tools": int((rarest.bonds > 0).sum())}


def _tools(index: Index, ranking: Ranking, reading: Reading, judgement: Judgement) -> Iterator[dict[str, Any]]:
    named = frozenset(index.named(reading))
    ranked = (*ranking.matches, *ranking.weak, *ranking.rest)
    for name in ranked[: max(_SHOWN, len(ranking.matches))]:
        at = index.position(name)
        yield {
            "name": name,
            "score": round(float(judgement.scores[at]), 2),
            "confidence": round(float(judgement.confidence[at]), 2),
            "reason": _reason(index, ranking, judgement, at, at in named),
            "matched": {item.concept.text: _matched(item, at) for item in judgement.evidence},
            "fields": _field_scores(index, [item.concept for item in judgement.evidence], at),
        }


def _reason(index: Index, ranking: Ranking, judgement: Judgement, at: int, named: bool) -> Reason:
    if named:
        return "name"
    if judgement.confidence[at] >= index.parameters.floor:
        return "sure" if index.catalogue.entries[at].name in ranking.matches else "beyond-limit"
    services = [item for item in judgement.evidence if item.names_a_service]
    if any(_foreign(item, at) and item.strengths[at] < index.parameters.floor for item in services):
        return "other-service"
    words = [item for item in judgement.evidence if not item.names_a_service]
    return "lone-word" if sum(item.strengths[at] > 0 for item in words) == 1 < len(words) else "below-floor"


def _foreign(item: Evidence, at: int) -> bool:
    return item.ours is None or not item.ours[at]


def _matched(item: Evidence, at: int) -> float | str:
    """How surely the tool is about the term; `source` when the term names the tool's own source."""
    return round(float(item.strengths[at]), 2) if _foreign(item, at) else "source"


def _field_scores(index: Index, concepts: Iterable[Concept], at: int) -> dict[str, float]:
    """For each field that holds a term or a stand-in of the query, the summed idf of what it holds."""
    fields = index.catalogue.entries[at].fields
    wanted = {term for concept in concepts for other in concept.alternatives for term in other.terms}
    found = {field: wanted.intersection(terms(getattr(fields, field))) for field in _FIELDS}
    return {field: round(sum(map(index.okapi.idf_of, held)), 2) for field, held in found.items() if held}


def explain_text(explanation: dict[str, Any]) -> str:
    """`explanation` as lines for a terminal."""
    return "\n".join(_lines(explanation))


def _lines(explanation: dict[str, Any]) -> Iterator[str]:
    yield f"query      {explanation['query']}"
    if explanation["source"]:
        yield f"source     {explanation['source']} only"
    if explanation["dropped"]:
        yield f"dropped    {' '.join(explanation['dropped'])}"
    for term in explanation["terms"]:
        naming = ", names a source" if term["names_a_source"] else ""
        also = f"; also {', '.join(term['also'])}" if term["also"] else ""
        yield f"term       {term['term']} ({term['kind']}{naming}): in {term['tools']} tools{also}"
    if rarest := explanation["rarest_term"]:
        yield f"rarest     {rarest['term']}: in {rarest['tools']} tools"
    yield f"floor      {explanation['floor']}: a match must account for that share of the query"
    yield f"verdict    {explanation['verdict']}, {len(explanation['matches'])} matches, {explanation['more']} more"
    for tool in explanation["tools"]:
        mark = "+" if tool["name"] in explanation["matches"] else "-"
        yield f"{mark} {tool['confidence']:.2f} {tool['score']:7.2f}  {tool['name']}: {_REASONS[tool['reason']]}"
        yield f"    terms {_pairs(tool['matched'])} | fields {_pairs(tool['fields'])}"
    yield from lines_without_matches(explanation)


def lines_without_matches(told: dict[str, Any]) -> Iterator[str]:
    """What an explanation, or a group of a reply, says in place of matches; no line if it has some."""
    if "hint" in told:
        more = f", {told['more_sources']} more" if "more_sources" in told else ""
        yield f"sources    {', '.join(map(_source, told['available_sources'])) or 'none'}{more}"
        yield f"hint       {told['hint']}"


def _source(source: dict[str, Any]) -> str:
    state = "" if source["state"] == "ready" else f", {source['state']}"
    return f"{source['name']} ({source['tools']} {'tool' if source['tools'] == 1 else 'tools'}{state})"


def _pairs(values: dict[str, float | str]) -> str:
    return ", ".join(f"{key} {value}" for key, value in values.items()) or "none"
