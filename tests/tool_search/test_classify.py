from dataclasses import replace
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from hermes_lite.tool_search.classify import BRIDGE_NAMES, Classification, classify
from hermes_lite.tools.spec import Source, ToolSpec
from tests.support.promises import promise
from tests.support.tool_rows import builtin_tool, catalogues, core_tool, server_tools, settings

ROWS = [
    core_tool("terminal"),
    core_tool("read_file"),
    builtin_tool("session_search"),
    *server_tools("github", ["create_issue", "list_issues"]),
    *server_tools("files", ["read_file", "write_file"]),
]


def deferred(found: Classification) -> set[str]:
    return {row.name for row in found.deferred}


def split(**changed: tuple[str, ...]) -> set[str]:
    return deferred(classify(ROWS, settings(**changed)))


ATTACHED = {
    "mcp__github__create_issue",
    "mcp__github__list_issues",
    "mcp__files__read_file",
    "mcp__files__write_file",
}


@promise("T-J10")
def test_an_empty_defer_keeps_every_built_in_direct_and_only_those() -> None:
    assert split() == ATTACHED


@promise("T-J10")
def test_a_name_in_defer_waits_whatever_it_is() -> None:
    assert split(defer=("session_search", "terminal")) == ATTACHED | {"session_search", "terminal"}


@promise("T-J10")
def test_a_pin_wins_over_defer() -> None:
    assert "session_search" not in split(pin=("session_search",), defer=("session_*",))


@promise("T-J04", "T-F11")
def test_a_whole_server_is_pinned_by_its_configured_key() -> None:
    assert split(pin=("github.*",)) == {"mcp__files__read_file", "mcp__files__write_file"}


@promise("T-J04")
def test_one_tool_is_pinned_by_its_full_name_its_dotted_name_or_its_short_one() -> None:
    for entry in ("mcp__github__list_issues", "github.list_issues", "list_issues", "mcp__git*__list_*"):
        assert split(pin=(entry,)) == ATTACHED - {"mcp__github__list_issues"}, entry


def test_a_full_name_beats_the_same_short_name() -> None:
    assert split(defer=("read_file",)) == ATTACHED | {"read_file"}


def test_a_tool_that_says_it_cannot_wait_is_direct_unless_it_is_named() -> None:
    row = replace(server_tools("s", ["now"])[0], deferrable=False)
    assert deferred(classify([row], settings())) == set()
    assert deferred(classify([row], settings(defer=("s.now",)))) == {"mcp__s__now"}


def test_nobody_else_takes_a_name_of_the_bridge() -> None:
    thief = replace(core_tool("tool_call"), source=Source("plugin", "thief"))
    found = classify([*ROWS, thief], settings(pin=("thief.*",)))
    assert not {row.name for row in (*found.direct, *found.deferred)} & set(BRIDGE_NAMES)
    assert found.problems[0] == "thief: tool_call is a reserved name, the tool is left out"


def test_an_entry_that_names_nothing_is_reported_with_the_nearest_name() -> None:
    problems = classify(ROWS, settings(pin=("github.*", "githb.*", "create_isue", "nothing-like-it"))).problems
    assert problems == (
        "pin: githb.* names no tool; did you mean github.*?",
        "pin: create_isue names no tool; did you mean create_issue?",
        "pin: nothing-like-it names no tool",
    )


def test_an_entry_without_effect_is_reported() -> None:
    problems = classify(ROWS, settings(pin=("github.*",), defer=("create_issue", "tool_search"))).problems
    assert problems == (
        "defer: create_issue has no effect, `pin` shows what it names",
        "defer: tool_search is part of Tool Search itself and always direct",
    )


def test_a_server_named_without_its_star_is_recognised() -> None:
    assert classify(ROWS, settings(pin=("github",))).problems == (
        "pin: github names no tool; did you mean github.*?",
    )


@given(catalogues(), st.randoms())
def test_every_tool_is_on_one_side_whatever_the_order(rows: list[ToolSpec], random: Random) -> None:
    found = classify(rows, settings())
    assert sorted(row.name for row in (*found.direct, *found.deferred)) == sorted(row.name for row in rows)
    shuffled = list(rows)
    random.shuffle(shuffled)
    again = classify(shuffled, settings())
    assert (again.direct, again.deferred) == (found.direct, found.deferred)
