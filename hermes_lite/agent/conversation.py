"""What a session keeps frozen, what it appends, and what it remembers of the turn under way.

The frame (system prompt and tool array) is fixed at the first request and stays byte-identical until a natural break:
a new session, compaction, a model switch, `/tools refresh`. Everything else is appended to the session file.
Source: section 11 of the tool-search design.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hermes_lite.agent.notices import Snapshot, changes, from_fact, to_fact
from hermes_lite.events import CallOutcome
from hermes_lite.messages import AssistantMessage, Message, ToolMessage, Usage
from hermes_lite.sessions.session import Session

FRAME = "frame"
NEVER_STARTED = "INTERRUPTED: the person stopped the turn before this call started. It was NOT run."
CUT_SHORT = "INTERRUPTED: the person stopped the turn while this call was running. It may have been done in part."


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands before the conversation in every request of the session.

    `basis` names the model and settings it was composed for; another basis needs another frame. `activated` counts
    the found tools that were added to the array (strategy `activate`).
    """

    system: str
    array: tuple[Mapping[str, Any], ...]
    basis: str
    activated: int = 0


@dataclass(slots=True)
class Turn:
    """What the loop remembers while one user turn runs."""

    number: int
    usage: Usage = field(default_factory=Usage)
    reminded: bool = False
    unrun: bool = False
    last_result: ToolMessage | None = None
    denied: set[str] = field(default_factory=set)
    started_calls: set[str] = field(default_factory=set)
    partial: str = ""

    def note(self, result: ToolMessage, outcome: CallOutcome) -> None:
        """Remember how a call ended; a success pays for an earlier denial of the same tool."""
        self.last_result = result
        self.unrun = outcome == "refused"
        if outcome == "ok":
            self.denied.discard(result.name)

    def add(self, usage: Usage) -> None:
        self.usage = Usage(
            _sum(self.usage.input_tokens, usage.input_tokens),
            _sum(self.usage.output_tokens, usage.output_tokens),
            _sum(self.usage.cached_tokens, usage.cached_tokens),
        )


def _sum(one: int | None, other: int | None) -> int | None:
    return other if one is None else one + (other or 0)


@dataclass(slots=True)
class Conversation:
    """One session as the loop sees it: its file, its frame, and what the model knows of its tool sources."""

    session: Session
    frame: Frame | None = None
    told: Snapshot | None = None

    @classmethod
    def of(cls, session: Session, basis: str) -> "Conversation":
        """Take `session` up again; its frame is kept when it was composed for the same `basis`."""
        kept = session.facts(FRAME)
        if not kept or kept[-1].get("basis") != basis:
            return cls(session)
        fact = kept[-1]
        frame = Frame(fact["system"], tuple(fact["array"]), basis, fact["activated"])
        return cls(session, frame, from_fact(fact["told"]))

    @property
    def messages(self) -> Sequence[Message]:
        return self.session.messages

    def append(self, message: Message) -> None:
        self.session.append(message)

    def freeze(self, frame: Frame, told: Snapshot) -> None:
        """Fix `frame` for the session, and in its file, so that a resumed session sends the same bytes."""
        self.frame, self.told = frame, told
        fact = {
            "system": frame.system,
            "array": list(frame.array),
            "basis": frame.basis,
            "activated": frame.activated,
        }
        self.session.append_fact(FRAME, {**fact, "told": to_fact(told)})

    def thaw(self) -> None:
        """A natural break: the next request composes its frame anew."""
        self.frame = self.told = None

    def hear(self, now: Snapshot) -> str | None:
        """What the model must be told of its tool sources, once; from then on it knows."""
        news = None if self.told is None else changes(self.told, now)
        self.told = now
        return news

    def open_calls(self) -> tuple[tuple[str, str], ...]:
        """(id, name) of the calls of the last reply that have no result yet, in call order."""
        answered: set[str] = set()
        for message in reversed(self.messages):
            if isinstance(message, ToolMessage):
                answered.add(message.call_id)
            elif isinstance(message, AssistantMessage):
                return tuple((c.id, c.name) for c in message.calls if c.id not in answered)
        return ()

    def close_open_calls(self, started: set[str]) -> None:
        """Answer every open call as interrupted, so that the next request is valid."""
        for call_id, name in self.open_calls():
            text = CUT_SHORT if call_id in started else NEVER_STARTED
            self.append(ToolMessage(call_id, name, text, is_error=True))

    def keep_partial(self, text: str) -> None:
        """Keep what an interrupted reply had said so far."""
        if text.strip():
            self.append(AssistantMessage(text, finish_reason="interrupted"))
