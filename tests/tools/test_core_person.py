"""The tools that ask and remember: clarify, todo_list, session_search."""

from pathlib import Path

from hermes_lite.messages import UserMessage
from hermes_lite.sessions.store import SessionStore
from hermes_lite.tools.core.todo import Items, TodoList
from hermes_lite.tools.spec import Question
from tests.support.promises import promise
from tests.tools.workbench import Workbench


def test_a_question_is_put_and_answered(bench: Workbench) -> None:
    bench.answers.append("blue")
    result = bench.run("clarify", question="Which colour?", choices=["red", "blue"])
    assert (result.text, result.is_error) == ("blue", False)
    assert bench.asked == [Question("Which colour?", ("red", "blue"))]


@promise("CORE-HEADLESS")
def test_with_nobody_to_ask_the_model_is_told_what_to_do(bench: Workbench) -> None:
    result = bench.run("clarify", question="Which colour?")
    assert result.is_error
    assert result.text.startswith("NOT ANSWERED")


def test_the_list_is_replaced_read_and_saved(bench: Workbench) -> None:
    saved: list[Items] = []
    todo = bench.resource(TodoList)
    todo.save = saved.append
    assert bench.run("todo_list").text == "(the list is empty)"
    steps = [{"text": "find\nit", "state": "done"}, {"text": "mend it", "state": "active"}]
    assert bench.run("todo_list", items=steps).text == "[x] find it\n[>] mend it"
    assert bench.run("todo_list").text == todo.snapshot()
    assert TodoList(saved[-1]).snapshot() == todo.snapshot()
    assert bench.run("todo_list", items=[]).text == "(the list is empty)"


def test_earlier_sessions_are_searched_and_this_one_is_not(tmp_path: Path) -> None:
    store = SessionStore(tmp_path / "sessions", tmp_path / "cache")
    with store.create(tmp_path, "m") as session:
        session.append(UserMessage("the needle is in the haystack"))

    def past(query: str, limit: int, leave_out: str) -> tuple[object, ...]:
        return store.search(query, limit, leave_out=leave_out)

    bench = Workbench(tmp_path, tmp_path / "side", past=past)
    found = bench.run("session_search", query="needle")
    assert found.text.startswith(session.id)
    assert found.text.endswith("user: the needle is in the haystack")
    nothing = bench.run("session_search", query="unheard of")
    assert (nothing.text[:41], nothing.is_error) == ("No earlier conversation holds all the wor", False)
