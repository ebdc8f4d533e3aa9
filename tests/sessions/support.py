"""A store in a temporary folder whose clock moves on by one second at each look."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from hermes_lite.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from hermes_lite.sessions.store import Session, SessionStore

HERE = Path("/proj/here")


def ticking() -> Iterator[datetime]:
    start = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    return (start + timedelta(seconds=seconds) for seconds in count())


def store_in(folder: Path) -> SessionStore:
    clock = ticking()
    return SessionStore(folder / "sessions", folder / "cache", lambda: next(clock))


def reply(text: str, *call_ids: str) -> AssistantMessage:
    return AssistantMessage(text, tuple(ToolCall(id, f"tool_{id}", '{"a": 1}') for id in call_ids))


def result(call_id: str) -> ToolMessage:
    return ToolMessage(call_id, f"tool_{call_id}", f"result of {call_id}")


def talk(session: Session, *messages: Message) -> Session:
    for message in messages:
        session.append(message)
    return session


TURN: tuple[Message, ...] = (
    UserMessage("what is in C:\\users\\unicorn?"),
    reply("let me look", "1", "2"),
    result("2"),
    result("1"),
    reply("a horn 🦄"),
)
