"""What the loop remembers while one user turn runs."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from hermes_lite.agent.text_gate import TextGate
from hermes_lite.events import CallOutcome
from hermes_lite.messages import AssistantMessage, ToolCall, ToolMessage, Usage


@dataclass(slots=True)
class Turn:
    """One turn's state. `spent` holds what each request took, those for compaction included.

    `results` holds what each call came to, by call id. `speaking` is the reply under way, `None` between replies.
    `denied` are the tools that were needed and that nobody was there to allow.
    """

    number: int
    spent: list[Usage] = field(default_factory=list)
    reminded: bool = False
    condensed: bool = False
    speaking: TextGate | None = None
    results: dict[str, ToolMessage] = field(default_factory=dict)
    last_result: ToolMessage | None = None
    refused: bool = False
    denied: set[str] = field(default_factory=set)
    outcomes: Counter[CallOutcome] = field(default_factory=Counter)

    def heard(self, reply: AssistantMessage) -> None:
        """A reply is complete; one with calls starts the count of refusals anew."""
        self.speaking = None
        self.spent.append(reply.usage)
        if reply.calls:
            self.refused = False

    @property
    def usage(self) -> Usage:
        """The sum of all requests."""
        return Usage(
            _sum(usage.input_tokens for usage in self.spent),
            _sum(usage.output_tokens for usage in self.spent),
            _sum(usage.cached_tokens for usage in self.spent),
        )

    def note(self, result: ToolMessage, outcome: CallOutcome) -> None:
        """Remember how a call ended; a success pays for an earlier denial of the same tool."""
        self.results[result.call_id] = self.last_result = result
        self.outcomes[outcome] += 1
        self.refused = self.refused or outcome == "refused"
        if outcome == "ok":
            self.denied.discard(result.name)

    def results_of(self, calls: Iterable[ToolCall]) -> list[ToolMessage]:
        """The results of those of `calls` that came to one, in the order of the calls."""
        return [self.results[call.id] for call in calls if call.id in self.results]


def _sum(counts: Iterable[int | None]) -> int | None:
    """The sum of what is known; `None` when nothing is."""
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
