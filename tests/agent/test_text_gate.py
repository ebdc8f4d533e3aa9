"""Text is held back only while it may be a printed call."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_lite.agent.text_gate import TextGate
from hermes_lite.events import Event, ReasoningDelta, TextDelta


def through(text: str, size: int = 1, *, hold: bool = True) -> tuple[TextGate, list[Event]]:
    events: list[Event] = []
    gate = TextGate(events.append, hold=hold)
    for start in range(0, len(text), size):
        gate(TextDelta(text[start : start + size]))
    return gate, events


@pytest.mark.parametrize(
    "text",
    ['{"name"', '[{"name"', "```json\n{", "```\n", "<tool_call>", "<function=look>{", "[TOOL_CALLS] [{", "  ", "{{"],
)
def test_what_may_be_a_call_is_held(text: str) -> None:
    gate, events = through(text)
    assert (events, gate.shown) == ([], "")
    gate.release()
    assert (events, gate.shown) == ([TextDelta(text)], text)


@pytest.mark.parametrize(
    "text", ["Hello", "`x` is", "[a link](y)", "```python\nprint()", "<b>bold</b>", "{a set}", "[1, 2]", "<toolbox>"]
)
def test_what_cannot_be_one_goes_on_at_once(text: str) -> None:
    gate, events = through(text)
    assert gate.shown == text
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == text


def test_other_events_pass_and_without_holding_all_text_does() -> None:
    events: list[Event] = []
    TextGate(events.append, hold=True)(ReasoningDelta("hm"))
    assert events == [ReasoningDelta("hm")]
    assert through('{"name"', hold=False)[0].shown == '{"name"'


@given(st.text(alphabet='{["`<a \n}tolcunjs=>', max_size=30), st.integers(1, 5))
def test_nothing_is_lost_doubled_or_reordered(text: str, size: int) -> None:
    gate, events = through(text, size)
    gate.release()
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == text == gate.shown
