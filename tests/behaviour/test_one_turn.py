"""A person's turn, end to end: the real command, a scripted model over HTTP, real MCP servers behind the bridge."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hermes_lite.testing.model_server import ScriptedModel
from hermes_lite.testing.script import Call, Calls, Recorded, Status, Text
from tests.support import peers
from tests.support.cli import Shell
from tests.support.promises import promise

GIT_LOG = "mcp__git__git_log"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    identity = ("-c", "user.name=A Person", "-c", "user.email=person@example.org")
    for words in (("init", "-q"), (*identity, "commit", "-q", "--allow-empty", "-m", "the first commit")):
        subprocess.run(("git", "-C", folder, *words), check=True)
    return folder


def results(request: Recorded) -> dict[str, str]:
    return {m["tool_call_id"]: m["content"] for m in request.messages if m["role"] == "tool"}


def called(request: Recorded) -> list[tuple[str, str]]:
    return [(c["id"], c["function"]["name"]) for m in request.messages for c in m.get("tool_calls") or ()]


def bridged(*entries: dict[str, Any], id: str = "call_parent1") -> Calls:
    return Calls((Call("tool_call", {"calls": list(entries)}, id),))


@promise("MAIN-1", "MAIN-2", "T-I05", "T-H08", "S-E12")
def test_search_describe_call_of_a_real_server_speaks_of_the_real_tool_everywhere(
    shell: Shell, repository: Path, tmp_path: Path
) -> None:
    hooked = tmp_path / "hooked.jsonl"
    log = {"name": GIT_LOG, "arguments": {"repo_path": str(repository), "max_count": 1}}
    shell.configure(
        {
            "mcp_servers": {
                "git": peers.git(repository),
                "time": peers.clock(),
                "sqlite": peers.sqlite(tmp_path / "data.db"),
            },
            "agent": {
                "approvals": {"allow": ["mcp__git__*"]},
                "hooks": {"pre_tool_call": [{"matcher": "mcp__*", "command": f"cat >> {hooked}; echo >> {hooked}"}]},
            },
        }
    )
    with ScriptedModel(
        Calls((Call("tool_search", {"queries": ["git log commits"]}, "call_s"),)),
        Calls((Call("tool_describe", {"names": [GIT_LOG]}, "call_d"),)),
        bridged(log),
        Text("The last commit is “the first commit”."),
    ) as model:
        events = shell("-p", "what happened last?", "--output-format", "stream-json", "--base-url", model.base_url)
    assert events.returncode == 0, events.stderr
    seen = [json.loads(line) for line in events.stdout.splitlines()]

    found, described, answered = model.requests[1:]
    assert GIT_LOG in json.loads(results(found)["call_s"])["results"][0]["matches"]
    assert "repo_path" in results(described)["call_d"]
    assert "the first commit" in results(answered)["call_parent1"]
    assert called(answered)[-1] == ("call_parent1", GIT_LOG)
    assert [e["name"] for e in seen if e.get("name", "").startswith("mcp__")] == [GIT_LOG, GIT_LOG]
    hook = json.loads(hooked.read_text(encoding="utf-8").splitlines()[0])
    assert (hook["tool_name"], hook["via"]) == (GIT_LOG, "bridge")
    stored = [r["message"] for r in shell.session_records() if r["type"] == "message"]
    assert any(c["name"] == GIT_LOG and c["via"] == "bridge" for m in stored for c in m.get("calls", ()))
    assert not any(c["name"] == "tool_call" for m in stored for c in m.get("calls", ()))


@promise("MAIN-3")
def test_a_batch_of_local_calls_becomes_one_call_and_one_result_each(shell: Shell, tmp_path: Path) -> None:
    shell.configure({"mcp_servers": {"time": peers.clock()}, "agent": {"approvals": {"allow": ["mcp__time__*"]}}})
    ask = [{"name": "mcp__time__get_current_time", "arguments": {"timezone": zone}} for zone in ("UTC", "Asia/Tokyo")]
    with ScriptedModel(bridged(*ask), Text("done")) as model:
        assert shell("-p", "two times", "--base-url", model.base_url).returncode == 0
    pairs = called(model.requests[1])
    assert [name for _, name in pairs] == ["mcp__time__get_current_time"] * 2
    assert pairs[0][0] == "call_parent1"
    assert len({id for id, _ in pairs}) == 2
    answers = results(model.requests[1])
    assert set(answers) == {id for id, _ in pairs}
    assert ["Asia/Tokyo" in answers[id] for id, _ in pairs] == [False, True]


@promise("MAIN-4")
def test_what_would_ask_is_denied_without_a_terminal_under_its_real_name(shell: Shell) -> None:
    shell.configure({"mcp_servers": {"time": peers.clock()}})
    ask = {"name": "mcp__time__get_current_time", "arguments": {"timezone": "UTC"}}
    with ScriptedModel(bridged(ask), Text("I was not allowed to.")) as model:
        run = shell("-p", "the time", "--base-url", model.base_url, "--output-format", "json")
    assert run.returncode == 3
    assert results(model.requests[1])["call_parent1"].startswith("NOT RUN")
    report = json.loads(run.stdout)
    assert (report["is_error"], report["permission_denials"][0]["name"]) == (True, ask["name"])


@promise("MAIN-5")
def test_the_answer_alone_is_on_standard_output(shell: Shell) -> None:
    with ScriptedModel(Text("the answer")) as model:
        run = shell("-p", "a question", "--base-url", model.base_url)
    assert (run.returncode, run.stdout, run.stderr) == (0, "the answer\n", "")


@promise("MAIN-6")
def test_piped_input_is_appended_to_the_prompt(shell: Shell) -> None:
    with ScriptedModel(Text("ok")) as model:
        shell("-p", "summarise", "--base-url", model.base_url, input="line one\n")
    assert model.requests[0].messages[-1]["content"] == "summarise\n\n<stdin>\nline one\n\n</stdin>"


@promise("MAIN-7", "S-C12")
@pytest.mark.parametrize(
    ("steps", "code"),
    [
        ((Status(401, "bad key"),), 5),
        ((Status(400, "no"),), 1),
    ],
)
def test_a_refusing_endpoint_is_one_clear_line_and_an_exit_code(
    shell: Shell, steps: tuple[Any, ...], code: int
) -> None:
    with ScriptedModel(*steps) as model:
        run = shell("-p", "hello", "--base-url", model.base_url)
    assert (run.returncode, run.stdout) == (code, "")
    assert run.stderr.startswith("hermes-lite: ")
    assert "Traceback" not in run.stderr


@promise("MAIN-7")
def test_an_unreachable_endpoint_says_what_to_do(shell: Shell) -> None:
    shell.configure({"model": {"max_retries": 0}})
    run = shell("-p", "hello", "-m", "x", "--base-url", "http://127.0.0.1:9/v1")
    assert (run.returncode, run.stdout) == (1, "")
    assert "127.0.0.1:9" in run.stderr
    assert "Traceback" not in run.stderr


@promise("MAIN-8")
def test_without_a_model_a_one_shot_exits_with_5_and_the_ways_to_connect(shell: Shell) -> None:
    run = shell("-p", "hello")
    assert (run.returncode, run.stdout) == (5, "")
    assert "OPENAI_API_KEY" in run.stderr


@promise("MAIN-9")
def test_a_dead_server_costs_one_line_and_not_the_turn(shell: Shell) -> None:
    shell.configure({"mcp_servers": {"gone": {"command": "/no/such/program"}}})
    with ScriptedModel(Text("still here")) as model:
        run = shell("-p", "hello", "--base-url", model.base_url)
    assert (run.returncode, run.stdout) == (0, "still here\n")
    assert "gone" in run.stderr


@promise("MAIN-10")
def test_a_session_is_continued_with_the_same_bytes_before_it(shell: Shell) -> None:
    shell.configure({"mcp_servers": {"time": peers.clock()}})
    with ScriptedModel(Text("first"), Text("second")) as model:
        shell("-p", "one", "--base-url", model.base_url)
        run = shell("-c", "-p", "two", "--base-url", model.base_url)
    assert run.stdout == "second\n", run.stderr
    before, after = (request.json for request in model.requests)
    assert after["tools"] == before["tools"]
    assert after["messages"][: len(before["messages"])] == before["messages"]
    assert [m["content"] for m in after["messages"][-2:]] == ["first", "two"]
