import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_lite.model.think_tags import ThinkTags
from tests.support.promises import promise


def split(text: str, size: int) -> tuple[str, str]:
    tags = ThinkTags()
    parts = [tags.feed(text[at : at + size]) for at in range(0, len(text), size)] + [tags.end()]
    return "".join(part.thought for part in parts), "".join(part.said for part in parts)


@promise("MODEL-think")
@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
@pytest.mark.parametrize(
    ("text", "thought", "said"),
    [
        ("<think>hm</think>Yes", "hm", "Yes"),
        ("\n<think>hm</think>\n\nYes <think>no</think>", "hm", "Yes <think>no</think>"),
        ("<think>a < b </thin</think>Yes", "a < b </thin", "Yes"),
        ("<think>never closed </thi", "never closed </thi", ""),
        ("<thinking is hard", "", "<thinking is hard"),
        ("<thi", "", "<thi"),
        ("No tags, then <think>", "", "No tags, then <think>"),
        ("", "", ""),
    ],
)
def test_only_a_leading_block_is_thinking(text: str, thought: str, said: str, size: int) -> None:
    assert split(text, size) == (thought, said)


@given(st.text(alphabet="<>/think ab", max_size=30), st.integers(1, 5))
def test_how_a_stream_is_cut_makes_no_difference(text: str, size: int) -> None:
    assert split(text, size) == split(text, 100)
