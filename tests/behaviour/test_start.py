"""Start-up: what the quick commands leave unloaded, and that the chat comes up on a terminal."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_lite.testing.startup import PROMPT, chat_on_a_terminal
from tests.support.cli import Shell, run_here
from tests.support.promises import promise

HEAVY = ("openai", "mcp", "numpy", "jsonschema", "genai_prices", "prompt_toolkit")
PROBE = """
import json, sys
from hermes_lite.__main__ import main
sys.argv = ["hermes-lite", *sys.argv[1:]]
try:
    main()
finally:
    sys.stderr.write("\\n" + json.dumps(sorted(sys.modules)))
"""


@promise("START-1")
@pytest.mark.parametrize(
    "words",
    [("--help",), ("--version",), ("config", "get", "tools.tool_search.enabled"), ("sessions", "list")],
    ids=" ".join,
)
def test_quick_commands_load_no_heavy_library(shell: Shell, words: tuple[str, ...]) -> None:
    run = shell.python("-c", PROBE, *words)
    loaded = set(json.loads(run.stderr.splitlines()[-1]))
    assert run.returncode == 0
    assert loaded.isdisjoint(HEAVY)


@promise("START-2", "START-EARLY")
def test_the_chat_runs_what_was_typed_at_the_prompt_that_stands_before_it_is_loaded(tmp_path: Path) -> None:
    with chat_on_a_terminal(tmp_path) as chat:
        chat.seconds_until(PROMPT)
        chat.type("/tools refresh\n/mc")
        chat.seconds_until("the next request carries")
        chat.type("p\r")
        chat.seconds_until("workshop")


@promise("START-EARLY")
def test_ctrl_d_at_the_early_prompt_quits(tmp_path: Path) -> None:
    with chat_on_a_terminal(tmp_path) as chat:
        chat.seconds_until(PROMPT)
        chat.type("\x04")
        assert chat.exit_code() == 0


@promise("START-3")
def test_unknown_words_are_usage_errors_without_a_traceback() -> None:
    for words in (
        ("nope",),
        ("--nope",),
        ("config", "nope"),
        ("-p", "", "-m", "x", "--base-url", "http://127.0.0.1:9/v1"),
        ("--output-format", "json"),
    ):
        run = run_here(*words)
        assert run.returncode == 2, words
        assert "Traceback" not in run.stderr
        assert run.stdout == ""


@promise("START-4")
def test_the_home_folder_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    run = run_here("config", "set", "tools.tool_search.enabled", "off", HERMES_LITE_HOME=str(blocked / "home"))
    assert run.returncode == 2
    assert "cannot be written" in run.stderr
    assert blocked.read_text(encoding="utf-8") == ""


@promise("START-5")
def test_every_page_of_the_manual_is_shown() -> None:
    topics = [line.split()[0] for line in run_here("help").stdout.splitlines()[1:]]
    assert {"start", "tool-search", "mcp", "approvals", "sessions", "scripting"} <= set(topics)
    for topic in topics:
        assert run_here("help", topic).stdout.strip()
    assert run_here("help", "nothing").returncode == 2


@promise("START-6")
@pytest.mark.parametrize("words", [("config", "list"), ("help", "mcp"), ("tools", "list", "--offline")], ids=" ".join)
def test_output_that_goes_nowhere_is_no_fault(shell: Shell, words: tuple[str, ...]) -> None:
    command = " ".join((sys.executable, "-m", "hermes_lite", *words))
    for redirection, code in ((">/dev/full", 1), (">&- 2>/dev/full", 0), ("| true; exit ${PIPESTATUS[0]}", 141)):
        run = subprocess.run(
            ("bash", "-c", f"{command} {redirection}"),
            env=shell.environ(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert "Traceback" not in run.stderr
        assert "fault of ours" not in run.stderr
        assert run.returncode == code, redirection
