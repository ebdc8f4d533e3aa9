import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_lite.text import clean_surrogates, cut, harmless, one_line, utf8
from tests.support.promises import promise


@promise("BASE.text")
@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]52;c;cHduZWQ=\x07after", "after"),
        ("\x1b]0;title\nmore\x07after", "after"),
        ("before \x1b]0;title\nthe next line", "before \nthe next line"),
        ("\x1b]0;a\x07b\x1bPc\nd", "b\nd"),
        ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("a\u202eb\u2066c", "abc"),
        ("a\x00b\x08c\x7f", "abc"),
        ("\ud800x", "x"),
        ("\x9b2Jx", "x"),
        ("a\u200bb", "ab"),
        ("👩‍💻", "👩‍💻"),
    ],
)
def test_hostile_text_is_made_harmless(hostile: str, shown: str) -> None:
    assert harmless(hostile) == shown


def test_one_line_has_no_line_breaks() -> None:
    assert one_line(" a\n\n b\u2028c\td ") == "a b c d"


@given(st.text(), st.integers(min_value=0, max_value=40))
def test_cut_never_exceeds_its_limit_and_is_a_prefix(text: str, limit: int) -> None:
    short = cut(text, limit)
    assert len(short) <= max(limit, 0)
    assert short == text or text.startswith(short.removesuffix("…").rstrip())


def test_cut_keeps_emoji_whole() -> None:
    assert cut("ab👩‍💻cd", 5) == "ab…"


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=20))
def test_any_text_can_be_encoded(text: str) -> None:
    assert utf8(text).decode("utf-8") == clean_surrogates(text)
