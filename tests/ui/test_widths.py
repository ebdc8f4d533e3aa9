"""Whatever the text and however narrow the terminal, nothing breaks and nothing sticks out."""

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from hermes_lite.events import CallEnded, Notice, RetryScheduled
from hermes_lite.ui import feed
from hermes_lite.ui.answer import Block
from tests.support.promises import promise
from tests.ui.scrollback import shown

TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(
        st.sampled_from(
            ["# a ", "- b\n", "| c | d |\n", "| - | - |\n", "```\n", "> ", "\n\n", "1. ", "日本", "👩‍👩‍👧", "\t"]
        )
    ).map("".join),
)


def _widest(text: str) -> int:
    return max((cell_len(line) for line in text.split("\n")), default=0)


@promise("S-A5")
@settings(max_examples=100, deadline=None)
@given(TEXTS, st.integers(1, 120))
def test_any_markdown_is_drawn_at_any_width(text: str, width: int) -> None:
    assert _widest(shown(Block(text), width)) <= max(width, 2)


@settings(max_examples=100, deadline=None)
@given(TEXTS, TEXTS, st.integers(1, 120))
def test_any_call_is_drawn_at_any_width(name: str, text: str, width: int) -> None:
    ended = CallEnded("a", name, "ok", text, 1.0)
    line = feed.call_line(ended, text, None, width)
    assert "\n" not in line.plain
    assert _widest(shown(line, width)) <= width
    body = feed.call_body(ended, 3, 20, width)
    assert body is None or _widest(shown(body, width)) <= max(width, 2)
    assert _widest(shown(feed.notice_line(Notice("info", text)), width)) <= max(width, 2)
    assert _widest(feed.retry_line(RetryScheduled(text, 1.0, 1), 1.0, width).plain) <= max(width, 20)
