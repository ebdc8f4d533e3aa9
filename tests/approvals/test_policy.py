"""Calls of tools that are no shell, and what holds for every call."""

from pathlib import Path
from typing import Any

import pytest

from hermes_lite.approvals.policy import CallFacts, Mode, judge, unmatched
from hermes_lite.approvals.rules import Rule
from hermes_lite.tools.rows import builtin_rows
from hermes_lite.tools.spec import Risk, Source, SourceKind, Tier, ToolSpec
from tests.approvals.judging import policy, script, verdict
from tests.support.promises import promise

ROWS = {row.name: row for row in builtin_rows()}


def tool(name: str, tier: Tier = "gated", risk: Risk = "external", kind: SourceKind = "mcp") -> ToolSpec:
    return ToolSpec(
        name=name,
        description="",
        parameters={},
        handler="nowhere:nothing",
        source=Source(kind, "x"),
        toolset="x",
        tier=tier,
        risk=risk,
    )


def call(name: str, **arguments: Any) -> CallFacts:
    return CallFacts.of(ROWS.get(name) or tool(name), arguments, Path("/proj"))


@promise("T-H04")
def test_a_tool_that_nothing_speaks_of_asks() -> None:
    assert judge(CallFacts("never_seen"), policy()).decision == "ask"
    assert judge(call("mcp__mail__send", to="x"), policy()).decision == "ask"


@promise("T-H10")
@pytest.mark.parametrize("mode", ["ask", "auto-edit", "yolo", "deny"])
@pytest.mark.parametrize("name", ["tool_search", "tool_describe"])
def test_looking_up_tools_never_asks(name: str, mode: Mode) -> None:
    facts = CallFacts.of(tool(name, kind="bridge"), {}, Path("/proj"))
    assert judge(facts, policy(mode, ask=["*"])).decision == "allow"


@pytest.mark.parametrize("name", ["read_file", "search_files", "todo_list", "clarify", "session_search"])
def test_built_in_tools_that_only_look_are_free(name: str) -> None:
    assert judge(call(name), policy()).decision == "allow"
    assert judge(call(name), policy("deny")).decision == "allow"


@promise("APPROVE.order")
@pytest.mark.parametrize(
    ("rules", "decision"),
    [
        ({}, "ask"),
        ({"allow": ["mcp__git__*"]}, "allow"),
        ({"allow": ["mcp__git__git_log"]}, "allow"),
        ({"allow": ["mcp__git"]}, "ask"),
        ({"allow": ["mcp__git__*"], "ask": ["*_log"]}, "ask"),
        ({"allow": ["mcp__git__*"], "ask": ["*_log"], "deny": ["mcp__*"]}, "deny"),
    ],
)
def test_deny_beats_ask_beats_allow(rules: dict[str, list[Any]], decision: str) -> None:
    assert judge(call("mcp__git__git_log"), policy(**rules)).decision == decision


@promise("APPROVE.order")
@pytest.mark.parametrize(
    ("path", "decision"),
    [
        ("src/a.py", "allow"),
        ("/proj/src/deep/a.py", "allow"),
        ("src/../secret", "ask"),
        ("src/../.env", "deny"),
        ("/proj/.env", "deny"),
        (".env", "deny"),
        ("/etc/passwd", "ask"),
    ],
)
def test_a_rule_over_a_path_sees_where_it_really_leads(path: str, decision: str) -> None:
    rules = policy(allow=[{"write_file": "src/*"}], deny=["write_file: .env"])
    assert judge(call("write_file", path=path, content=""), rules).decision == decision


@promise("APPROVE.modes")
@pytest.mark.parametrize(
    ("mode", "edit", "outside", "git", "run", "mail"),
    [
        ("ask", "ask", "ask", "ask", "ask", "ask"),
        ("auto-edit", "allow", "ask", "ask", "ask", "ask"),
        ("yolo", "allow", "allow", "allow", "allow", "allow"),
        ("deny", "deny", "deny", "deny", "deny", "deny"),
    ],
)
def test_modes(mode: Mode, edit: str, outside: str, git: str, run: str, mail: str) -> None:
    calls = [
        call("patch", path="a.py"),
        call("write_file", path="../a.py"),
        call("write_file", path=".git/hooks/pre-commit"),
        script("make all"),
        call("mcp__mail__send"),
    ]
    assert [judge(each, policy(mode)).decision for each in calls] == [edit, outside, git, run, mail]


def test_auto_edit_does_not_follow_a_link_out_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "link").symlink_to(tmp_path)
    facts = CallFacts.of(ROWS["write_file"], {"path": "link/x"}, tmp_path / "here")
    assert judge(facts, policy("auto-edit")).decision == "ask"


@promise("APPROVE.modes")
def test_yolo_denies_what_a_deny_rule_names_or_may_name() -> None:
    assert verdict("rm x", mode="yolo", deny=["rm*"]).decision == "deny"
    assert verdict("$CMD x", mode="yolo", deny=["rm*"]).decision == "deny"
    assert verdict("f() { echo; }; f", mode="yolo", deny=["rm*"]).decision == "deny"
    assert verdict("f() { echo; }; f", mode="yolo").decision == "allow"
    assert verdict("make", mode="yolo", ask=["make"]).decision == "allow"


@promise("APPROVE.always")
def test_always_for_a_tool_is_that_tool() -> None:
    assert judge(call("mcp__mail__send", to="x"), policy()).suggestion == (Rule("mcp__mail__send"),)


def test_a_background_process_asks_by_its_command_and_once_for_the_rest() -> None:
    start = call("process_manage", action="start", command="npm run dev")
    poll = call("process_manage", action="poll", process="p1")
    assert judge(start, policy()).suggestion == (Rule("process_manage", "npm run dev*"),)
    assert judge(poll, policy()).decision == "ask"
    granted = policy().granting(judge(poll, policy()).suggestion)
    assert (judge(poll, granted).decision, judge(start, granted).decision) == ("allow", "ask")


def test_git_is_not_free_where_the_call_names_another_folder() -> None:
    assert judge(call("terminal", command="git status"), policy()).decision == "allow"
    assert judge(call("terminal", command="git status", folder="vendored"), policy()).decision == "ask"
    assert judge(call("terminal", command="ls", folder="vendored"), policy()).decision == "allow"


@promise("APPROVE.unmatched")
def test_rules_that_name_no_tool_are_found() -> None:
    rules = policy(allow=["mcp__git__*", "raed_file"], deny=[{"terminal": "rm*"}, {"bash": "rm*"}])
    found = unmatched(rules, ["terminal", "read_file", "mcp__git__git_log"])
    assert [str(rule) for rule in found] == ["raed_file", "bash: rm*"]


@pytest.mark.parametrize("entry", ["read_file", "mcp__git__*", {"terminal": "git status*"}, {"process_manage": ""}])
def test_a_rule_is_stored_as_it_is_read(entry: Any) -> None:
    assert Rule.of(entry).entry == entry
    assert Rule.of(str(Rule.of(entry))) == Rule.of(entry)
