"""The question before a gated call: safe by default, the same letters everywhere, nothing hidden."""

from pathlib import Path
from typing import Any

import pytest

from hermes_lite.approvals.gate import Answer, Choice
from hermes_lite.approvals.rules import Rule
from hermes_lite.tools.spec import Question
from hermes_lite.ui.approve import TerminalApprover, answer_of, question
from hermes_lite.ui.ask import TerminalAsk, choice
from hermes_lite.ui.questions import Questions
from tests.support.promises import promise
from tests.ui.moments import NOWHERE, ROWS, asked
from tests.ui.scrollback import APPENDED, COLOURED, Scrollback, shown

ALL: tuple[Choice, ...] = ("once", "session", "always", "no")


def _question(name: str, arguments: dict[str, Any], cwd: Path = NOWHERE, *rules: Rule) -> str:
    return shown(question(asked(ROWS[name], arguments, "because", *rules, cwd=cwd), ROWS[name].display))


@promise("S-E9")
@pytest.mark.parametrize(
    ("typed", "choice"), [("y", "once"), ("Y ", "once"), ("s", "session"), ("a", "always"), ("n", "no")]
)
def test_a_letter_means_the_same_in_every_question(typed: str, choice: Choice) -> None:
    assert answer_of(typed, ALL) == Answer(choice)


@promise("S-E8")
@pytest.mark.parametrize("typed", (None, "", "  ", "no wait stop", "yy", "1", "2", "stop", "also", "\n"))
def test_anything_but_a_known_answer_is_no(typed: str | None) -> None:
    assert answer_of(typed, ALL).choice == "no"


def test_words_are_a_no_with_its_reason() -> None:
    assert answer_of("use git stash instead", ALL) == Answer("no", "use git stash instead")


def test_what_is_not_offered_cannot_be_chosen() -> None:
    assert answer_of("a", ("once", "no")) == Answer("no")
    assert "always" not in _question("terminal", {"command": "ls"})


def test_always_shows_the_exact_rules_that_it_would_store() -> None:
    text = _question("terminal", {"command": "make all"}, NOWHERE, Rule("terminal", "make *"), Rule("x"))
    assert "a always: terminal: make *; x" in text


@promise("SCREEN-7")
@pytest.mark.parametrize(
    ("hidden", "told"),
    [
        ("\u202e", "<U+202E>"),
        ("\u200b", "<U+200B>"),
        ("\x1b[2J", "<U+001B>[2J"),
        ("\r", "<U+000D>"),
        ("\u00a0", "<U+00A0>"),
        ("\U000e0041", "<U+E0041>"),
        ("\ud800", "<U+D800>"),
        ("\u2028", "<U+2028>"),
    ],
)
def test_what_does_not_show_is_written_out(hidden: str, told: str) -> None:
    assert told in _question("terminal", {"command": f"ls{hidden}x"})
    assert "hidden characters" in _question("terminal", {"command": f"ls{hidden}x"})
    assert told in _question("write_file", {"path": "a", "content": f"b{hidden}"})
    assert told in _question("session_search", {"query": f"a{hidden}", f"b{hidden}": [f"c{hidden}"]})


def test_the_command_that_would_run_is_never_folded() -> None:
    assert "echo 99" in _question("terminal", {"command": "\n".join(f"echo {number}" for number in range(100))})


def test_a_change_of_a_file_is_shown_as_a_diff_against_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n", encoding="utf-8")
    written = {"path": "a.txt", "content": "one\n2\nthree\n"}
    patched = {"path": "a.txt", "old_text": "two", "new_text": "2"}
    for name, arguments in (("write_file", written), ("patch", patched)):
        text = _question(name, arguments, tmp_path)
        assert "-two" in text
        assert "+2" in text
        assert " three" in text


def test_a_patch_that_will_not_apply_still_shows_both_sides(tmp_path: Path) -> None:
    text = _question("patch", {"path": "gone", "old_text": "a", "new_text": "b"}, tmp_path)
    assert "-a" in text
    assert "+b" in text


