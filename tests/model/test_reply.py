import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_lite.events import Event, ReasoningDelta, TextDelta
from hermes_lite.messages import AssistantMessage, Usage
from hermes_lite.model.reply import Reply
from tests.support.promises import promise

EMPTY: Mapping[str, Any] = {"choices": []}
USAGE = {"prompt_tokens": 7, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 5}}


def chunk(delta: object = None, finish: str | None = None, **rest: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta or {}, "finish_reason": finish}], **rest}


def said(*texts: str) -> list[Mapping[str, Any]]:
    return [chunk({"content": text}) for text in texts]


def calling(name: str = "f", arguments: str = "{}") -> Mapping[str, Any]:
    return chunk({"tool_calls": [{"index": 0, "id": "a", "function": {"name": name, "arguments": arguments}}]})


STOP = chunk(finish="stop")


def replied(*chunks: object) -> tuple[AssistantMessage | None, list[Event]]:
    events: list[Event] = []
    reply = Reply("m", events.append)
    for each in chunks:
        reply.feed(each)
    return reply.end(), events


def message(*chunks: object) -> AssistantMessage:
    found, _ = replied(*chunks)
    assert found is not None
    return found


def shown(events: list[Event], kind: type = TextDelta) -> str:
    return "".join(event.text for event in events if isinstance(event, kind))


@promise("S-B5")
@pytest.mark.parametrize("usage", [{}, {"usage": USAGE}, {"usage": None}])
@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_a_chunk_without_choices_may_stand_anywhere(place: int, usage: Mapping[str, Any]) -> None:
    chunks = [*said("Hel", "lo"), STOP]
    chunks.insert(place, {**EMPTY, **usage})
    found = message(*chunks)
    assert found.text == "Hello"
    assert found.usage == (Usage(7, 3, 5) if usage.get("usage") else Usage())


@pytest.mark.parametrize(
    "odd",
    [
        {},
        {"choices": None},
        {"choices": [None]},
        {"choices": [{}]},
        {"choices": [{"delta": None}]},
        chunk({"content": None, "tool_calls": None, "reasoning_content": None}),
        chunk({"tool_calls": [None]}),
        chunk({"content": 5}),
        "text",
        None,
        [],
    ],
)
def test_a_chunk_of_an_odd_shape_is_passed_over(odd: object) -> None:
    assert message(*said("Hello"), odd, STOP).text == "Hello"


def test_a_reply_without_a_finish_reason_is_no_message() -> None:
    found, events = replied(*said("Hel", "lo"))
    assert found is None
    assert shown(events) == "Hello"


@pytest.mark.parametrize(
    ("stated", "held"), [("stop", "tool_calls"), ("tool_calls", "tool_calls"), ("length", "length")]
)
def test_calls_count_whatever_the_finish_reason_says(stated: str, held: str) -> None:
    found = message(calling(), chunk(finish=stated))
    assert (len(found.calls), found.finish_reason) == (1, held)


@pytest.mark.parametrize("stated", ["tool_calls", "function_call", "stop"])
def test_a_finish_reason_that_promises_calls_makes_none(stated: str) -> None:
    found = message(*said("Hello"), chunk(finish=stated))
    assert (found.calls, found.finish_reason) == ((), "stop")


def test_a_call_cut_off_before_its_arguments_does_not_run_without_any() -> None:
    found = message(
        calling(), chunk({"tool_calls": [{"index": 1, "function": {"name": "g"}}]}), chunk(finish="length")
    )
    assert [(call.name, call.arguments) for call in found.calls] == [("f", "{}"), ("g", "{")]


def test_the_old_form_of_a_call_is_a_call() -> None:
    pieces = [{"name": "f", "arguments": '{"a"'}, {"arguments": ": 1}"}]
    found = message(*(chunk({"function_call": piece}) for piece in pieces), chunk(finish="function_call"))
    assert [(call.name, call.arguments) for call in found.calls] == [("f", '{"a": 1}')]


