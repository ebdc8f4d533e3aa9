"""What the editor remembers and what it completes."""

import stat
from collections.abc import Iterable
from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from hermes_lite.ui.complete import InputCompleter
from hermes_lite.ui.history import LineHistory
from tests.support.promises import promise


def test_lines_come_back_newest_first_with_their_line_breaks(tmp_path: Path) -> None:
    file = tmp_path / "home" / "history"
    history = LineHistory(file)
    for line in ("first", "two\nlines \\n", "日本語\u2028x"):
        history.store_string(line)
    assert list(LineHistory(file).load_history_strings()) == ["日本語\u2028x", "two\nlines \\n", "first"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@promise("SCREEN-13")
@pytest.mark.parametrize(
    "line",
    (
        " begins with a space",
        "use sk-abcdefghijklmnopqrstuvwx please",
        "export OPENAI_API_KEY=abcdef123456",
        "curl -H 'Authorization: Bearer abcdefghijklmnop'",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "password: hunter2hunter2",
    ),
)
def test_a_secret_is_not_remembered(tmp_path: Path, line: str) -> None:
    LineHistory(tmp_path / "history").store_string(line)
    assert list(LineHistory(tmp_path / "history").load_history_strings()) == []


@pytest.mark.parametrize("line", ("how many tokens are used?", "what is a password manager", "risk-free"))
def test_talk_about_secrets_is_remembered(tmp_path: Path, line: str) -> None:
    LineHistory(tmp_path / "history").store_string(line)
    assert list(LineHistory(tmp_path / "history").load_history_strings()) == [line]


def test_a_lone_surrogate_does_not_break_the_history(tmp_path: Path) -> None:
    LineHistory(tmp_path / "history").store_string("a\ud800b")
    assert list(LineHistory(tmp_path / "history").load_history_strings()) == ["a\ufffdb"]


def test_a_home_that_cannot_be_written_loses_a_line_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    LineHistory(tmp_path / "file" / "history").store_string("x")


def _offered(folder: Path, text: str, *, asked: bool = False) -> list[str]:
    """The lines that `text` could become."""

    def commands(before: str) -> Iterable[tuple[str, str]]:
        return [("/context", "what fills the window")]

    event = CompleteEvent(completion_requested=asked)
    found = InputCompleter(commands, folder).get_completions(Document(text), event)
    return [text[: len(text) + each.start_position] + each.text for each in found]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "main.py").touch()
    (tmp_path / "setup.cfg").touch()
    (tmp_path / ".hidden").touch()
    return tmp_path


def test_commands_are_offered_at_the_start_of_a_line_only(folder: Path) -> None:
    assert _offered(folder, "/con") == ["/context"]
    assert _offered(folder, "see /con") == []


def test_a_word_with_an_at_sign_is_completed_as_a_path(folder: Path) -> None:
    assert _offered(folder, "look at @s") == ["look at @setup.cfg", "look at @src/"]
    assert _offered(folder, "look at @src/m") == ["look at @src/main.py"]
    assert _offered(folder, "look at @.h") == ["look at @.hidden"]
    assert _offered(folder, "look at @gone/x") == []


def test_any_other_word_is_a_path_when_tab_asks(folder: Path) -> None:
    assert _offered(folder, "look at s") == []
    assert _offered(folder, "look at src/", asked=True) == ["look at src/main.py"]
    assert _offered(folder, f"look at {folder}/se", asked=True) == [f"look at {folder}/setup.cfg"]


@promise("SCREEN-29")
def test_a_path_with_blanks_is_quoted_and_can_be_completed_on(folder: Path) -> None:
    (folder / "my notes").mkdir()
    (folder / "my notes" / "to do.md").touch()
    assert _offered(folder, "see @my") == ['see @"my notes/']
    assert _offered(folder, 'see @"my notes/t') == ['see @"my notes/to do.md"']
    assert _offered(folder, 'see @"my notes/to do.md" and @se') == ['see @"my notes/to do.md" and @setup.cfg']
    assert _offered(folder, '!cat "my n', asked=True) == ['!cat "my notes/']
    assert _offered(folder, 'he said "hi" @se') == ['he said "hi" @setup.cfg']
