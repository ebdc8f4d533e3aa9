"""However a reply comes in, the rows that it leaves are those of the whole, and long parts flow."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_lite.events import ReplyEnded, TextDelta
from hermes_lite.messages import AssistantMessage
from hermes_lite.ui.answer import Answer, Block
from hermes_lite.ui.code import Highlighter
from hermes_lite.ui.look import Look
from hermes_lite.ui.transcript import Transcript
from tests.support.promises import promise
from tests.ui.fake import SETTINGS
from tests.ui.moments import CODE
from tests.ui.scrollback import BARE, COLOURED, Scrollback, shown

PROGRAM = "\n".join(
    f'def f{number}(x):\n    """Number {number}."""\n    return x + {number}\n' for number in range(30)
)
SENTENCE = "The loop asks the *model* and runs its `calls`, see [the page](https://example.com/x) and 日本語 👩‍👩‍👧. "
WORDS = st.sampled_from(
    (
        *(
            "word ",
            "word word word word ",
            "*em* ",
            "**strong ",
            "`code` ",
            "`",
            "[a](b) ",
            "[",
            "_x",
            "a_b ",
            "2 * 3 ",
        ),
        *(
            "~~",
            "<b> ",
            "日本 ",
            "👩‍👩‍👧 ",
            "![i](u) ",
            "&amp; ",
            "\\",
            "\n",
            "\n\n",
            "\r\n",
            "\n- ",
            "\n1. ",
            "\n10) ",
        ),
        *("\n   - ", "\n> ", "\n```py\n", "\n```\n", "\n| a | b |\n| - | - |\n", "\n## Head\n", "\n---\n"),
    )
)


def _streamed(text: str, size: int, width: int = 40, look: Look = BARE) -> str:
    terminal = Scrollback(width, look)
    transcript = Transcript(terminal, SETTINGS, lambda name: None)
    for start in range(0, len(text), size):
        transcript.sink(TextDelta(text[start : start + size]))
    transcript.sink(ReplyEnded(AssistantMessage(text)))
    return terminal.text


def test_code_is_drawn_without_a_frame_that_would_be_copied_with_it() -> None:
    assert shown(Block("```python\nx = 1\n```")) == "  x = 1\n"


@promise("SCREEN-26")
def test_every_finished_line_of_code_is_in_the_scrollback() -> None:
    answer = Answer(lambda: 80)
    answer.feed("Here:\n\n```python\n")
    lines = PROGRAM.split("\n")[:30]
    printed: list[str] = []
    for count, line in enumerate(lines, 1):
        printed += [row for part in answer.feed(line + "\n") for row in shown(part.what).splitlines()]
        assert [row for row in printed if row] == [f"  {finished}" for finished in lines[:count] if finished]


@promise("SCREEN-26")
@pytest.mark.parametrize("size", (4, 400))
def test_code_that_flows_looks_like_the_whole(size: int) -> None:
    fenced = f"```python\n{PROGRAM}\n```"
    assert _streamed(fenced, size) == shown(Block(fenced), 40)
    assert _streamed(fenced, 10**6, look=COLOURED) == shown(Block(fenced), 40, COLOURED)


@promise("SCREEN-3")
@settings(max_examples=20, deadline=None)
@given(st.lists(WORDS, min_size=30, max_size=80).map("".join), st.integers(1, 30), st.integers(16, 50))
def test_any_markdown_leaves_the_same_rows_in_whatever_pieces(text: str, size: int, width: int) -> None:
    assert _streamed(text, size, width) == _streamed(text, 10**6, width)


@promise("SCREEN-3")
@pytest.mark.parametrize("size", (3, 50))
def test_a_reply_of_every_kind_of_block_leaves_the_same_rows_in_whatever_pieces(size: int) -> None:
    items = "".join(f"1. {SENTENCE * 3}\n   - below\n" for _ in range(12))
    text = f"{CODE}\n{SENTENCE * 6}\nand a list:\n{items}\n> {SENTENCE * 4}\n\n{CODE}"
    rows = _streamed(text, size)
    assert rows == _streamed(text, 10**6)
    assert "\n12. The loop" in rows


@promise("SCREEN-27")
@pytest.mark.parametrize("begin", ("", "- ", "> "))
def test_of_a_long_block_only_its_last_rows_wait_for_the_end(begin: str) -> None:
    answer = Answer(lambda: 40)
    out = [part for piece in (begin + SENTENCE * 20).split(" ") for part in answer.feed(piece + " ")]
    assert len(out) > 30
    assert len(answer.growing(BARE, 40)) <= 6


@pytest.mark.parametrize("begin", ("", "> "))
def test_a_change_of_the_width_in_the_middle_of_a_block_loses_and_repeats_no_word(begin: str) -> None:
    width = 60
    answer = Answer(lambda: width)
    text = begin + " ".join(f"w{number}" for number in range(300))
    out = [shown(part.what, width) for part in answer.feed(text[:900])]
    width = 33
    out += [shown(part.what, width) for part in (*answer.feed(text[900:]), *answer.close())]
    assert "".join("".join(out).replace("▌", "").split()) == text.removeprefix("> ").replace(" ", "")


def test_a_picture_stands_where_it_is_in_its_line() -> None:
    assert shown(Block("See ![the plan](plan.png) first.")) == "See the plan (plan.png) first.\n"


def test_a_string_over_many_lines_keeps_its_colour() -> None:
    lines = ["x = '''", *["words in it"] * 90, "'''", "y = 1"]
    by_line = Highlighter("python")
    flowing = [by_line.colour([line])[0] for line in lines]
    assert flowing[60:] == Highlighter("python").colour(lines)[60:]


def test_reading_again_from_further_down_changes_no_colour() -> None:
    lines = PROGRAM.split("\n")[:88]
    by_line = Highlighter("python")
    assert [by_line.colour([line])[0].markup for line in lines] == [
        line.markup for line in Highlighter("python").colour(lines)
    ]


@pytest.mark.parametrize("language", ("", "no-such-language", "python", "json", "bash", "diff"))
def test_code_keeps_its_characters_in_any_language(language: str) -> None:
    lines = ["a\tb", "  {'x': [1,", "", "+ \\", "# 日本 👩‍👩‍👧"]
    assert [line.plain for line in Highlighter(language).colour(lines)] == [line.expandtabs(4) for line in lines]
