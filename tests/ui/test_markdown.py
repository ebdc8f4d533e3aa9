"""A growing reply is cut into parts that never change once they are out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_lite.ui.markdown import Code, MarkdownStream, Part, Prose
from tests.support.promises import promise


def _parts(text: str, size: int) -> list[Part]:
    stream = MarkdownStream()
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    return [part for piece in pieces for part in stream.feed(piece)] + stream.close()


def _blocks(text: str, size: int) -> list[str]:
    """The parts as text: what goes on with the part before it begins with a plus."""
    return [
        "+" * part.joined + (part.text if isinstance(part, Prose) else "\n".join(part.lines))
        for part in _parts(text, size)
    ]


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("one\ntwo\n\nthree", ["one\ntwo", "three"]),
        ("# Head\ntext", ["# Head", "text"]),
        ("text\n## Head\nmore", ["text", "## Head", "more"]),
        ("a\n```py\nx\n\ny\n```\nb", ["a", "x\n\ny", "b"]),
        ("~~~\n```\n~~~\nafter", ["```", "after"]),
        ("````\n```\n````\nafter", ["```", "after"]),
        ("```py\nx = '''\n    ```\n'''\n```\nafter", ["x = '''\n    ```\n'''", "after"]),
        ("  ```\n  a\n    b\n c\n  ```", ["a\n  b\nc"]),
        ("- a\n- b\n\n- c\n\nend", ["- a", "+- b", "+- c", "end"]),
        ("text\n- a\n- b", ["text", "- a", "+- b"]),
        ("in the year\n1984. it was", ["in the year\n1984. it was"]),
        ("- a\n* b\n1. c\n2) d", ["- a", "* b", "1. c", "2) d"]),
        ("1. a\n\n   more of a\n\n2. b\n\nend", ["1. a\n\n   more of a", "+2. b", "end"]),
        ("- a\n  - b\n    - c\n- d", ["- a\n  - b\n    - c", "+- d"]),
        ("1. a\n1. b\n1. c", ["1. a", "+2. b", "+3. c"]),
        ("9. a\n9. b\n   - c", ["9. a", "+10. b\n    - c"]),
        ("- a\n\ntext\n- b", ["- a", "text", "- b"]),
        ("| a |\n| - |\n| b |\n\nend", ["| a |\n| - |\n| b |", "end"]),
        ("```\nnever closed\n\nx", ["never closed", "+\nx"]),
        ("```\n\n\nx\n\n\n```\n", ["x"]),
        ("```\n```", []),
        ("\n\n\n", []),
        ("a\r\n\r\nb", ["a", "b"]),
    ],
)
def test_parts_end_where_markdown_ends_them(text: str, blocks: list[str]) -> None:
    assert _blocks(text, len(text) or 1) == blocks


@promise("SCREEN-3")
@given(st.text(alphabet="ab #-*`|>1.\n\r ", max_size=80), st.integers(1, 9))
def test_how_the_reply_was_split_on_the_wire_does_not_show(text: str, size: int) -> None:
    assert _lines(_parts(text, size)) == _lines(_parts(text, 1000))


def _lines(parts: list[Part]) -> list[Part]:
    """`parts` with each line of code by itself."""
    return [line for part in parts for line in (_by_line(part) if isinstance(part, Code) else [part])]


def _by_line(code: Code) -> list[Code]:
    return [Code((line,), code.language, code.joined or number > 0) for number, line in enumerate(code.lines)]


@given(st.text(alphabet="ab #-*>.\n ", max_size=80))
def test_no_word_of_the_reply_is_lost(text: str) -> None:
    assert "".join("".join(_blocks(text, 5)).replace("+", "").split()) == "".join(text.split())


def test_a_line_of_code_is_finished_with_its_end() -> None:
    stream = MarkdownStream()
    assert stream.feed("```python\n") == []
    assert stream.feed("x = 1\n\ny") == [Code(("x = 1",), "python")]
    assert stream.growing == Code(("", "y"), "python", joined=True)
    assert stream.feed(" = 2\n") == [Code(("", "y = 2"), "python", joined=True)]


def test_what_is_not_finished_grows() -> None:
    stream = MarkdownStream()
    assert stream.feed("done\n\nnot yet") == [Prose("done")]
    assert stream.growing == Prose("not yet")


def test_the_end_of_a_fence_is_never_taken_for_code_while_it_comes_in() -> None:
    stream = MarkdownStream()
    stream.feed("```\nx\n``")
    assert stream.growing == Code(("",), "", joined=True)