def test_a_whole_completion_is_read_like_a_stream() -> None:
    whole = {"choices": [{"message": {"content": "Hello"}, "finish_reason": "stop"}], "usage": USAGE}
    assert message(whole) == AssistantMessage("Hello", usage=Usage(7, 3, 5), model="m")


def test_text_in_parts_is_joined() -> None:
    parts = [{"type": "text", "text": "Hel"}, {"type": "image"}, {"type": "text", "text": "lo"}]
    assert message(chunk({"content": parts}), STOP).text == "Hello"


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_is_shown_apart_and_kept_under_its_field(field: str) -> None:
    found, events = replied(chunk({field: "Let me "}), chunk({field: "see."}), *said("Yes"), STOP)
    assert found is not None
    assert (found.text, found.replay) == ("Yes", {field: "Let me see."})
    assert (shown(events, ReasoningDelta), shown(events)) == ("Let me see.", "Yes")


@promise("MODEL-think")
def test_thinking_sent_as_text_is_shown_apart_and_not_kept_as_answer() -> None:
    found, events = replied(*said("<thi", "nk>Let me see.</th", "ink>\n\nYes"), STOP)
    assert found is not None
    assert (found.text, shown(events, ReasoningDelta), shown(events)) == ("Yes", "Let me see.", "Yes")


def test_reasoning_sent_in_two_fields_is_shown_once_and_kept_twice() -> None:
    found, events = replied(chunk({"reasoning": "Hm", "reasoning_content": "Hm"}), STOP)
    assert found is not None
    assert shown(events, ReasoningDelta) == "Hm"
    assert found.replay == {"reasoning": "Hm", "reasoning_content": "Hm"}


def test_reasoning_details_grow_by_part() -> None:
    parts = [
        {"type": "reasoning.text", "index": 0, "text": "Let me "},
        {"type": "reasoning.text", "index": 0, "text": "see.", "signature": "s1"},
        {"type": "reasoning.encrypted", "index": 1, "data": "abc"},
    ]
    found = message(*(chunk({"reasoning_details": [part]}) for part in parts), STOP)
    assert found.replay == {
        "reasoning_details": [
            {"type": "reasoning.text", "index": 0, "text": "Let me see.", "signature": "s1"},
            {"type": "reasoning.encrypted", "index": 1, "data": "abc"},
        ]
    }


@promise("MODEL-surrogates")
def test_an_emoji_cut_in_two_by_the_stream_is_one_character() -> None:
    found, events = replied(*said("a\ud83d", "\ude00b"), STOP)
    assert found is not None
    assert (found.text, shown(events)) == ("a\U0001f600b", "a\U0001f600b")


@promise("MODEL-surrogates")
@pytest.mark.parametrize("texts", [["a\ud83d"], ["a\ud83d", "b"], ["\ude00a"], ["\ud83d", "\ud83d\ude00"]])
def test_a_lone_half_becomes_the_replacement_character(texts: list[str]) -> None:
    found, events = replied(*said(*texts), STOP)
    assert found is not None
    assert "\ufffd" in found.text
    assert shown(events) == found.text
    found.text.encode()


def test_halves_in_arguments_are_joined_too() -> None:
    first, second = '{"a": "\ud83d', '\ude00"}'
    found = message(
        calling(arguments=first), chunk({"tool_calls": [{"index": 0, "function": {"arguments": second}}]}), STOP
    )
    assert json.loads(found.calls[0].arguments) == {"a": "\U0001f600"}


@given(st.text(alphabet="ab\U0001f600\ud83d\ude00", max_size=8), st.integers(1, 3))
def test_what_is_shown_is_what_is_kept(text: str, size: int) -> None:
    found, events = replied(*said(*(text[at : at + size] for at in range(0, len(text), size))), STOP)
    assert found is not None
    assert shown(events) == found.text
    found.text.encode()
