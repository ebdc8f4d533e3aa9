"""A growing reply is cut into blocks that never change once they are out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_lite.ui.markdown import Block, MarkdownStream
from tests.support.promises import promise
from tests.ui.moments import CODE
from tests.ui.scrollback import shown


def _blocks(text: str, size: int) -> list[str]:
    stream = MarkdownStream()
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    return [block for piece in pieces for block in stream.feed(piece)] + stream.close()


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("one\ntwo\n\nthree", ["one\ntwo", "three"]),
        ("# Head\ntext", ["# Head", "text"]),
        ("text\n## Head\nmore", ["text", "## Head", "more"]),
        ("a\n```py\nx\n\ny\n```\nb", ["a", "```py\nx\n\ny\n```", "b"]),
        ("~~~\n```\n~~~\nafter", ["~~~\n```\n~~~", "after"]),
        ("````\n```\n````\nafter", ["````\n```\n````", "after"]),
        ("- a\n- b\n\n- c\n\nend", ["- a\n- b\n\n- c", "end"]),
        ("1. a\n\n   more of a\n\n2. b\n\nend", ["1. a\n\n   more of a\n\n2. b", "end"]),
        ("| a |\n| - |\n| b |\n\nend", ["| a |\n| - |\n| b |", "end"]),
        ("```\nnever closed\n\nx", ["```\nnever closed\n\nx"]),
        ("\n\n\n", []),
        ("a\r\n\r\nb", ["a", "b"]),
    ],
)
def test_blocks_end_where_markdown_ends_them(text: str, blocks: list[str]) -> None:
    assert _blocks(text, 3) == blocks


@promise("SCREEN-3")
@given(st.text(alphabet="ab #-*`|>1.\n\r ", max_size=80), st.integers(1, 9))
def test_how_the_reply_was_split_on_the_wire_does_not_show(text: str, size: int) -> None:
    assert _blocks(text, size) == _blocks(text, 1000)


@given(st.text(alphabet="ab #-*`>1.\n ", max_size=80))
def test_no_word_of_the_reply_is_lost(text: str) -> None:
    assert "".join("".join(_blocks(text, 5)).split()) == "".join(text.split())


def test_what_is_not_finished_is_the_tail() -> None:
    stream = MarkdownStream()
    assert stream.feed("done\n\nnot yet") == ["done"]
    assert stream.tail(10) == "not yet"


def test_of_a_long_code_block_the_end_is_the_tail_and_still_code() -> None:
    stream = MarkdownStream()
    stream.feed("```python\n" + "".join(f"x{number} = 1\n" for number in range(50)) + "par")
    assert stream.tail(3) == "```python\nx48 = 1\nx49 = 1\npar"
    assert stream.tail(100).count("\n") == 51


def test_code_is_drawn_without_a_frame_that_would_be_copied_with_it() -> None:
    assert shown(Block("```python\nx = 1\n```")) == "  x = 1\n"


def test_block_by_block_reads_like_the_whole() -> None:
    whole = shown(Block(CODE)).split()
    assert " ".join(shown(Block(block)) for block in _blocks(CODE, 9)).split() == whole
