"""Command lines that cannot be understood."""

import os
import sys

import pytest

from hermes_lite.cli.app import run
from hermes_lite.cli.guard import NO_READER, guarded
from tests.support.cli import run_here
from tests.support.promises import promise


@promise("CLI.usage")
@pytest.mark.parametrize(
    ("line", "said", "mend"),
    [
        ("-p x --output-format xml", "--output-format: 'xml' is not one of 'text', 'json'", "`hermes-lite --help`"),
        ("-p", "-p wants a value", "`hermes-lite --help`"),
        ("--yolo=3", "--yolo takes no value", "`hermes-lite --help`"),
        ("--toolset x", "there is no option --toolset", "Did you mean --toolsets?"),
        ("-x", "there is no option -x", "`hermes-lite --help`"),
        ("confi", "there is no command confi", "Did you mean config?"),
        ("config gett", "there is no command gett", "Did you mean get?"),
        ("config get", "KEY is missing", "`hermes-lite config get --help`"),
        ("config get a b c", "b c: nothing more is expected here", "`hermes-lite config get --help`"),
        ("prompt-size --max-tokens abc", "--max-tokens wants a whole number", "`hermes-lite prompt-size --help`"),
        ("tools search x --limit 1.5", "--limit wants a whole number", "`hermes-lite tools search --help`"),
        ("tools search x --limit 0", "--limit must be at least 1", "`hermes-lite tools search --help`"),
        ("sessions list --limit 0", "--limit must be at least 1", "`hermes-lite sessions list --help`"),
        ("sessions export x -f pdf", "--format: 'pdf' is not one of", "`hermes-lite sessions export --help`"),
    ],
)
def test_what_is_wrong_with_a_command_line_is_said_in_plain_words(line: str, said: str, mend: str) -> None:
    done = run_here(*line.split())
    assert (done.returncode, done.stdout) == (2, "")
    first, second = done.stderr.splitlines()
    assert first.startswith(f"hermes-lite: {said}")
    assert mend in second


@promise("CLI.usage")
def test_a_group_without_a_command_shows_its_help() -> None:
    done = run_here("config")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Set KEY in your own file." in done.stderr


@promise("CLI.usage")
@pytest.mark.parametrize("line", ["--help", "--version", "tools --help"])
def test_a_reader_who_went_away_is_left_without_a_word(
    line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as nobody:
        monkeypatch.setattr(sys, "stdout", nobody)
        monkeypatch.setattr(sys, "argv", ["hermes-lite", *line.split()])
        assert guarded(run) == NO_READER
    assert capsys.readouterr().err == ""
