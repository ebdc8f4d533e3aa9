import json

from hypothesis import given
from hypothesis import strategies as st

from hermes_lite.messages import AssistantMessage, Message, NoticeMessage, ToolCall, ToolMessage, UserMessage
from hermes_lite.model.wire import to_wire
from tests.support.promises import promise

CALLING = AssistantMessage(
    "", (ToolCall("a", "read", '{"p":  1}', via="bridge"),), {"reasoning_content": "hm"}, model="m"
)
CONVERSATION: tuple[Message, ...] = (
    UserMessage("Look"),
    CALLING,
    ToolMessage("a", "read", "text"),
    NoticeMessage("github is ready"),
    AssistantMessage("Done", model="m"),
)


def test_every_record_becomes_one_message_of_its_role() -> None:
    wire = to_wire("Be brief.", CONVERSATION)
    assert [message["role"] for message in wire] == ["system", "user", "assistant", "tool", "user", "assistant"]
    assert wire[3] == {"role": "tool", "tool_call_id": "a", "content": "text"}
    assert wire[4]["content"] == "<shell-notice>github is ready</shell-notice>"


def test_without_a_system_prompt_there_is_no_system_message() -> None:
    assert to_wire("", [UserMessage("x")]) == [{"role": "user", "content": "x"}]


@promise("S-B12")
@given(st.text())
def test_arguments_go_back_byte_for_byte(arguments: str) -> None:
    call = ToolCall("a", "read", arguments)
    (wire,) = to_wire("", [AssistantMessage("", (call,))])
    assert wire["tool_calls"] == [
        {"id": "a", "type": "function", "function": {"name": "read", "arguments": arguments}}
    ]


def test_a_reply_of_calls_alone_has_no_content() -> None:
    silent, speaking = to_wire("", [CALLING, AssistantMessage("I look", CALLING.calls)])
    assert silent["content"] is None
    assert speaking["content"] == "I look"


@promise("S-C1")
def test_reasoning_goes_back_with_calls_to_the_model_that_wrote_it() -> None:
    (own,) = to_wire("", [CALLING], model="m")
    (foreign,) = to_wire("", [CALLING], model="other")
    assert own["reasoning_content"] == "hm"
    assert "reasoning_content" not in foreign


def test_reasoning_does_not_go_back_with_a_plain_answer() -> None:
    assert to_wire("", [AssistantMessage("Hi", replay={"reasoning_content": "hm"})]) == [
        {"role": "assistant", "content": "Hi"}
    ]


@promise("MODEL-prefix")
@given(st.integers(0, len(CONVERSATION)))
def test_a_longer_conversation_begins_with_the_bytes_of_the_shorter(length: int) -> None:
    whole = to_wire("s", CONVERSATION, model="m")
    part = to_wire("s", CONVERSATION[:length], model="m")
    assert json.dumps(whole[: len(part)]) == json.dumps(part)


@promise("MODEL-surrogates")
def test_no_lone_surrogate_is_sent() -> None:
    bad = "\ud800"
    call = ToolCall("a", "read", f'{{"p":"{bad}"}}')
    records = [UserMessage(bad), NoticeMessage(bad), AssistantMessage(bad, (call,)), ToolMessage("a", "read", bad)]
    json.dumps(to_wire(bad, records), ensure_ascii=False).encode()
