"""The product's search in the form that retrieval benchmarks call, and the figures of `scripts/bench_retrieval`.

A set is a folder with `tools.jsonl` ({name, server, description, parameters}) and `queries.jsonl` ({id, query,
relevant}); an empty `relevant` means that no tool answers.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any, TypeAlias

from hermes_lite.tool_search.catalog import Catalogue
from hermes_lite.tool_search.parameters import CHOSEN, Parameters
from hermes_lite.tool_search.ranking import Index, index_of
from hermes_lite.tools.spec import Source, ToolSpec

Search: TypeAlias = Callable[[str, int], list[str]]

_LIMIT = 10


@dataclass(frozen=True, slots=True)
class BenchSet:
    """One set of the benchmark."""

    name: str
    catalogue: Catalogue
    queries: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Figures:
    """Shares: of the right tools among the first 1, 5 and 10, and of the unanswerable queries that got an answer."""

    at_1: float
    at_5: float
    at_10: float
    false: float


def all_tiers(tools: Iterable[Mapping[str, Any]]) -> Search:
    """Matches, then weak matches, then the ranking below them."""
    return every_tier_of(index_of(Catalogue.of(map(row_of, tools))))


def confident(tools: Iterable[Mapping[str, Any]]) -> Search:
    """Matches alone: what the model is told fits."""
    return matches_of(index_of(Catalogue.of(map(row_of, tools))))


def every_tier_of(index: Index) -> Search:
    """`all_tiers` over an index that is there."""

    def search(query: str, limit: int) -> list[str]:
        ranking = index.search(query, limit)
        return [*ranking.matches, *ranking.weak, *ranking.rest][:limit]

    return search


def matches_of(index: Index) -> Search:
    """`confident` over an index that is there."""
    return lambda query, limit: list(index.search(query, limit).matches)


def row_of(tool: Mapping[str, Any]) -> ToolSpec:
    """One record as a row; what stands before the last `__` of its name is the server's."""
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


def read_set(folder: Path) -> BenchSet:
    """The set in `folder`."""
    catalogue = Catalogue.of(map(row_of, read_lines(folder / "tools.jsonl")))
    return BenchSet(folder.name, catalogue, tuple(read_lines(folder / "queries.jsonl")))


def read_lines(file: Path) -> Iterator[dict[str, Any]]:
    """The records of a JSON lines file."""
    with file.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def measure(search: Search, queries: Sequence[Mapping[str, Any]]) -> Figures:
    """How well `search` answers; a figure without queries of its kind is 0."""
    found = [(search(query["query"], _LIMIT), frozenset(query["relevant"])) for query in queries]
    asked = [(names, right) for names, right in found if right]
    false = [bool(names) for names, right in found if not right]

    def recall(cut: int) -> float:
        return fmean([len(right.intersection(names[:cut])) / len(right) for names, right in asked] or [0.0])

    return Figures(recall(1), recall(5), recall(10), fmean(false or [False]))


def curve(
    bench: BenchSet, floors: Sequence[float], parameters: Parameters = CHOSEN
) -> Iterator[tuple[float, Figures]]:
    """What `matches` alone would be worth at other floors."""
    for floor in floors:
        index = Index(bench.catalogue, replace(parameters, floor=floor))
        yield floor, measure(matches_of(index), bench.queries)


def halves(bench: BenchSet) -> tuple[BenchSet, BenchSet]:
    """The set cut by what is asked for, so that no server is tuned on in one half and verified on in the other."""
    labels = sorted({_subject(query) for query in bench.queries})
    first = frozenset(labels[::2])
    parts = [tuple(q for q in bench.queries if (_subject(q) in first) is side) for side in (True, False)]
    return replace(bench, name=f"{bench.name} A", queries=parts[0]), replace(
        bench, name=f"{bench.name} B", queries=parts[1]
    )


def _subject(query: Mapping[str, Any]) -> str:
    """The server of the first right tool; of a query without one, its first word."""
    return str(query["relevant"][0].rpartition("__")[0] if query["relevant"] else query["query"].split()[0].lower())
