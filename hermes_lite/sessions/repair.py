"""Makes any stored conversation one that every provider accepts: each call answered once, right after its reply.

Pure, and the same for the same messages, so that a resumed session sends the same bytes each time. The file itself is
left as it is.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from hermes_lite.messages import AssistantMessage, Message, ToolCall, ToolMessage

LOST = (
    "INTERRUPTED: the session ended before this call gave its result. It may have been done in part or in full; "
    "check before you repeat it."
)


@dataclass(slots=True)
class _Repair:
    sound: list[Message] = field(default_factory=list)
    open_calls: list[ToolCall] = field(default_factory=list)
    unanswered: int = 0
    orphans: int = 0

    def add(self, message: Message) -> None:
        if isinstance(message, ToolMessage):
            self._add_result(message)
            return
        self.close()
        self.sound.append(message)
        if isinstance(message, AssistantMessage):
            self.open_calls = list(message.calls)

    def _add_result(self, result: ToolMessage) -> None:
        call = next((call for call in self.open_calls if call.id == result.call_id), None)
        if call is None:
            self.orphans += 1
            return
        self.open_calls.remove(call)
        self.sound.append(result)

    def close(self) -> None:
        """Answer every call that is still open."""
        self.unanswered += len(self.open_calls)
        self.sound += [ToolMessage(call.id, call.name, LOST, is_error=True) for call in self.open_calls]
        self.open_calls = []


def repair(messages: Iterable[Message]) -> tuple[list[Message], list[str]]:
    """`messages` with every call answered exactly once and no other result; and what was done, for people."""
    work = _Repair()
    for message in messages:
        work.add(message)
    work.close()
    notes = []
    if work.unanswered:
        notes.append(f"{_counted(work.unanswered, 'call')} without a result marked as interrupted")
    if work.orphans:
        notes.append(f"{_counted(work.orphans, 'result')} that belonged to no call left out")
    return work.sound, notes


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
