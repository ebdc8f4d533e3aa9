"""`hermes-lite config` as a person runs it."""

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

from tests.support.cli import run_here
from tests.support.promises import promise

ENABLED = "tools.tool_search.enabled"
HEAVY = (
    "openai",
    "mcp",
    "numpy",
    "jsonschema",
    "prompt_toolkit",
    "hermes_lite.model",
    "hermes_lite.mcp",
    "ruamel.yaml",
)


run = partial(run_here, "config")


@promise("CONFIG.get", "CONFIG.words")
def test_set_off_then_get_prints_off(home: Path) -> None:
    done = run("set", ENABLED, "off")
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        f"{ENABLED} = off\n",
        "takes effect in the next session\n",
    )
    assert run("get", ENABLED).stdout == "off\n"
    assert run("get", "tools.tool_search", "--json").stdout.startswith('{"enabled": "off", ')
    assert run("get", "tools.tool_search.defer").stdout.splitlines()[:2] == ["- computer_use", "- session_search"]


@promise("CONFIG.get")
def test_a_missing_key_is_one_message_and_1_and_a_default_takes_its_place(home: Path) -> None:
    missing = run("get", "tools.tool_serch.enabled")
    assert (missing.returncode, missing.stdout) == (1, "")
    assert missing.stderr.count("\n") == 2 and ENABLED in missing.stderr
    assert run("get", "mcp_servers.git", "--default", "none").stdout == "none\n"


@promise("CONFIG.refused", "S-F5")
def test_a_refused_set_ends_with_2_and_leaves_the_file(home: Path) -> None:
    (home / "config.yaml").write_text("# mine\n")
    done = run("set", "agent.max_steps", "abc")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr and "agent.max_steps" in done.stderr
    assert (home / "config.yaml").read_text() == "# mine\n"


@promise("CONFIG.wins")
def test_a_value_that_something_else_overrides_says_so(home: Path) -> None:
    key = run("set", "OPENAI_API_KEY", "sk-mine", OPENAI_API_KEY="sk-theirs")
    assert key.stderr == "no effect yet: OPENAI_API_KEY in the environment says otherwise and wins\n"
    steps = run("set", "agent.max_steps", "6", HERMES_LITE__AGENT__MAX_STEPS="7")
    assert "environment (HERMES_LITE__AGENT__MAX_STEPS) says otherwise and wins" in steps.stderr
    assert run("set", "agent.max_steps", "7", HERMES_LITE__AGENT__MAX_STEPS="7").stderr.startswith("takes effect")
    assert run("set", "no.such.key", "7", "--force").stderr.startswith("takes effect")


@promise("CONFIG.written")
def test_a_home_of_nobody_is_named() -> None:
    done = run("list", HERMES_LITE_HOME="~nobody-at-all/x")
    assert (done.returncode, done.stdout) == (2, "")
    assert "HERMES_LITE_HOME (~nobody-at-all/x) is no folder" in done.stderr


@promise("CONFIG.written")
def test_without_a_terminal_or_an_editor_nothing_is_opened(home: Path) -> None:
    done = run("edit", VISUAL="", EDITOR="")
    assert (done.returncode, done.stdout) == (1, "")
    assert str(home / "config.yaml") in done.stderr


@promise("CONFIG.secrets")
def test_secrets_are_masked_unless_raw(home: Path) -> None:
    secret = "sk-0123456789abcdefghijkl"
    assert secret not in run("set", "OPENAI_API_KEY", secret).stdout
    run("set", "mcp_servers.git", f"{{url: 'https://x', headers: {{Authorization: '{secret}'}}}}")
    assert run("get", "OPENAI_API_KEY").stdout == "sk-…ijkl\n"
    assert run("get", "OPENAI_API_KEY", "--raw").stdout == f"{secret}\n"
    listed = run("list").stdout
    assert secret not in listed and "OPENAI_API_KEY" in listed
    assert secret in run("get", "mcp_servers.git", "--raw").stdout


def test_list_names_the_origin_of_what_is_not_a_default(home: Path) -> None:
    run("set", "agent.max_steps", "7")
    lines = run("list", HERMES_LITE__AGENT__PARALLEL_LIMIT="2").stdout.splitlines()
    assert f"agent.max_steps = 7  # user ({home / 'config.yaml'}:2)" in lines
    assert "agent.parallel_limit = 2  # environment (HERMES_LITE__AGENT__PARALLEL_LIMIT)" in lines
    assert f"{ENABLED} = auto" in lines
    assert json.loads(run("list", "--json").stdout)["agent.max_steps"]["value"] == 7


def test_check_names_every_problem_and_ends_with_1(home: Path, tmp_path: Path) -> None:
    assert run("check").returncode == 0
    (home / "config.yaml").write_text("agent:\n  max_stepz: 1\ntools: {tool_search: {enabled: 7}}\n")
    done = run("check")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 2)


@promise("CONFIG.nameless")
def test_check_names_what_names_no_tool(home: Path) -> None:
    (home / "config.yaml").write_text(
        "tools: {tool_search: {pin: [read_fil, todo_list]}}\nagent: {approvals: {deny: [nothing]}}\n"
    )
    done = run("check")
    assert done.returncode == 1
    assert "pin: read_fil names no tool; did you mean read_file?" in done.stderr
    assert "the rule `nothing` names no tool" in done.stderr
    assert "todo_list" not in done.stderr


@promise("CONFIG.trust")
def test_trust_makes_the_project_count(home: Path, tmp_path: Path) -> None:
    (tmp_path / ".hermes-lite").mkdir()
    (tmp_path / ".hermes-lite" / "config.yaml").write_text("agent: {max_steps: 3}\n")
    assert "not trusted" in run("check", cwd=tmp_path).stderr
    assert run("get", "agent.max_steps", cwd=tmp_path).stdout == "60\n"
    assert run("trust", cwd=tmp_path).returncode == 0
    assert run("get", "agent.max_steps", cwd=tmp_path).stdout == "3\n"
    assert run("trust", cwd=home).returncode == 1


def test_edit_opens_the_editor_and_checks_what_it_left(home: Path) -> None:
    editor = f"{sys.executable} -c \"import sys; open(sys.argv[1], 'a').write('agent: {{max_stepz: 1}}')\""
    done = run("edit", VISUAL=editor)
    assert done.returncode == 1 and "max_stepz" in done.stderr
    assert "cannot be started" in run("edit", VISUAL="/nowhere/editor").stderr


def test_append_and_unset(home: Path) -> None:
    run("set", "tools.tool_search.pin", "git.*", "--append")
    assert run("get", "tools.tool_search.pin").stdout == "- git.*\n"
    assert run("unset", "tools.tool_search.pin").returncode == 0
    assert run("get", "tools.tool_search.pin").stdout == "[]\n"
    assert run("unset", "tools.tool_search.pin").returncode == 2
    assert run("path").stdout == f"{home / 'config.yaml'}\n"


@promise("CONFIG.fast")
def test_reading_loads_nothing_heavy(home: Path) -> None:
    run("list")
    script = (
        "import sys\n"
        "from hermes_lite.__main__ import main\n"
        "for words in (['list'], ['path'], ['get', 'agent.max_steps']):\n"
        "    sys.argv[1:] = ['config', *words]\n"
        "    try: main()\n"
        "    except SystemExit: pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"
