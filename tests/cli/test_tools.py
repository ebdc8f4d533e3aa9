"""`hermes-lite tools`: the layer that the model uses, from the shell."""

import json

import pytest

from tests.cli.conftest import Attach, tool
from tests.support.cli import Shell
from tests.support.promises import promise

CREATE = tool("create_issue", "Create a new issue in a repository", repo={"type": "string"}, title={"type": "string"})
LIST = tool("list_issues", "List the issues of a repository", repo={"type": "string"})
JAPANESE = tool("kadai_sakusei", "リポジトリに新しい課題を作成する", repo={"type": "string"})


@pytest.fixture
def github(shell: Shell, scripted: Attach) -> Shell:
    servers = {"github": scripted(tools=[CREATE, LIST]), "kadai": scripted(tools=[JAPANESE])}
    shell.configure({"mcp_servers": servers, "model": {"default": "gpt-4o"}})
    return shell


@promise("TOOLS-1")
def test_list_says_which_tools_wait(github: Shell) -> None:
    shown = {t["name"]: t["deferred"] for t in github.json("tools", "list", "--json")["tools"]}
    assert shown["mcp__github__create_issue"]
    assert not shown["read_file"]


@promise("TOOLS-2")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("please create a github issue", "mcp__github__create_issue"),
        ("課題を作成", "mcp__kadai__kadai_sakusei"),
    ],
)
def test_search_finds_the_tool_and_explains_why(github: Shell, query: str, found: str) -> None:
    run = github("tools", "search", query, "--explain")
    assert run.returncode == 0, run.stderr
    assert found in run.stdout
    assert found in github.json("tools", "search", query, "--json")["matches"]


@promise("TOOLS-3")
def test_a_capability_that_is_not_there_is_an_error_that_says_so(github: Shell) -> None:
    run = github("tools", "search", "send an email with gmail")
    assert run.returncode == 1
    assert run.stdout == ""
    assert "nothing fits" in run.stderr
    assert "github (2 tools)" in run.stderr
    assert "kadai (1 tool)" in run.stderr
    assert "hint       " in run.stderr
    assert "github (2 tools)" in github("tools", "search", "what tools are there").stdout


@promise("TOOLS-4")
def test_describe_takes_a_short_name_and_prints_the_schema(github: Shell) -> None:
    described = json.loads(github("tools", "describe", "create_issue").stdout)
    assert described["name"] == "mcp__github__create_issue"
    assert described["parameters"]["required"] == ["repo", "title"]
    missing = github("tools", "describe", "create_isue")
    assert missing.returncode == 2
    assert "create_issue" in missing.stderr


@promise("TOOLS-5")
def test_call_goes_through_the_gates_of_the_model_s_calls(github: Shell) -> None:
    arguments = json.dumps({"repo": "a/b"})
    assert "NOT RUN" in github("tools", "call", "create_issue", arguments, "--yes").stderr
    arguments = json.dumps({"repo": "a/b", "title": "t"})
    assert github("tools", "call", "create_issue", arguments).returncode == 3
    done = github("tools", "call", "create_issue", arguments, "--yes")
    assert done.returncode == 0
    assert "create_issue" in done.stdout


@promise("TOOLS-6")
def test_lint_exits_with_1_when_it_finds_something(shell: Shell, scripted: Attach) -> None:
    shell.configure({"mcp_servers": {"bare": scripted(tools=[tool("x", "")])}, "model": {"default": "gpt-4o"}})
    run = shell("tools", "lint", "--json")
    assert run.returncode == 1
    assert any("mcp__bare__x" in finding["tool"] for finding in json.loads(run.stdout))
