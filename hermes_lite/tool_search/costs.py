"""What the tool array costs, by source, and what it would cost with deferral off.

The rows sum to the total, and the bytes are those of the array as it is sent. Tokens are counted entry by entry, so
that they sum too; a provider that counts the array in one piece may differ by a few.
Source: section 12 of the tool-search design; T-I02 and T-I10 of the robustness page.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from hermes_lite.text import utf8
from hermes_lite.tokens import TokenCounter
from hermes_lite.tool_search.assemble import Assembly, entry, to_json
from hermes_lite.tool_search.classify import canonical
from hermes_lite.tools.spec import Source, ToolSpec


@dataclass(frozen=True, slots=True)
class Cost:
    """A number of tools, the bytes of their JSON text and its tokens."""

    count: int = 0
    bytes: int = 0
    tokens: int = 0

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(self.count + other.count, self.bytes + other.bytes, self.tokens + other.tokens)


@dataclass(frozen=True, slots=True)
class Costs:
    """`sources` sum to `total`, the array as it is sent; `deferred` is withheld, `eager` all with deferral off."""

    sources: tuple[tuple[Source, Cost], ...]
    total: Cost
    deferred: Cost
    eager: Cost
    counted_by: str


def measure(assembly: Assembly, counter: TokenCounter) -> Costs:
    """Count everything; with an exact counter and thousands of tools this takes seconds at first."""
    sources = _by_source(assembly.rows, counter)
    eager = _by_source(canonical((*assembly.direct, *assembly.deferred)), counter)
    deferred = sum((_cost(row, counter) for row in assembly.deferred), Cost())
    return Costs(sources, _sum(sources), deferred, _sum(eager), counter.method)


def _by_source(rows: Iterable[ToolSpec], counter: TokenCounter) -> tuple[tuple[Source, Cost], ...]:
    """The cost of each source in the order of the array; the first one pays for the opening bracket."""
    costs: dict[Source, Cost] = {}
    for row in rows:
        costs[row.source] = costs.get(row.source, Cost() if costs else _OPENING) + _cost(row, counter)
    return tuple(costs.items())


def _cost(row: ToolSpec, counter: TokenCounter) -> Cost:
    """One entry with the comma or bracket behind it."""
    text = to_json(entry(row)) + ","
    return Cost(1, len(utf8(text)), counter.count(text))


def _sum(sources: Iterable[tuple[Source, Cost]]) -> Cost:
    return sum((cost for _, cost in sources), Cost())


_OPENING = Cost(0, 1, 0)
