"""Hooks as real processes and as functions."""

import json
import os
import shlex
import sys
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest

from hermes_lite.config import load
from hermes_lite.config.hook_events import EVENT_NAMES
from hermes_lite.hooks import EVENTS, Event, Hooks, HookVerdict, ToolEvent
from hermes_lite.paths import Home, Project
from tests.support.promises import promise

CALL = ToolEvent("mcp__git__git_log", {"limit": 1}, call_id="c1", turn=3, via="bridge")


def hooks(folder: Path, event: Event = "pre_tool_call", *entries: Any, timeout: float = 20) -> Hooks:
    section = {name: [] for name in EVENTS} | {event: list(entries), "timeout": timeout}
    return Hooks.of(section, folder, "s1")


def says(answer: Mapping[str, Any]) -> str:
    return f"echo {shlex.quote(json.dumps(answer))}"


def verdict(folder: Path, *entries: Any, timeout: float = 20) -> HookVerdict:
    return anyio.run(hooks(folder, "pre_tool_call", *entries, timeout=timeout).pre_tool_call, CALL)


@promise("HOOK.told")
def test_a_hook_is_told_everything_about_the_real_call(tmp_path: Path) -> None:
    assert (
        verdict(tmp_path, 'cat > told; echo "$HERMES_LITE_PROJECT_DIR $HERMES_LITE_SESSION" > env') == HookVerdict()
    )
    told = json.loads((tmp_path / "told").read_text())
    assert datetime.fromisoformat(told.pop("timestamp")).tzinfo is not None
    assert told == {
        "hook_event_name": "pre_tool_call",
        "session_id": "s1",
        "transcript_path": "",
        "cwd": str(tmp_path),
        "tool_name": "mcp__git__git_log",
        "tool_input": {"limit": 1},
        "tool_use_id": "c1",
        "turn": 3,
        "via": "bridge",
    }
    assert (tmp_path / "env").read_text() == f"{tmp_path} s1\n"


@promise("HOOK.told")
def test_the_other_events_are_told_what_they_are_about(tmp_path: Path) -> None:
    keep = "cat > $(date +%N).told"

    async def all_of_them() -> None:
        session = Hooks.of({name: [keep] for name in EVENTS} | {"timeout": 20}, tmp_path, "s1")
        assert await session.session_start() == ()
        assert await session.user_prompt("hello", 1) == HookVerdict()
        assert await session.post_tool_call(CALL, "done", is_error=True) == ()
        assert await session.session_end() == ()

    anyio.run(all_of_them)
    told = {one["hook_event_name"]: one for one in (json.loads(file.read_text()) for file in tmp_path.glob("*.told"))}
    assert sorted(told) == ["post_tool_call", "session_end", "session_start", "user_prompt"]
    assert (told["user_prompt"]["prompt"], told["user_prompt"]["turn"]) == ("hello", 1)
    assert told["post_tool_call"]["tool_response"] == {"text": "done", "is_error": True}


