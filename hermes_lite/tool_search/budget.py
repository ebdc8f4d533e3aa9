"""How often a turn may search without finding anything new.

A search is unproductive when it returns no tool that this turn has not seen, or asks only what was asked before.
Admission follows the order of the calls: it is settled before a search begins. Source: section 10 of the tool-search
design; T-K06 of the robustness page.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import regex

_WORD = regex.compile(r"[\p{L}\p{N}]+")


@dataclass(slots=True)
class SearchBudget:
    """The searches of one user turn. `cap` 0 means no limit."""

    cap: int
    _spent: int = 0
    _asked: set[str] = field(default_factory=set)
    _seen: set[str] = field(default_factory=set)

    @property
    def exhausted(self) -> bool:
        return 0 < self.cap <= self._spent

    def note(self, queries: Iterable[str], names: Iterable[str]) -> None:
        """A search for `queries` returned `names`."""
        asked = {normalised(query) for query in queries}
        fresh = set(names) - self._seen
        if not fresh or asked <= self._asked:
            self._spent += 1
        self._asked |= asked
        self._seen |= fresh

    def reset(self) -> None:
        """A tool that was found has done its work: the searching was worth it."""
        self._spent = 0

    def new_turn(self) -> None:
        self.reset()
        self._asked.clear()
        self._seen.clear()


def normalised(query: str) -> str:
    """`query` without case, order, punctuation and repetition of its words."""
    return " ".join(sorted({word.casefold() for word in _WORD.findall(query)}))


def refusal(cap: int, found: Sequence[str], *, can_ask: bool) -> dict[str, Any]:
    """The answer instead of a search, with the ways out that this session has."""
    ask = "ask the person what they want (clarify)" if can_ask else "tell the person what is missing"
    use = f"use a tool that was found ({', '.join(found)})" if found else "use a tool that you see"
    return {
        "error": "search-budget-exhausted",
        "message": f"{cap} searches of this turn found nothing new, so this one was not run. Now {ask}, or {use}.",
        "budgetCap": cap,
    }
