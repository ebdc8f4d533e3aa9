"""What the bridge tools answer, from the live scope of one session."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_lite.messages import ToolCall
from hermes_lite.text import utf8
from hermes_lite.tokens import o200k
from hermes_lite.tool_search.assemble import entry, to_json
from hermes_lite.tool_search.bridge import ToolSearch, bridge_rows
from hermes_lite.tool_search.unwrap import CallError, unwrap
from hermes_lite.tools.registry import Registry, Scope
from hermes_lite.tools.spec import Source, SourceState, SourceStatus, ToolSpec
from tests.support.promises import promise
from tests.support.tool_rows import catalogues, core_tool, object_schema, server_tools, settings

TITLED = object_schema(["title"], title={"type": "string"}, state={"enum": ["open", "closed"]})
GITHUB = server_tools(
    "github",
    {"create_issue": "Create an issue in a repository.", "list_issues": "List the issues of a repository."},
    **TITLED,
)
MAIL = server_tools("mail", {"send_message": "Send a message to somebody."})
ROWS = (core_tool("terminal", "Run a command."), *GITHUB, *MAIL)


def status(label: str, state: SourceState) -> SourceStatus:
    return SourceStatus(Source("mcp", label), state)


def session(rows: Sequence[ToolSpec] = ROWS, statuses: Sequence[SourceStatus] = (), **changed: Any) -> ToolSearch:
    scope = Scope(tuple(rows), tuple(statuses))
    return ToolSearch(lambda: scope, settings(**changed), o200k())


def searched(search: ToolSearch, *queries: str, **more: Any) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(search.search({"queries": list(queries), **more}).text)
    return answer


def described(search: ToolSearch, *names: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(search.describe({"names": list(names)}).text)
    return answer


@promise("BRIDGE-SIZE")
def test_the_three_schemas_cost_at_most_650_tokens_without_listing() -> None:
    assert o200k().count(to_json([entry(row) for row in bridge_rows("")])) <= 650


@promise("BRIDGE-FRAMING")
def test_the_listing_stands_in_the_search_description_behind_what_it_means() -> None:
    search, describe, call = bridge_rows("## github\ncreate_issue(title): Create it", ["English", "Japanese"])
    assert search.description.endswith("\n\n## github\ncreate_issue(title): Create it")
    for said in ("IS available", "at once with tool_call", "tool_describe", "search before you say", "generic tool"):
        assert said in search.description
    assert "in English or Japanese" in search.description
    assert "github" not in describe.description + call.description
    assert "IS available" not in bridge_rows("")[0].description


@promise("BRIDGE-SHAPE")
def test_a_search_groups_names_by_query_and_tells_each_tool_once() -> None:
    answer = searched(session(), "create github issue", "list issues")
    assert answer["queries"] == ["create github issue", "list issues"]
    assert answer["total_available"] == 3
    assert [group["query"] for group in answer["results"]] == answer["queries"]
    assert answer["results"][0]["matches"][0] == "mcp__github__create_issue"
    assert answer["results"][1]["matches"][0] == "mcp__github__list_issues"
    assert answer["tools"]["mcp__github__create_issue"] == {
        "description": "Create an issue in a repository.",
        "required": ["title"],
        "signature": "(title, state?: open|closed)",
        "source": "github",
    }
    named = {name for group in answer["results"] for name in group["matches"]}
    assert set(answer["tools"]) == named


@promise("T-A17")
def test_a_group_says_how_many_more_matched_than_it_returns() -> None:
    rows = server_tools("github", {f"issue_{n}": "About an issue." for n in range(9)})
    (group,) = searched(session(rows), "issue", limit=2)["results"]
    assert len(group["matches"]) == 2
    assert group["more"] == 7


@pytest.mark.parametrize(
    ("limit", "matches"), [(None, 5), (0, 1), (-3, 1), (3, 3), ("3", 3), (999, 25), ("many", 5), (2.5, 5), (True, 5)]
)
def test_the_limit_is_clamped_and_nonsense_means_the_default(limit: Any, matches: int) -> None:
    rows = server_tools("github", {f"issue_{n}": "About an issue." for n in range(30)})
    (group,) = searched(session(rows), "issue", limit=limit)["results"]
    assert len(group["matches"]) == matches


@promise("BRIDGE-CAPS")
def test_too_many_queries_or_names_state_the_cap_and_show_how_to_split() -> None:
    result = session().search({"queries": [f"q{n}" for n in range(9)]})
    assert result.is_error
    answer = json.loads(result.text)
    assert "At most 7" in answer["message"]
    assert answer["split"] == [[f"q{n}" for n in range(7)], ["q7", "q8"]]
    names = json.loads(session().describe({"names": [f"n{n}" for n in range(11)]}).text)
    assert "At most 10" in names["message"]
    assert [len(part) for part in names["split"]] == [10, 1]


@promise("BRIDGE-EMPTY-GROUP", "T-L01")
@pytest.mark.parametrize(
    ("state", "said"),
    [("connecting", "still connecting"), ("failed", "failed"), ("needs_auth", "authorized by the person")],
)
def test_a_group_without_matches_tells_which_sources_are_not_there_yet(state: SourceState, said: str) -> None:
    answer = searched(session(statuses=[status("calendar", state)]), "book flight", "book hotel")
    first, second = answer["results"]
    assert first["matches"] == second["matches"] == []
    assert {"name": "calendar", "tools": 0, "state": state} in first["available_sources"]
    assert {"name": "github", "tools": 2, "state": "ready"} in first["available_sources"]
    assert said in first["hint"]
    assert "available_sources" not in second
    assert answer["tools"] == {}


@promise("BRIDGE-EMPTY-GROUP")
def test_a_capability_that_is_not_there_is_said_not_to_be_there() -> None:
    (group,) = searched(session(), "book flight")["results"]
    assert group["hint"].startswith("No tool of this session does this.")
    assert "terminal" not in json.dumps(group)


@promise("BRIDGE-EMPTY-GROUP", "T-C06")
def test_a_query_in_a_language_that_no_tool_speaks_is_told_which_they_speak() -> None:
    (group,) = searched(session(), "จองตั๋วเครื่องบิน")["results"]
    assert "in English" in group["hint"]
    assert group["available_sources"]


@promise("BRIDGE-BYTE-CAP", "T-K02")
def test_a_reply_is_bounded_and_marks_each_group_that_was_cut() -> None:
    rows = [
        replace(row, parameters=object_schema(**{f"p{n}": {"type": "string"} for n in range(30)}))
        for word in ("alpha", "beta")
        for row in server_tools(word, {f"{word}_{n}": f"Do {word} " + "道具" * 400 for n in range(25)})
    ]
    result = session(rows).search({"queries": ["alpha", "beta"], "limit": 25})
    assert len(utf8(result.text)) <= 24_000
    answer = json.loads(result.text)
    first, second = answer["results"]
    assert len(first["matches"]) > len(second["matches"])
    assert second["truncated"] is True
    assert all(len(tool["description"]) <= 500 for tool in answer["tools"].values())


@promise("BRIDGE-BYTE-CAP")
def test_what_a_group_must_say_has_its_room_even_when_it_comes_last() -> None:
    rows = server_tools("alpha", {f"alpha_{n}": "Do alpha " + "道具" * 400 for n in range(25)})
    sources = [status(f"source {n} " + "長" * 80, "connecting") for n in range(120)]
    result = session(rows, sources).search(
        {"queries": ["alpha", *(f"missing thing{n}" for n in range(6))], "limit": 25}
    )
    assert len(utf8(result.text)) <= 24_000
    first, second, *_ = json.loads(result.text)["results"]
    assert first["matches"]
    assert first["truncated"] is True
    assert len(second["available_sources"]) + second["more_sources"] == 121


@promise("BRIDGE-BYTE-CAP")
@hypothesis.settings(max_examples=15)
@given(catalogues(), st.lists(st.text(max_size=400), min_size=1, max_size=7))
def test_no_catalogue_and_no_query_makes_a_reply_too_large(rows: list[ToolSpec], queries: list[str]) -> None:
    search = session(rows, [status("late", "connecting")])
    assert len(utf8(search.search({"queries": queries, "limit": 25}).text)) <= 24_000
    names = [row.name for row in rows[-8:]] + queries[:2]
    assert o200k().count(search.describe({"names": names}).text) <= 8_000


@promise("BRIDGE-BUDGET")
def test_searches_that_find_nothing_new_are_refused_once_the_budget_is_spent() -> None:
    search = session((*ROWS, core_tool("clarify")))
    for query in ("create issue", "issue: CREATE", "book flight", "book hotel"):
        assert not search.search({"queries": [query]}).is_error
    result = search.search({"queries": ["book train"]})
    assert result.is_error
    answer = json.loads(result.text)
    assert answer["error"] == "search-budget-exhausted"
    assert answer["budgetCap"] == 3
    assert "clarify" in answer["message"]
    assert "mcp__github__create_issue" in answer["message"]


@promise("BRIDGE-BUDGET")
def test_a_success_of_a_found_tool_or_a_new_turn_resets_the_budget() -> None:
    for renew in (lambda s: s.note_success("mcp__github__create_issue"), lambda s: s.new_turn()):
        search = session(search_budget=1)
        searched(search, "create issue")
        searched(search, "book flight")
        search.note_success("terminal")
        assert "error" in searched(search, "book train")
        renew(search)
        assert "error" not in searched(search, "book train")


@promise("BRIDGE-BUDGET")
def test_a_budget_of_zero_is_no_limit() -> None:
    search = session(search_budget=0)
    for _ in range(9):
        assert "error" not in searched(search, "book flight")


@promise("BRIDGE-FOUND")
def test_what_was_found_is_told_once_and_in_order() -> None:
    told: list[str] = []
    scope = Scope(ROWS)
    search = ToolSearch(lambda: scope, settings(), o200k(), on_found=told.extend)
    searched(search, "list issues", limit=1)
    searched(search, "create issue")
    assert tuple(told) == search.found
    assert told[0] == "mcp__github__list_issues"
    assert len(set(told)) == len(told)


@promise("BRIDGE-LIVE")
def test_search_and_describe_follow_the_live_scope_and_leave_nothing_behind() -> None:
    rows = list(ROWS)
    search = ToolSearch(lambda: Scope(tuple(rows)), settings(), o200k())
    assert searched(search, "send message")["results"][0]["matches"] == ["mcp__mail__send_message"]
    rows[-1] = replace(rows[-1], description="Post a parcel to somebody.")
    assert described(search, "send_message")["tools"]["mcp__mail__send_message"]["description"].startswith("Post")
    assert searched(search, "post parcel")["results"][0]["matches"] == ["mcp__mail__send_message"]
    rows.pop()
    assert searched(search, "post parcel")["results"][0]["matches"] == []
    assert described(search, "send_message")["not_found"][0]["name"] == "send_message"


@promise("BRIDGE-LIVE")
def test_the_same_search_gives_the_same_answer_whatever_was_described_in_between() -> None:
    search = session(search_budget=0)
    before = searched(search, "create issue")
    described(search, "create_issue", "terminal", "nonsense")
    assert searched(search, "create issue") == before


def test_nothing_waits_behind_a_bridge_that_is_switched_off() -> None:
    search = session(enabled="off")
    assert searched(search, "create issue")["total_available"] == 0
    assert described(search, "create_issue")["errors"] == {
        "mcp__github__create_issue": "listed directly, call it directly"
    }


@promise("T-G05")
@given(st.sampled_from(["vault", "hidden_key", "mcp__vault__hidden_key", "open the hidden vault key", "vault: key"]))
def test_what_a_session_was_not_granted_is_in_none_of_its_answers(words: str) -> None:
    registry = Registry()
    hidden = server_tools("vault", {"hidden_key": "Open the hidden vault with its key."})
    registry.replace(Source("mcp", "vault"), hidden)
    registry.replace(Source("mcp", "github"), GITHUB)
    scope = registry.scope(["github"])
    search = ToolSearch(lambda: scope, settings(), o200k())
    said = [
        search.search({"queries": [words, "github: " + words]}).text,
        search.describe({"names": [words]}).text,
        *(i.text for i in unwrap([ToolCall("c", words, "{}")], scope) if isinstance(i, CallError)),
    ]
    for text in said:
        told = text.replace(json.dumps(words)[1:-1], "")
        assert "vault" not in told
        assert "hidden_key" not in told


@promise("BRIDGE-EMPTY-GROUP")
def test_a_question_for_the_sources_and_an_unknown_source_are_answered_with_the_sources() -> None:
    sources, unknown = searched(session(), "what tools are there", "nosuch: create issue")["results"]
    assert [source["name"] for source in sources["available_sources"]] == ["github", "mail"]
    assert sources["hint"].startswith("These are the sources")
    assert unknown["matches"] == []
    assert "no source nosuch" in unknown["hint"]
