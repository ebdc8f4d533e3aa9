"""The product's search in the form that the retrieval benchmark's evaluator calls."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from hermes_lite.tool_search.catalog import Catalogue
from hermes_lite.tool_search.ranking import Index, index_of
from hermes_lite.tools.spec import Source, ToolSpec

Search: TypeAlias = Callable[[str, int], list[str]]


def all_tiers(tools: Iterable[Mapping[str, Any]]) -> Search:
    """Matches, then weak matches, then the ranking below them."""
    index = index_of_tools(tools)

    def search(query: str, limit: int) -> list[str]:
        ranking = index.search(query, limit)
        return [*ranking.matches, *ranking.weak, *ranking.rest][:limit]

    return search


def confident(tools: Iterable[Mapping[str, Any]]) -> Search:
    """Matches alone: what the model is told fits."""
    index = index_of_tools(tools)

    def search(query: str, limit: int) -> list[str]:
        return list(index.search(query, limit).matches)

    return search


def index_of_tools(tools: Iterable[Mapping[str, Any]]) -> Index:
    """The index over records {name, server, description, parameters}."""
    return index_of(Catalogue.of(map(row_of, tools)))


def row_of(tool: Mapping[str, Any]) -> ToolSpec:
    """One record of the benchmark as a row; the part of its name before the last `__` is the server's."""
    server = tool["server"] or "tools"
    return ToolSpec(
        name=tool["name"],
        description=tool["description"],
        parameters=tool["parameters"],
        handler="",
        source=Source("mcp", server),
        toolset=server,
        original_name=tool["name"].rpartition("__")[2],
    )