@promise("HOOK.block")
@pytest.mark.parametrize(
    "command",
    [
        "echo no way >&2; exit 2",
        "echo no way; exit 2",
        says({"decision": "block", "reason": "no way"}),
        says({"decision": "deny", "reason": "no way"}),
        says({"action": "block", "message": "no way"}),
        says({"continue": False, "stopReason": "no way"}),
        says({"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "no way"}}),
    ],
)
def test_a_hook_blocks_in_any_of_the_common_ways(tmp_path: Path, command: str) -> None:
    assert verdict(tmp_path, command).block == "no way"


def test_the_first_that_blocks_ends_it(tmp_path: Path) -> None:
    assert verdict(tmp_path, "exit 2", "touch ran").block == "it gave no reason"
    assert list(tmp_path.iterdir()) == []


def test_a_hook_may_send_the_call_to_the_person_but_never_take_a_question_from_them(tmp_path: Path) -> None:
    ask = {"hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "it is late"}}
    allow = {"hookSpecificOutput": {"permissionDecision": "allow"}, "decision": "approve", "systemMessage": "checked"}
    assert verdict(tmp_path, says(ask), says(allow)) == HookVerdict(ask="it is late", notes=("checked",))


@promise("HOOK.change")
def test_changed_arguments_are_seen_by_the_next_hook_and_handed_back(tmp_path: Path) -> None:
    change = says({"hookSpecificOutput": {"permissionDecision": "allow", "updatedInput": {"limit": 2}}})
    assert verdict(tmp_path, change, "cat > told").arguments == {"limit": 2}
    assert json.loads((tmp_path / "told").read_text())["tool_input"] == {"limit": 2}
    assert verdict(tmp_path, says({"tool_input": {"all": True}})).arguments == {"limit": 1, "all": True}
    over = {"hookSpecificOutput": {"tool_input": {"limit": 3}}}
    assert verdict(tmp_path, says(over)).arguments == {"limit": 3}


def test_a_hook_that_echoes_the_call_changes_nothing(tmp_path: Path) -> None:
    assert verdict(tmp_path, "cat") == HookVerdict()


@promise("HOOK.crash")
@pytest.mark.parametrize(
    ("command", "note"),
    [
        ("echo oops >&2; exit 1", "exit code 1: oops"),
        ("kill -9 $$", "exit code -9"),
        ("echo '{bad'", "not JSON"),
        (says({"tool_input": 5}), "not an object"),
        (says({"hookSpecificOutput": {"updatedInput": []}}), "not an object"),
    ],
)
def test_a_hook_that_crashes_is_noted_and_the_call_goes_on(tmp_path: Path, command: str, note: str) -> None:
    found = verdict(tmp_path, command, "true")
    assert (found.block, found.arguments, len(found.notes)) == (None, None, 1)
    assert note in found.notes[0]


def test_output_that_is_no_object_says_nothing_however_much_it_is(tmp_path: Path) -> None:
    assert verdict(tmp_path, "head -c 3000000 /dev/zero", "echo all is well", "exec 1>&-; true") == HookVerdict()


def test_a_hook_that_does_not_read_what_it_is_told_is_fine(tmp_path: Path) -> None:
    event = ToolEvent("x", {"text": "a" * 1_000_000}, "c1", 1)
    assert anyio.run(hooks(tmp_path, "pre_tool_call", "true").pre_tool_call, event) == HookVerdict()


@promise("HOOK.silent")
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ({"command": "sleep 60", "timeout": 0.1}, "did not answer in time"),
        ("no-such-hook-command", "cannot be started"),
        ("touch file; ./file", "cannot be started"),
    ],
)
def test_a_guard_that_cannot_speak_blocks_and_says_so(tmp_path: Path, command: Any, said: str) -> None:
    found = verdict(tmp_path, command)
    assert said in str(found.block) and said in found.notes[0]

    async def elsewhere() -> tuple[HookVerdict, tuple[str, ...], tuple[str, ...]]:
        session = Hooks.of({name: [command] for name in EVENTS} | {"timeout": 20}, tmp_path, "s1")
        return (
            await session.user_prompt("x", 1),
            await session.post_tool_call(CALL, "x"),
            await session.session_start(),
        )

    prompt, after, start = anyio.run(elsewhere)
    assert said in str(prompt.block)
    assert [said in note for note in (*after, *start)] == [True, True]


@promise("HOOK.silent")
def test_a_folder_that_is_gone_is_a_hook_that_cannot_start(tmp_path: Path) -> None:
    assert "cannot be started" in str(verdict(tmp_path / "gone", "true").block)


@promise("HOOK.matcher")
@pytest.mark.parametrize(
    ("matcher", "hits"),
    [
        ("", True),
        ("*", True),
        ("mcp__git__*", True),
        ("mcp__git__git_log", True),
        ("terminal|mcp__git__*", True),
        ("mcp__git__(git_log|git_show)", True),
        ("^mcp__git__.+$", True),
        ("mcp__git__.*", True),
        ("git_(log|show)", True),
        ("Bash, mcp__git__git_log", True),
        (" ", True),
        ("(broken", True),
        ("mcp__git", False),
        ("tool_call", False),
        ("terminal|patch", False),
        ("git_log", False),
        ("mcp__(time|notes)__.*", False),
        ("Bash", False),
    ],
)
def test_a_matcher_looks_at_the_real_name(tmp_path: Path, matcher: str, hits: bool) -> None:
    assert (verdict(tmp_path, {"matcher": matcher, "command": "exit 2"}).block is not None) is hits


def test_without_hooks_nothing_is_started(tmp_path: Path) -> None:
    assert verdict(tmp_path) == HookVerdict()


def is_running(mark: Path) -> bool:
    try:
        os.kill(int(mark.read_text()), 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{mark.read_text().strip()}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] not in "ZX"


@promise("HOOK.gone")
@pytest.mark.parametrize("ends", ["exit 0", "exit 2", "sleep 60"])
def test_what_a_hook_left_in_the_background_is_gone_with_it(tmp_path: Path, ends: str) -> None:
    verdict(tmp_path, {"command": f"sleep 60 & echo $! > mark; {ends}", "timeout": 0.5})
    assert not is_running(tmp_path / "mark")


@promise("HOOK.gone")
def test_a_cancelled_hook_is_gone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "ready")
    started = "trap '' TERM; echo $$ > mark; echo > ready; sleep 60"

    async def cancelled() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(hooks(tmp_path, "pre_tool_call", started).pre_tool_call, CALL)
            await anyio.to_thread.run_sync((tmp_path / "ready").read_bytes)
            tasks.cancel_scope.cancel()

    anyio.run(cancelled)
    assert not is_running(tmp_path / "mark")


