"""Where a conversation is split, and what is counted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_lite.agent.compaction import Split, body, size, used
from hermes_lite.messages import (
    AssistantMessage,
    Message,
    NoticeMessage,
    ToolCall,
    ToolMessage,
    Usage,
    UserMessage,
)
from hermes_lite.model.wire import to_wire
from hermes_lite.tokens import counter_for
from tests.agent.validity import assert_valid

COUNTER = counter_for(None)


def step(number: int, result: str, *, words: str = "Let me see.") -> list[Message]:
    call = ToolCall(f"call_{number}", "look", "{}")
    return [AssistantMessage(words, (call,)), ToolMessage(call.id, "look", result)]


@st.composite
def conversations(draw: st.DrawFn) -> list[Message]:
    found: list[Message] = []
    for number in range(draw(st.integers(0, 12))):
        filler = "x" * draw(st.sampled_from([1, 50, 3_000]))
        found += draw(
            st.sampled_from(
                [
                    [UserMessage(f"words {filler}")],
                    [NoticeMessage(f"news {filler}")],
                    [AssistantMessage(f"answer {filler}")],
                    step(number, filler),
                ]
            )
        )
    return found


@given(conversations())
def test_both_parts_are_valid_and_the_last_words_of_the_person_stay(messages: list[Message]) -> None:
    split = Split.of(messages, COUNTER)
    tail = len(messages) - len(split.older)
    assert [*split.older, *split.recent[len(split.recent) - tail :]] == messages
    assert_valid(to_wire("be good", (NoticeMessage("a summary"), *split.recent)))
    words = [message for message in messages if isinstance(message, UserMessage)]
    assert not words or words[-1] in split.recent
    assert size(messages[len(split.older) :], COUNTER) <= max(0.3 * size(messages, COUNTER), 0)


def test_a_long_turn_is_split_between_its_steps() -> None:
    messages: list[Message] = [UserMessage("go"), *step(1, "x" * 5_000), *step(2, "short")]
    split = Split.of(messages, COUNTER)
    assert split.recent == (messages[0], *messages[3:])
    assert split.is_possible


def test_words_alone_cannot_be_condensed() -> None:
    assert not Split.of([UserMessage("x" * 10_000)], COUNTER).is_possible
    assert not Split.of([], COUNTER).is_possible


def test_condensing_that_gives_little_back_is_not_worth_it() -> None:
    messages: list[Message] = [UserMessage("go"), AssistantMessage("yes " * 100), UserMessage("on")]
    split = Split.of(messages, COUNTER)
    assert (split.frees(500, COUNTER), split.frees(100_000, COUNTER)) == (True, False)


@pytest.mark.parametrize("counted", [None, 1_000])
def test_the_next_request_costs_what_the_endpoint_counted_and_what_came_since(counted: int | None) -> None:
    replied = AssistantMessage("answer", usage=Usage(counted, 10))
    since: list[Message] = [ToolMessage("call_1", "look", "x" * 420), UserMessage("more")]
    messages: list[Message] = [UserMessage("go"), replied, *since]
    expected = 1_010 + size(since, COUNTER) if counted else COUNTER.count("a system prompt") + size(messages, COUNTER)
    assert used(messages, "a system prompt", COUNTER) == expected


def test_calls_count_with_their_names_and_arguments() -> None:
    message = AssistantMessage("Look.", (ToolCall("call_1", "look", '{"n":1}'),))
    assert body(message) == 'Look.look{"n":1}'
