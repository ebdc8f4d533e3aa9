"""Why a tool was found, or was not: the data behind one search, and the lines that say it."""

from typing import Any

from hermes_lite.tool_search.ranking import Index


def explain(index: Index, query: str, limit: int) -> dict[str, Any]:
    """What one search did, as JSON-able data."""
    ranking = index.search(query, limit)
    return {
        "query": ranking.query,
        "source": ranking.source,
        "verdict": ranking.verdict,
        "matches": list(ranking.matches),
        "weak_matches": list(ranking.weak),
        "more": ranking.more,
        **ranking.explanation,
    }


def explain_text(explanation: dict[str, Any]) -> str:
    """`explanation` as lines for a terminal."""
    return "\n".join(f"{key}: {value}" for key, value in explanation.items())
