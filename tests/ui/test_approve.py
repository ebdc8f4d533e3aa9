"""The question before a gated call: safe by default, the same letters everywhere, nothing hidden."""

from pathlib import Path
from typing import Any

import pytest

from hermes_lite.tools.spec import Question
from hermes_lite.ui.approve import answer_of, question, visible
from hermes_lite.ui.ask import TerminalAsk, choice
from tests.support.promises import promise
from tests.ui.moments import ROWS
from tests.ui.scrollback import Scrollback, shown


@promise("S-E9")
@pytest.mark.parametrize(
    ("typed", "answer"), [("y", "once"), ("Y ", "once"), ("s", "session"), ("a", "always"), ("n", "no")]
)
def test_a_letter_means_the_same_in_every_question(typed: str, answer: str) -> None:
    assert answer_of(typed, "rule") == answer


@promise("S-E8")
@pytest.mark.parametrize("typed", (None, "", "  ", "no wait stop", "yy", "1", "2", "stop", "also", "\n"))
def test_anything_but_a_known_answer_is_no(typed: str | None) -> None:
    assert answer_of(typed, "rule") == "no"


def test_without_a_rule_there_is_no_always() -> None:
    assert answer_of("a", "") == "no"
    assert "always" not in shown(question(ROWS["terminal"], {"command": "ls"}, "", "", Path("/")))


@promise("SCREEN-7")
@pytest.mark.parametrize(
    ("hidden", "told"),
    [
        ("\u202e", "<U+202E>"),
        ("\u200b", "<U+200B>"),
        ("\x1b[2J", "<U+001B>[2J"),
        ("\r", "<U+000D>"),
        ("\u00a0", "<U+00A0>"),
        ("\u3164", "<U+3164>"),
        ("\U000e0041", "<U+E0041>"),
        ("\ud800", "<U+D800>"),
        ("\u2028", "<U+2028>"),
    ],
)
def test_what_does_not_show_is_written_out(hidden: str, told: str) -> None:
    assert visible(f"a{hidden}b") == f"a{told}b"
    assert told in shown(question(ROWS["terminal"], {"command": f"ls{hidden}x"}, "", "", Path("/")))


def test_plain_text_in_any_script_is_shown_as_it_is() -> None:
    assert visible("naïve 日本語 עברית\n\ttab") == "naïve 日本語 עברית\n    tab"


def test_the_command_that_would_run_is_never_folded() -> None:
    command = "\n".join(f"echo {number}" for number in range(100))
    assert "echo 99" in shown(question(ROWS["terminal"], {"command": command}, "", "", Path("/")))


def test_a_change_of_a_file_is_shown_as_a_diff_against_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n", encoding="utf-8")
    written: dict[str, Any] = {"path": "a.txt", "content": "one\n2\nthree\n"}
    patched: dict[str, Any] = {"path": "a.txt", "old_text": "two", "new_text": "2"}
    for name, arguments in (("write_file", written), ("patch", patched)):
        text = shown(question(ROWS[name], arguments, "", "", tmp_path))
        assert "-two" in text
        assert "+2" in text
        assert " three" in text


def test_a_patch_that_will_not_apply_still_shows_both_sides(tmp_path: Path) -> None:
    text = shown(question(ROWS["patch"], {"path": "gone", "old_text": "a", "new_text": "b"}, "", "", tmp_path))
    assert "-a" in text
    assert "+b" in text


@pytest.mark.parametrize(
    ("typed", "answer"), [("2", "blue"), ("BLUE", "blue"), (" 1 ", "red"), ("3", "3"), ("a dark one", "a dark one")]
)
def test_a_choice_is_taken_by_number_by_word_or_in_own_words(typed: str, answer: str) -> None:
    assert choice(Question("Which?", ("red", "blue")), typed) == answer


@pytest.mark.anyio
@pytest.mark.parametrize("declined", (None, "", "  "))
async def test_a_question_that_is_declined_has_no_answer(declined: str | None) -> None:
    assert await TerminalAsk(Scrollback(answers=[declined]))(Question("Which?")) is None