@promise("HOOK.function")
def test_functions_are_hooks_plain_or_async_and_may_crash_or_hang(tmp_path: Path) -> None:
    told: list[Mapping[str, Any]] = []

    def plain(event: Mapping[str, Any]) -> Mapping[str, Any] | None:
        told.append(event)
        return {"tool_input": {"limit": 9}}

    async def later(event: Mapping[str, Any]) -> Mapping[str, Any] | None:
        await anyio.lowlevel.checkpoint()
        told.append(event)
        return None

    def crashes(event: Mapping[str, Any]) -> None:
        raise ValueError("oops")

    async def hangs(event: Mapping[str, Any]) -> None:
        await anyio.sleep_forever()

    session = hooks(tmp_path, timeout=0.2)
    session.add("pre_tool_call", plain)
    session.add("pre_tool_call", later, matcher="mcp__git__*")
    session.add("pre_tool_call", crashes)
    session.add("pre_tool_call", hangs, matcher="other")
    found = anyio.run(session.pre_tool_call, CALL)
    assert (found.block, found.arguments, len(found.notes)) == (None, {"limit": 9}, 1)
    assert "crashes" in found.notes[0] and "ValueError: oops" in found.notes[0]
    assert [one["tool_input"] for one in told] == [{"limit": 1}, {"limit": 9}]

    session.add("pre_tool_call", hangs)
    assert "did not answer in time" in str(anyio.run(session.pre_tool_call, CALL).block)


def test_the_interpreter_of_this_test_can_be_a_hook(tmp_path: Path) -> None:
    script = tmp_path / "hook.py"
    script.write_text(
        "import json, sys\ntold = json.load(sys.stdin)\n"
        "print(json.dumps({'decision': 'block', 'reason': told['tool_name']}))\n"
    )
    assert verdict(tmp_path, f"{shlex.quote(sys.executable)} hook.py").block == "mcp__git__git_log"


@promise("HOOK.vocabulary")
@pytest.mark.parametrize(
    ("matcher", "tool"),
    [
        ("Bash", "terminal"),
        ("Edit|Write", "patch"),
        ("run_shell_command", "terminal"),
        ("^(Read|Grep)$", "read_file"),
    ],
)
def test_a_matcher_knows_a_tool_by_the_names_of_other_shells(tmp_path: Path, matcher: str, tool: str) -> None:
    session = hooks(tmp_path, "pre_tool_call", {"matcher": matcher, "command": "exit 2"})
    assert anyio.run(session.pre_tool_call, ToolEvent(tool, {}, "c1", 1)).block is not None
    assert anyio.run(session.pre_tool_call, ToolEvent("clarify", {}, "c1", 1)).block is None


