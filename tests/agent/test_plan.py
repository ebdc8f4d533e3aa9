"""Which calls may overlap: by row and path, never by envelope."""

from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_lite.agent.plan import Item, plan
from hermes_lite.messages import ToolCall
from hermes_lite.tool_search.unwrap import CallError, RealCall
from tests.agent.rig import row

CWD = PurePosixPath("/proj")


def item(parallel: Any, number: int = 0, **arguments: Any) -> RealCall:
    call = ToolCall(f"call_{number}", parallel, "{}")
    return RealCall(call, row(parallel, parallel=parallel), arguments)


def refused(number: int = 0) -> CallError:
    return CallError(ToolCall(f"call_{number}", "nothing", "{}"), "NOT RUN", "unknown")


def shape(*items: Item) -> list[int]:
    return [len(run) for run in plan(items, CWD)]


def test_safe_calls_share_one_run() -> None:
    assert shape(item("safe"), item("safe"), refused()) == [3]


def test_a_call_that_may_not_share_is_a_barrier() -> None:
    assert shape(item("safe"), item("safe"), item("never"), item("safe")) == [2, 1, 1]


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        ("a.txt", "b.txt", False),
        ("a.txt", "a.txt", True),
        ("a.txt", "./x/../a.txt", True),
        ("a.txt", "/proj/a.txt", True),
        ("src", "src/main.py", True),
        ("src", "src2/main.py", False),
        (None, "a.txt", True),
    ],
)
def test_calls_on_files_share_a_run_when_their_paths_do_not_meet(
    one: str | None, other: str | None, meet: bool
) -> None:
    def on(path: str | None) -> RealCall:
        return item("path-locked", **({} if path is None else {"path": path}))

    assert shape(on(one), on(other)) == ([1, 1] if meet else [2])
    assert shape(on(other), on(one)) == ([1, 1] if meet else [2])


def test_a_reader_waits_for_a_writer_of_the_same_file_only() -> None:
    assert shape(item("path-locked", path="a"), item("safe", path="b")) == [2]
    assert shape(item("path-locked", path="a"), item("safe", path="a")) == [1, 1]
    assert shape(item("path-locked", path="a"), item("safe")) == [1, 1]


_items = st.lists(
    st.builds(
        lambda kind, path: item(kind, path=path),
        st.sampled_from(["safe", "path-locked", "never"]),
        st.sampled_from(["a", "b", "a/c", "../a", "/proj/a"]),
    )
    | st.builds(refused),
    max_size=8,
)


@given(_items)
def test_every_call_stands_in_one_run_in_order_and_no_run_holds_two_that_conflict(items: list[Item]) -> None:
    runs = plan(items, CWD)
    assert [one for run in runs for one in run] == items
    for run in runs:
        kinds = [one.row.parallel for one in run if isinstance(one, RealCall)]
        assert "never" not in kinds or len(kinds) == 1
        written = [one.arguments["path"] for one in run if isinstance(one, RealCall) and one.row.parallel != "safe"]
        assert len(written) == len(set(written))
