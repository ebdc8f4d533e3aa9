"""What the records of a session file add up to: the conversation as it stands, and the few facts a list shows.

Both are folds over records, each driven by a table of record types. A record of an unknown type is a fact of its
kind; a malformed one is counted and skipped. Nothing here reads or writes a file.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from hermes_lite.messages import Message, UserMessage, from_record
from hermes_lite.sessions.records import Record
from hermes_lite.sessions.repair import repair
from hermes_lite.text import cut, one_line

TITLE_LENGTH = 60


@dataclass(slots=True)
class Tally:
    """What a list of sessions shows of one. `snapshot` restores it, so that a reader may start at a file's end."""

    title: str = ""
    model: str = ""
    messages: int = 0
    turns: int = 0
    updated: str = ""

    def see(self, record: Record) -> None:
        """Count `record` in. Raises `KeyError`, `TypeError` or `ValueError` when it is malformed."""
        count = _COUNT.get(record["type"])
        if count is not None:
            count(self, record)
        self.updated = str(record.get("at", self.updated))

    def snapshot(self) -> dict[str, Any]:
        return {"title": self.title, "model": self.model, "messages": self.messages, "turns": self.turns}

    def _header(self, record: Record) -> None:
        self.model = str(record.get("model", ""))

    def _message(self, record: Record) -> None:
        message = from_record(record["message"])
        self.messages += 1
        if isinstance(message, UserMessage):
            self.turns += 1
            self.title = self.title or cut(one_line(message.text), TITLE_LENGTH)

    def _title(self, record: Record) -> None:
        self.title = str(record["title"])

    def _model(self, record: Record) -> None:
        self.model = str(record["model"])

    def _compaction(self, record: Record) -> None:
        self.messages = len(record["messages"])

    def _undo(self, record: Record) -> None:
        self.messages -= int(record["dropped"])
        self.turns -= 1

    def _info(self, record: Record) -> None:
        self.title, self.model = str(record["title"]), str(record["model"])
        self.messages, self.turns = int(record["messages"]), int(record["turns"])


_Count: TypeAlias = Callable[[Tally, Record], None]
_COUNT: Mapping[str, _Count] = {
    "session": Tally._header,
    "message": Tally._message,
    "title": Tally._title,
    "model": Tally._model,
    "compaction": Tally._compaction,
    "undo": Tally._undo,
    "info": Tally._info,
}


@dataclass(slots=True)
class History:
    """The conversation that a file holds. `notes` says, for people, what was mended or skipped to read it."""

    header: Record
    messages: list[Message] = field(default_factory=list)
    facts: dict[str, list[Mapping[str, Any]]] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)
    notes: list[str] = field(default_factory=list)

    def take(self, record: Record) -> None:
        """Apply `record`. Raises `KeyError`, `TypeError` or `ValueError` when it is malformed."""
        apply = _APPLY.get(record["type"], History._fact)
        apply(self, record)
        self.tally.see(record)

    def _message(self, record: Record) -> None:
        self.messages.append(from_record(record["message"]))

    def _compaction(self, record: Record) -> None:
        self.messages[:] = [from_record(message) for message in record["messages"]]

    def _undo(self, record: Record) -> None:
        del self.messages[last_turn(self.messages) :]

    def _fact(self, record: Record) -> None:
        fact = record.get("fact")
        if isinstance(fact, dict):
            self.facts.setdefault(record["type"], []).append(fact)

    def _nothing(self, record: Record) -> None:
        pass


_APPLY: Mapping[str, Callable[[History, Record], None]] = {
    "session": History._nothing,
    "info": History._nothing,
    "title": History._nothing,
    "model": History._nothing,
    "message": History._message,
    "compaction": History._compaction,
    "undo": History._undo,
}

KINDS = frozenset(_APPLY)


def fold(header: Record, records: Iterable[Record | None]) -> History:
    """The repaired conversation of `records`; `None` stands for a line that holds no record."""
    history = History(header)
    history.take(header)
    skipped = sum(not _taken(history, record) for record in records)
    if skipped:
        history.notes.append(f"{skipped} unreadable line{'s' * (skipped > 1)} of the session file passed over")
    history.messages, mended = repair(history.messages)
    history.notes += mended
    return history


def _taken(history: History, record: Record | None) -> bool:
    if record is None:
        return False
    try:
        history.take(record)
    except (KeyError, TypeError, ValueError, AttributeError):
        return False
    return True


def last_turn(messages: Sequence[Message]) -> int:
    """Where the last turn starts: the index of the last message of the person, or the length when there is none."""
    starts = (index for index in range(len(messages) - 1, -1, -1) if isinstance(messages[index], UserMessage))
    return next(starts, len(messages))