def configured(folder: Path, yaml: str) -> Hooks:
    """The hooks of a configuration file, which must have no problems."""
    (folder / "config.yaml").write_text(yaml)
    config = load(Home(folder), Project(folder), {})
    assert config.problems == ()
    return Hooks.of(config.section("agent.hooks"), folder, "s1", folder / "s1.jsonl")


PASTED = """
agent:
  hooks:
    {
      "PreToolUse": [
        {
          "matcher": "Bash",
          "hooks": [
            { "type": "command", "command": "cat > told; exit 0", "timeout": 30 },
            { "type": "command", "command": "echo no way >&2; exit 2" }
          ]
        }
      ],
      "SessionStart": [
        { "matcher": "startup", "hooks": [{ "type": "command", "command": "cat > started" }] },
        { "matcher": "resume", "hooks": [{ "type": "command", "command": "cat > resumed" }] }
      ],
      "UserPromptSubmit": [{ "hooks": [{ "type": "command", "command": "cat > prompted" }] }],
      "pre_tool_call": ["cat > ours"]
    }
"""


@promise("HOOK.vocabulary")
def test_a_block_of_hooks_pasted_from_another_shell_works_beside_ours(tmp_path: Path) -> None:
    session = configured(tmp_path, PASTED)
    call = ToolEvent("terminal", {"command": "ls"}, "c1", 1)
    assert anyio.run(session.pre_tool_call, call).block == "no way"
    anyio.run(session.session_start, "resume")
    anyio.run(session.user_prompt, "hello", 1)

    told = {name: json.loads((tmp_path / name).read_text()) for name in ("ours", "told", "resumed", "prompted")}
    names = {name: each["hook_event_name"] for name, each in told.items()}
    assert names == {
        "ours": "pre_tool_call",
        "told": "PreToolUse",
        "resumed": "SessionStart",
        "prompted": "UserPromptSubmit",
    }
    assert (told["told"]["tool_name"], told["told"]["tool_input"]) == ("terminal", {"command": "ls"})
    assert told["told"]["transcript_path"] == str(tmp_path / "s1.jsonl")
    assert (told["resumed"]["source"], told["prompted"]["prompt"]) == ("resume", "hello")
    assert not (tmp_path / "started").exists()


@promise("HOOK.vocabulary")
@pytest.mark.parametrize("name", EVENT_NAMES)
def test_every_name_of_an_event_reaches_it(tmp_path: Path, name: str) -> None:
    session = configured(tmp_path, f"agent: {{hooks: {{{name}: ['cat > told']}}}}")
    call = ToolEvent("terminal", {}, "c1", 1)
    arguments = {"pre_tool_call": (call,), "post_tool_call": (call, "done"), "user_prompt": ("hello", 1)}
    event = EVENT_NAMES[name].event
    anyio.run(getattr(session, event), *arguments.get(event, ()))
    assert json.loads((tmp_path / "told").read_text())["hook_event_name"] == name


@promise("HOOK.vocabulary")
@pytest.mark.parametrize(("name", "timeout"), [("PreToolUse", 0.2), ("BeforeTool", 200)])
def test_a_timeout_counts_in_the_unit_of_the_shell_that_the_name_is_from(
    tmp_path: Path, name: str, timeout: float
) -> None:
    entry = f"{{hooks: [{{type: command, command: sleep 60, timeout: {timeout}}}]}}"
    session = configured(tmp_path, f"agent: {{hooks: {{{name}: [{entry}]}}}}")
    verdict = anyio.run(session.pre_tool_call, ToolEvent("terminal", {}, "c1", 1))
    assert "did not answer in time" in str(verdict.block)
