import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_lite.errors import SessionError
from hermes_lite.messages import NoticeMessage, UserMessage
from hermes_lite.sessions import listing
from hermes_lite.sessions.store import SessionStore
from tests.sessions.support import HERE, TURN, store_in, talk
from tests.support.promises import promise


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    return store_in(tmp_path)


def told(store: SessionStore, text: str, cwd: Path = HERE) -> str:
    with store.create(cwd, "m") as session:
        return talk(session, UserMessage(text)).id


def test_the_list_shows_the_one_used_last_first(store: SessionStore) -> None:
    first, second = told(store, "first"), told(store, "second")
    with store.open(first) as session:
        talk(session, *TURN)
        session.switch_model("other")
    shown = store.list()
    assert [(info.id, info.title, info.messages, info.model) for info in shown] == [
        (first, "first", 6, "other"),
        (second, "second", 1, "m"),
    ]
    assert shown[0].started < shown[1].started < shown[1].updated < shown[0].updated


def test_messages_after_the_last_turn_end_are_counted_too(store: SessionStore) -> None:
    session = talk(store.create(HERE, "m"), *TURN)
    session.sync()
    talk(session, *TURN)
    (info,) = store.list()
    assert info.messages == 10
    session.replace_history([NoticeMessage("short"), *TURN])
    session.drop_last_turn()
    (info,) = store.list()
    assert info.messages == 1
    session.close()


@promise("S-F12")
def test_a_title_given_long_ago_is_found(store: SessionStore) -> None:
    with store.create(HERE, "m") as session:
        talk(session, UserMessage("first words"))
        session.rename("named")
        session.sync()
        for _ in range(4):
            talk(session, UserMessage("x" * 3 * listing.FIRST_BLOCK))
    (info,) = store.list()
    assert (info.title, info.messages) == ("named", 5)


def test_a_session_that_never_ended_a_turn_is_listed_whole(store: SessionStore) -> None:
    session = talk(store.create(HERE, "m"), UserMessage("hello\nyou " + "x" * 100_000), *TURN)
    (info,) = store.list()
    assert info.title.startswith("hello you")
    assert len(info.title) <= 60
    assert info.messages == 6
    session.close()


@promise("S-F12")
def test_the_latest_is_of_exactly_this_folder(store: SessionStore) -> None:
    wanted = told(store, "a", Path("/w/a_b"))
    told(store, "b", Path("/w/a-b"))
    told(store, "c", Path("/w/a_b/c"))
    latest = store.latest(Path("/w/a_b"))
    assert latest is not None
    assert latest.id == wanted
    assert store.latest(Path("/w")) is None
    with store.open(wanted) as session:
        assert session.cwd == Path("/w/a_b")


@promise("SESSION-QUICK")
def test_long_sessions_are_listed_from_their_ends(store: SessionStore, monkeypatch: pytest.MonkeyPatch) -> None:
    with store.create(HERE, "m") as session:
        talk(session, *(UserMessage("x" * 1000) for _ in range(2000)))
    decoded = []
    plain = listing.decode
    monkeypatch.setattr(listing, "decode", lambda line: decoded.append(line) or plain(line))
    (info,) = store.list()
    assert info.messages == 2000
    assert len(decoded) == 2


def test_an_id_may_be_shortened_while_it_is_unique(store: SessionStore) -> None:
    first, second = told(store, "a"), told(store, "b")
    assert store.find(first[:-2]).stem == first
    with pytest.raises(SessionError, match="2 sessions begin") as caught:
        store.find(first[:8])
    assert second in str(caught.value)
    for wrong in ("20301231", "../etc", "", "*", "a/b"):
        with pytest.raises(SessionError):
            store.find(wrong)


@promise("SESSION-LOCK")
def test_a_session_in_use_is_refused_and_can_be_copied(store: SessionStore) -> None:
    script = (
        "import sys; from pathlib import Path; from hermes_lite.sessions.store import SessionStore\n"
        "s = SessionStore(Path(sys.argv[1]), Path(sys.argv[2])).open(sys.argv[3])\n"
        "print('open', flush=True); sys.stdin.read()"
    )
    session_id = told(store, "shared")
    command = [sys.executable, "-c", script, str(store.folder), str(store.cache), session_id]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"open\n"
        with pytest.raises(SessionError, match="already open") as caught:
            store.open(session_id)
        assert "fork" in caught.value.mend
        with pytest.raises(SessionError, match="already open"):
            store.delete(session_id)
        with store.fork(session_id) as copy:
            talk(copy, UserMessage("mine"))
        assert store.read(session_id).messages == [UserMessage("shared")]
        other.communicate()
    with store.open(session_id) as session:
        assert session.messages == [UserMessage("shared")]


def test_a_copy_has_all_of_the_original_and_its_own_life(store: SessionStore) -> None:
    with store.create(HERE, "m") as original:
        talk(original, *TURN)
        original.rename("trunk")
        original.append_fact("cost", {"usd": 1})
    with store.fork(original.id) as copy:
        assert (copy.messages, copy.title, copy.cwd) == (list(TURN), "trunk", HERE)
        assert list(copy.facts("cost")) == [{"usd": 1}]
        copy.drop_last_turn()
    assert copy.id != original.id
    assert store.read(original.id).messages == list(TURN)


def test_deleting_takes_the_side_files_along(store: SessionStore) -> None:
    with store.create(HERE, "m") as session:
        talk(session, UserMessage("x"))
        session.side_folder.mkdir()
        (session.side_folder / "output.txt").write_text("x")
    assert store.delete(session.id) == session.id
    assert list(store.folder.iterdir()) == []
    with pytest.raises(SessionError, match="there is no session"):
        store.open(session.id)


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["pipe", "folder"])
def test_what_is_no_file_is_no_session(store: SessionStore, make: Callable[[Path], None]) -> None:
    kept = told(store, "hello")
    make(store.folder / "20260101-000000-abcdef.jsonl")
    assert [info.id for info in store.list()] == [kept]
    assert [hit.session_id for hit in store.search("hello", 5)] == [kept]
    for session_id in ("20260101-000000-abcdef", "20260101"):
        with pytest.raises(SessionError, match="there is no session"):
            store.open(session_id)
