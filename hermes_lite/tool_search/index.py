"""The way to the index, which loads it at the first search: no prompt should wait a fifth of a second for numpy."""

from typing import TYPE_CHECKING

from hermes_lite.tool_search.catalog import Catalogue

if TYPE_CHECKING:
    from hermes_lite.tool_search.ranking import Index


def index_of(catalogue: Catalogue) -> "Index":
    """The index of `catalogue`, kept by content; see `hermes_lite.tool_search.ranking`."""
    from hermes_lite.tool_search import ranking

    return ranking.index_of(catalogue)


def warm() -> None:
    """Load what the first search needs. Blocks; to be called off the event loop."""
    index_of(Catalogue.of(()))
