import sqlite3
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_lite.messages import NoticeMessage, ToolMessage, UserMessage
from hermes_lite.sessions.index import FILE, match_expression
from hermes_lite.sessions.store import SessionStore
from tests.sessions.support import HERE, reply, store_in, talk
from tests.support.promises import promise


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    return store_in(tmp_path)


def told(store: SessionStore, *texts: str) -> str:
    with store.create(HERE, "m") as session:
        return talk(session, *map(UserMessage, texts)).id


def found(store: SessionStore, query: str) -> list[str]:
    return [hit.session_id for hit in store.search(query, 20)]


@promise("SESSION-SEARCH")
@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("the deployment failed on Tuesday", "failed deploy"),
        ("昨天的会议记录在这里", "会议"),
        ("昨天的会议记录在这里", "议"),
        ("今日の天気はどうですか", "天気は"),
        ("오늘 회의는 어땠나요", "회의"),
        ("การประชุมเมื่อวาน", "ประชุม"),
        ("Die Prüfung der Größe", "prufung GRÖSSE".replace("SS", "ß")),
        ("встреча перенесена", "Встреча"),
        ("call get_user_by_id now", "get_user_by_id"),
        ("it said 'unexpected token: \"}\"'", 'unexpected "token }'),
    ],
)
def test_words_of_any_language_are_found(store: SessionStore, text: str, query: str) -> None:
    told(store, "something else entirely")
    wanted = told(store, text)
    assert found(store, query) == [wanted]


def test_all_words_must_be_there_and_quoted_ones_together(store: SessionStore) -> None:
    wanted = told(store, "red green blue")
    assert found(store, "blue red") == [wanted]
    assert found(store, '"green blue"') == [wanted]
    assert found(store, '"red blue"') == []
    assert found(store, "red yellow") == []
    assert found(store, " ?! ") == []


def test_compacted_messages_and_results_are_found_with_excerpts(store: SessionStore) -> None:
    with store.create(HERE, "m") as session:
        talk(session, UserMessage("x " * 400 + "needle " + "y " * 400), reply("", "1"))
        talk(session, ToolMessage("1", "t", "haystack of straw"))
        session.replace_history([NoticeMessage("short")])
    (hit,) = store.search("needle", 5)
    assert "needle" in hit.excerpt
    assert len(hit.excerpt) < 300
    assert (hit.role, hit.at[:4]) == ("user", "2026")
    assert [hit.role for hit in store.search("haystack", 5)] == ["tool"]


def test_changed_and_deleted_sessions_are_noticed(store: SessionStore) -> None:
    first = told(store, "apple")
    assert found(store, "apple") == [first]
    with store.open(first) as session:
        talk(session, UserMessage("banana"))
    second = told(store, "banana")
    assert found(store, "banana") == [second, first]
    store.delete(first)
    assert found(store, "banana") == [second]
    assert found(store, "apple") == []


def test_one_session_does_not_fill_the_answer_and_may_be_left_out(store: SessionStore) -> None:
    chatty = told(store, *("same words" for _ in range(10)))
    other = told(store, "same words again")
    assert sorted(found(store, "same words")) == sorted([chatty] * 3 + [other])
    assert [hit.session_id for hit in store.search("same words", 5, leave_out=chatty)] == [other]


@promise("S-F9")
def test_a_lost_damaged_or_unwritable_index_is_built_again(store: SessionStore) -> None:
    wanted = told(store, "apple")
    assert found(store, "apple") == [wanted]
    index = store.cache / FILE
    index.write_bytes(b"this is no database at all" * 100)
    assert found(store, "apple") == [wanted]
    index.unlink()
    assert found(store, "apple") == [wanted]
    blocked = SessionStore(store.folder, store.folder / f"{wanted}.jsonl" / "no-folder")
    assert found(blocked, "apple") == [wanted]


@promise("SESSION-TEXT")
def test_surrogates_can_be_indexed_and_searched(store: SessionStore) -> None:
    wanted = told(store, "broken \ud800 text")
    assert found(store, "broken text") == [wanted]
    assert found(store, "\ud800 broken") in ([], [wanted])


@settings(max_examples=50, deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=30))
def test_no_query_is_a_syntax_error(query: str) -> None:
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE VIRTUAL TABLE t USING fts5(a)")
        expression = match_expression(query)
        if expression:
            connection.execute("SELECT * FROM t WHERE t MATCH ?", (expression,)).fetchall()
    connection.close()
