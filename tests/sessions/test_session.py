import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_lite.errors import SessionError
from hermes_lite.messages import AssistantMessage, Message, NoticeMessage, ToolCall, ToolMessage, Usage, UserMessage
from hermes_lite.sessions.records import decode, encode
from hermes_lite.sessions.store import SessionStore
from tests.sessions.support import HERE, TURN, reply, store_in, talk
from tests.support.promises import promise

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()), max_size=40)


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    return store_in(tmp_path)


@promise("S-F20")
def test_a_session_reads_back_equal(store: SessionStore) -> None:
    rich = AssistantMessage(
        "x",
        (ToolCall("9", "t", '{"path": "C:\\\\users\\\\u0041"}', "bridge"),),
        {"reasoning_content": "because", "details": [{"n": 1}]},
        "tool_calls",
        Usage(1, 2, None),
        "model-1",
    )
    messages = [*TURN, NoticeMessage("server came"), rich, ToolMessage("9", "t", "no", is_error=True)]
    with store.create(HERE, "model-1") as session:
        talk(session, *messages)
    with store.open(session.id) as again:
        assert again.messages == messages
        assert (again.cwd, again.model, again.turns, again.notes) == (HERE, "model-1", 1, [])


@promise("SESSION-TEXT")
@settings(max_examples=50, deadline=None)
@given(text=ANY_TEXT, title=ANY_TEXT)
def test_any_text_is_kept_as_it_is(tmp_path_factory: pytest.TempPathFactory, text: str, title: str) -> None:
    store = store_in(tmp_path_factory.mktemp("any"))
    with store.create(HERE, "m") as session:
        session.append(UserMessage(text))
        session.rename(title)
    with store.open(session.id) as again:
        assert again.messages == [UserMessage(text)]
        assert again.title == title


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(ANY_TEXT, ANY_TEXT | st.integers() | st.none()))
def test_a_record_is_one_line_that_reads_back_equal(body: dict[str, object]) -> None:
    line = encode("fact", "now", {"fact": body})
    assert line.count(b"\n") == 1
    assert decode(line) == {"type": "fact", "at": "now", "fact": body}


def test_an_unused_session_leaves_no_file(store: SessionStore) -> None:
    with store.create(HERE, "m") as session:
        session.sync()
    assert not session.path.exists()


@promise("SESSION-APPEND")
def test_the_file_only_grows(store: SessionStore) -> None:
    seen = b""

    def grown() -> bool:
        nonlocal seen
        before, seen = seen, session.path.read_bytes()
        return len(seen) > len(before) and seen.startswith(before)

    with store.create(HERE, "m") as session:
        talk(session, *TURN, *TURN)
        assert grown()
        session.replace_history((NoticeMessage("summary"), *TURN))
        assert grown()
        assert session.drop_last_turn() == "what is in C:\\users\\unicorn?"
        assert grown()
        session.append(UserMessage("next"))
        session.switch_model("m2")
        session.sync()
        assert grown()
    with store.open(session.id) as again:
        assert again.messages == [NoticeMessage("summary"), UserMessage("next")]
        assert (again.model, again.turns) == ("m2", 2)


def test_undo_drops_turn_after_turn_until_none_is_left(store: SessionStore) -> None:
    with store.create(HERE, "m") as session:
        talk(session, UserMessage("one"), reply("1"), UserMessage("two"), reply("2", "x"))
        assert session.drop_last_turn() == "two"
        assert session.drop_last_turn() == "one"
        assert session.drop_last_turn() is None
        assert session.messages == []
    assert store.read(session.id).messages == []


def test_facts_come_back_by_kind_in_order(store: SessionStore) -> None:
    with store.create(HERE, "m") as session:
        assert session.activity == {}
        session.append_fact("cost", {"usd": 1})
        session.append_fact("cost", {"usd": 2, "type": "x", "at": "y"})
        session.save_activity({"tier": 1})
        session.save_activity({"tier": 2})
        with pytest.raises(ValueError, match="message"):
            session.append_fact("message", {})
    with store.open(session.id) as again:
        assert list(again.facts("cost")) == [{"usd": 1}, {"usd": 2, "type": "x", "at": "y"}]
        assert again.activity == {"tier": 2}
        assert again.facts("unknown") == ()


@promise("SESSION-PRIVATE")
def test_only_the_owner_can_read(tmp_path: Path) -> None:
    store = store_in(tmp_path / "home")
    with store.create(HERE, "m") as session:
        session.append(UserMessage("secret"))
    store.search("secret", 1)
    assert stat.S_IMODE(session.path.stat().st_mode) == 0o600
    for folder in (store.folder, store.folder.parent, store.cache):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [stat.S_IMODE(file.stat().st_mode) for file in store.cache.iterdir()] == [0o600]


def test_a_full_disk_loses_nothing_and_says_so(store: SessionStore, monkeypatch: pytest.MonkeyPatch) -> None:
    with store.create(HERE, "m") as session:
        session.append(UserMessage("kept"))
        before = session.path.read_bytes()
        writer = session._writer
        assert writer is not None

        class Full:
            def __getattr__(self, name: str) -> object:
                return getattr(file, name)

            def write(self, data: bytes) -> int:
                file.write(data[:10])
                raise OSError(28, "No space left on device")

        file = writer.file
        monkeypatch.setattr(writer, "file", Full())
        with pytest.raises(SessionError, match="No space left"):
            session.append(UserMessage("lost"))
        assert session.path.read_bytes() == before
        monkeypatch.setattr(writer, "file", file)
        session.append(UserMessage("after"))
    messages: list[Message] = store.read(session.id).messages
    assert messages == [UserMessage("kept"), UserMessage("after")]


def test_a_home_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "sessions").write_text("a file in the way")
    with pytest.raises(SessionError, match="sessions"):
        store_in(tmp_path).create(HERE, "m").append(UserMessage("x"))
