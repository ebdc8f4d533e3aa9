"""The way to the index, which loads it at the first search: no prompt should wait a fifth of a second for numpy."""

from typing import TYPE_CHECKING, Any

from hermes_lite.tool_search.catalog import Catalogue

if TYPE_CHECKING:
    from hermes_lite.tool_search.ranking import Index


def index_of(catalogue: Catalogue) -> "Index":
    """The index of `catalogue`, kept by content; see `hermes_lite.tool_search.ranking`."""
    from hermes_lite.tool_search import ranking

    return ranking.index_of(catalogue)


def explanation(catalogue: Catalogue, query: str, limit: int) -> dict[str, Any]:
    """Why a search of `catalogue` finds what it finds; see `hermes_lite.tool_search.explain`."""
    from hermes_lite.tool_search.explain import explain

    return explain(index_of(catalogue), query, limit)


def warm() -> None:
    """Load what the first search needs. Blocks; to be called off the event loop."""
    index_of(Catalogue.of(()))
