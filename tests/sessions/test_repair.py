import json
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_lite.messages import AssistantMessage, Message, NoticeMessage, ToolMessage, UserMessage
from hermes_lite.sessions.repair import LOST, repair
from tests.sessions.support import HERE, TURN, reply, result, store_in, talk
from tests.support.promises import promise


def is_valid(messages: list[Message]) -> bool:
    """Whether every reply is followed at once by exactly one result for each of its calls, and by no others."""
    due: list[str] = []
    for message in messages:
        if isinstance(message, ToolMessage):
            if message.call_id not in due:
                return False
            due.remove(message.call_id)
        elif due:
            return False
        elif isinstance(message, AssistantMessage):
            due = [call.id for call in message.calls]
    return not due


IDS = st.sampled_from("abc")
MESSAGES = st.one_of(
    st.just(UserMessage("hi")),
    st.just(NoticeMessage("note")),
    st.lists(IDS, max_size=3).map(lambda ids: reply("r", *ids)),
    IDS.map(result),
)


@promise("S-F10")
@settings(max_examples=50, deadline=None)
@given(st.lists(MESSAGES, max_size=12))
def test_any_sequence_becomes_valid_and_stays_as_it_is(messages: list[Message]) -> None:
    sound, _ = repair(messages)
    assert is_valid(sound)
    assert repair(sound) == (sound, [])
    if is_valid(messages):
        assert sound == messages


@promise("S-F10")
def test_every_cut_of_a_conversation_loads_valid(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    messages = [*TURN, *TURN]
    for end in range(len(messages) + 1):
        with store.create(HERE, "m") as session:
            talk(session, *messages[:end])
            session.rename("cut")
        with store.open(session.id) as again:
            assert is_valid(again.messages)
            assert [m for m in again.messages if getattr(m, "text", "") != LOST] == messages[:end]
            talk(again, UserMessage("go on"))
        assert is_valid(store.read(session.id).messages)


def test_an_open_call_is_answered_as_interrupted_with_a_note() -> None:
    sound, notes = repair([UserMessage("x"), reply("", "a", "b"), result("b"), UserMessage("y")])
    assert sound[3] == ToolMessage("a", "tool_a", LOST, is_error=True)
    assert sound[4] == UserMessage("y")
    assert notes == ["1 call without a result marked as interrupted"]


@promise("S-F11")
def test_foreign_and_orphaned_records_are_passed_over_with_a_note(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    with store.create(HERE, "m") as session:
        talk(session, UserMessage("mine"))
    foreign = (
        json.dumps({"role": "user", "content": "another product's line"}),
        json.dumps({"type": "message", "message": {"role": "alien", "text": "x"}}),
        json.dumps({"type": "message", "message": "no mapping"}),
        json.dumps(
            {"type": "message", "at": "t", "message": {"role": "tool", "call_id": "7", "name": "t", "text": "x"}}
        ),
        json.dumps({"type": "from_the_future", "anything": [1, 2]}),
        json.dumps({"type": "compaction"}),
        "not json at all",
        "[" * 100_000,
    )
    with session.path.open("a") as file:
        file.write("\n".join(foreign) + "\n")
    before = session.path.read_bytes()
    with store.open(session.id) as again:
        assert again.messages == [UserMessage("mine")]
        assert again.notes == [
            "6 unreadable lines of the session file passed over",
            "1 result that belonged to no call left out",
        ]
        again.append(UserMessage("more"))
    assert session.path.read_bytes().startswith(before)
    assert store.read(session.id).messages == [UserMessage("mine"), UserMessage("more")]
