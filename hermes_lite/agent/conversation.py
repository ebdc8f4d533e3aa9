"""What a session keeps frozen and what it appends.

The frame (system prompt and tool array) is fixed at the first request and stays byte-identical until a natural break:
a new session, compaction, a model switch, `/tools refresh`. Everything else is appended to the session file, what the
model was told of its tool sources included, so that a resumed session goes on as if it had never stopped.
Source: sections 11 and 13 of the tool-search design.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from hermes_lite.agent.notices import Snapshot, changes, from_fact, to_fact
from hermes_lite.messages import AssistantMessage, Message, ToolMessage
from hermes_lite.sessions.session import Session

FRAME, TOLD = "frame", "told"
NEVER_STARTED = "INTERRUPTED: the person stopped the turn before this call started. It was NOT run."


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands before the conversation in every request of the session.

    `basis` names the model and settings it was composed for; another basis needs another frame. `facts` is how the
    array came about, for the records. `activated` names the found tools at the array's end (strategy `activate`).
    """

    system: str
    array: tuple[Mapping[str, Any], ...]
    basis: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    activated: tuple[str, ...] = ()

    def with_tools(self, entries: Mapping[str, Mapping[str, Any]]) -> Self:
        """The frame with `entries`, by tool name, behind what it holds; what was there keeps its bytes."""
        return replace(self, array=(*self.array, *entries.values()), activated=(*self.activated, *entries))

    def names(self) -> frozenset[str]:
        """The tools in the array."""
        return frozenset(entry["function"]["name"] for entry in self.array)


@dataclass(slots=True)
class Conversation:
    """One session as the loop sees it: its file, its frame, and what the model knows of its tool sources."""

    session: Session
    frame: Frame | None = None
    told: Snapshot | None = None

    @classmethod
    def of(cls, session: Session, basis: str) -> Self:
        """Take `session` up again; its frame is kept when it was composed for the same `basis`."""
        kept, told = session.facts(FRAME), session.facts(TOLD)
        if not kept or not told or kept[-1].get("basis") != basis:
            return cls(session)
        fact = kept[-1]
        frame = Frame(fact["system"], tuple(fact["array"]), basis, fact["facts"], tuple(fact["activated"]))
        return cls(session, frame, from_fact(told[-1]))

    @property
    def growths(self) -> int:
        """How often found tools were added to a frozen array: each costs the provider's prompt cache once."""
        return sum(1 for fact in self.session.facts(FRAME) if fact.get("grown"))

    @property
    def messages(self) -> Sequence[Message]:
        return self.session.messages

    def append(self, message: Message) -> None:
        self.session.append(message)

    def freeze(self, frame: Frame, told: Snapshot) -> None:
        """Fix `frame`, composed while the tool sources stood as in `told`, for the session."""
        self.keep(frame)
        self._know(told)

    def keep(self, frame: Frame) -> None:
        """Go on with `frame`, in the session's file too, so that a resumed session sends the same bytes."""
        self.frame = frame
        self.session.append_fact(
            FRAME,
            {
                "system": frame.system,
                "array": list(frame.array),
                "basis": frame.basis,
                "facts": dict(frame.facts),
                "activated": list(frame.activated),
                "grown": bool(frame.activated),
            },
        )

    def thaw(self) -> None:
        """A natural break: the next request composes its frame anew."""
        self.frame = self.told = None

    def hear(self, now: Snapshot) -> str | None:
        """What the model must be told of its tool sources, once; from then on it knows."""
        news = None if self.told is None else changes(self.told, now)
        if news is not None:
            self._know(now)
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

    def close_open_calls(self, results: Mapping[str, ToolMessage], otherwise: str) -> None:
        """Answer every open call, so that the next request is valid: with its result if there is one."""
        for call_id, name in self.open_calls():
            self.append(results.get(call_id) or ToolMessage(call_id, name, otherwise, is_error=True))

    def keep_partial(self, text: str) -> None:
        """Keep what an unfinished reply had said so far."""
        if text.strip():
            self.append(AssistantMessage(text, finish_reason="interrupted"))

    def _know(self, told: Snapshot) -> None:
        self.told = told
        self.session.append_fact(TOLD, to_fact(told))
