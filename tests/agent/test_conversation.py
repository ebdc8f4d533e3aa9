"""What a session keeps frozen, and how a conversation is made whole."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_lite.agent.conversation import NEVER_STARTED, Conversation, Frame
from hermes_lite.agent.notices import Known
from hermes_lite.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage
from hermes_lite.paths import Home
from hermes_lite.sessions.session import Session
from hermes_lite.sessions.store import SessionStore

ENTRY = {"type": "function", "function": {"name": "look"}}
FRAME = Frame("be good", (ENTRY,), "basis", {"tier": 1})
READY = {"git": Known("ready", frozenset(("log",)))}


class Desk:
    """A session that is closed and taken up again, as another process would."""

    def __init__(self, folder: Path) -> None:
        self._store = SessionStore.of(Home(folder))
        self.session = self._store.create(folder, "model")

    def again(self, basis: str = "basis") -> Conversation:
        self.session.close()
        self.session = self._store.open(self.session.id)
        return Conversation.of(self.session, basis)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    desk.session.close()


@pytest.fixture
def session(desk: Desk) -> Session:
    return desk.session


def test_a_frame_comes_back_equal_for_the_same_basis_only(desk: Desk) -> None:
    Conversation(desk.session).freeze(FRAME, READY)
    again = desk.again()
    assert (again.frame, again.told) == (FRAME, READY)
    assert desk.again("another model").frame is None


def test_what_was_told_last_is_remembered(desk: Desk) -> None:
    conversation = Conversation(desk.session)
    conversation.freeze(FRAME, READY)
    gone = {"git": Known("gone")}
    assert conversation.hear(gone) is not None
    assert conversation.hear(gone) is None
    assert desk.again().hear(gone) is None


def test_before_a_frame_nothing_is_news(session: Session) -> None:
    assert Conversation(session).hear(READY) is None


def test_a_frame_grows_behind_what_it_holds(desk: Desk) -> None:
    conversation = Conversation(desk.session)
    conversation.freeze(FRAME, READY)
    found = {"type": "function", "function": {"name": "far"}}
    conversation.keep(FRAME.with_tools({"far": found}))
    again = desk.again()
    assert again.frame is not None
    assert (again.frame.array, again.frame.activated, again.growths) == ((ENTRY, found), ("far",), 1)
    assert (again.frame.names(), again.told) == ({"look", "far"}, READY)


def test_open_calls_are_answered_once_in_call_order(session: Session) -> None:
    conversation = Conversation(session)
    calls = tuple(ToolCall(f"call_{n}", "look", "{}") for n in range(3))
    conversation.append(UserMessage("go"))
    conversation.append(AssistantMessage("", calls))
    conversation.append(ToolMessage("call_1", "look", "done"))
    known = {"call_2": ToolMessage("call_2", "look", "was lost on the way")}
    for _ in range(2):
        conversation.close_open_calls(known, NEVER_STARTED)
    told = [(m.call_id, m.text) for m in session.messages if isinstance(m, ToolMessage)]
    assert told == [("call_1", "done"), ("call_0", NEVER_STARTED), ("call_2", "was lost on the way")]


def test_an_unfinished_reply_is_kept_when_it_said_anything(session: Session) -> None:
    conversation = Conversation(session)
    conversation.keep_partial(" \n")
    conversation.keep_partial("half a")
    assert [message.text for message in session.messages] == ["half a"]