@pytest.mark.anyio
async def test_the_approver_puts_the_question_and_brings_the_answer() -> None:
    terminal = Scrollback(answers=["s"])
    approver = TerminalApprover(Questions(terminal, terminal.say), ROWS.get)
    request = asked(ROWS["terminal"], {"command": "make"}, "", Rule("terminal", "make"))
    assert await approver(request) == Answer("session")
    assert terminal.hints == ["y/s/a/n › "]
    assert terminal.text.startswith("? Run terminal?\n  $ make\n")


_LONG: tuple[tuple[str, dict[str, Any]], ...] = (
    ("write_file", {"path": "a.txt", "content": "\n".join(f"line {number}" for number in range(200))}),
    ("todo_list", {"todos": "\n".join(f"line {number}" for number in range(200))}),
)


@pytest.mark.anyio
@promise("SCREEN-31")
@pytest.mark.parametrize(("name", "arguments"), _LONG)
async def test_what_a_question_folds_is_there_to_be_unfolded(name: str, arguments: dict[str, Any]) -> None:
    class Unfolding(Scrollback):
        async def answer(self, hint: str) -> str | None:
            wholes.append(questions.whole)
            return await super().answer(hint)

    wholes: list[Any] = []
    terminal = Unfolding(answers=["n"])
    questions = Questions(terminal, terminal.say)
    await TerminalApprover(questions, ROWS.get)(asked(ROWS[name], arguments))
    assert "line 199" not in terminal.text
    assert "(Ctrl-O)" in terminal.text
    assert "line 199" in shown(wholes[0])
    assert questions.whole is None


@pytest.mark.anyio
@promise("SCREEN-31")
@pytest.mark.parametrize(("name", "arguments"), _LONG)
async def test_where_no_key_unfolds_a_question_is_whole(name: str, arguments: dict[str, Any]) -> None:
    terminal = Scrollback(answers=["n"], look=APPENDED)
    await TerminalApprover(Questions(terminal, terminal.say), ROWS.get)(asked(ROWS[name], arguments))
    assert "line 199" in terminal.text
    assert "Ctrl-O" not in terminal.text


@pytest.mark.parametrize(
    ("typed", "answer"), [("2", "blue"), ("BLUE", "blue"), (" 1 ", "red"), ("3", "3"), ("a dark one", "a dark one")]
)
def test_a_choice_is_taken_by_number_by_word_or_in_own_words(typed: str, answer: str) -> None:
    assert choice(Question("Which?", ("red", "blue")), typed) == answer


@pytest.mark.anyio
@pytest.mark.parametrize(("typed", "answer"), [(None, None), ("", ""), ("  ", "")])
async def test_a_question_that_is_declined_has_no_answer_and_a_blank_line_is_one(
    typed: str | None, answer: str | None
) -> None:
    terminal = Scrollback(answers=[typed])
    assert await TerminalAsk(Questions(terminal, terminal.say))(Question("Which?")) == answer


@promise("SCREEN-7")
def test_where_a_command_would_run_stands_below_it() -> None:
    text = _question("terminal", {"command": "rm -rf .", "folder": "/srv", "timeout": 5})
    assert text.startswith("? Run terminal?\n  $ rm -rf .\n  folder /srv\n  timeout 5\n")


def test_the_only_argument_has_its_name_and_is_not_told_twice() -> None:
    assert "  url https://example.com\n" in _question("web_fetch", {"url": "https://example.com"})
    request = asked(ROWS["terminal"], {"command": "make"}, "it may change things: make")
    assert shown(question(request, ROWS["terminal"].display)).startswith(
        "? Run terminal?\n  $ make\n  it may change things\n"
    )


def test_the_command_itself_is_not_dimmed() -> None:
    drawn = shown(question(asked(ROWS["terminal"], {"command": "make"}), ROWS["terminal"].display), 80, COLOURED)
    assert "\x1b[2m$\x1b[0m make\n" in drawn
