"""The client against real HTTP. Waits are recorded instead of slept."""

import anyio
import anyio.to_thread
import pytest

from hermes_lite.errors import ContextOverflowError, HermesError, ModelError, NoModelError
from hermes_lite.events import Event, RetryScheduled, TextDelta
from hermes_lite.messages import AssistantMessage, ToolCall, ToolMessage, Usage, UserMessage
from hermes_lite.model.client import ChatModel, ModelRequest
from hermes_lite.testing.model_server import Call, Calls, Cut, Gate, Page, Raw, ScriptedModel, Slow, Status, Text
from hermes_lite.testing.script import Recorded, Scripted, Step
from tests.model.talk import KEY, SETTINGS, TOOL, endpoint, talk
from tests.support.promises import promise

pytestmark = pytest.mark.anyio
SAID = Text("Hello there, friend.")


async def test_a_reply_streams_in_and_comes_back_whole() -> None:
    talked = await talk(Text("Hello \U0001f600 there", size=3, reasoning="Hm"))
    assert talked.reply == AssistantMessage(
        "Hello \U0001f600 there", replay={"reasoning_content": "Hm"}, usage=Usage(100, 10), model="scripted"
    )
    assert (talked.shown, talked.thought) == ("Hello \U0001f600 there", "Hm")
    assert len(talked.events) > 4


async def test_a_request_carries_prompt_messages_and_tools_as_given() -> None:
    talked = await talk(SAID, max_output_tokens=50)
    sent = talked.requests[0]
    assert sent.json == {
        "model": "scripted",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hello"}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "tools": [TOOL],
        "max_tokens": 50,
    }
    assert sent.headers["authorization"] == f"Bearer {KEY}"


async def test_without_tools_the_request_has_no_tool_array() -> None:
    assert "tools" not in (await talk(SAID, tools=())).requests[0].json


@pytest.mark.parametrize("numbering", ["rising", "zero", "none"])
async def test_calls_come_back_as_the_model_wrote_them(numbering: str) -> None:
    step = Calls((Call("look", {"a": 1}), Call("look", '{"b": broken')), numbering=numbering, size=4)  # type: ignore[arg-type]
    reply = (await talk(step)).reply
    assert [(call.name, call.arguments) for call in reply.calls] == [("look", '{"a": 1}'), ("look", '{"b": broken')]


async def test_ids_of_new_calls_differ_from_those_of_the_conversation() -> None:
    step = Calls((Call("look", id="call_0"),))
    past = (
        UserMessage("x"),
        AssistantMessage("", (ToolCall("call_0", "look", "{}"),)),
        ToolMessage("call_0", "look", ""),
    )
    assert (await talk(step, messages=past)).reply.calls[0].id not in ("", "call_0")


@promise("S-C1")
async def test_reasoning_is_sent_back_where_an_endpoint_insists_on_it() -> None:
    first = (await talk(Calls((Call("look"),), reasoning="I should look."))).reply

    def strict(request: Recorded) -> Step:
        has_it = any(message.get("reasoning_content") == "I should look." for message in request.messages)
        return SAID if has_it else Status(400, "missing reasoning_content")

    past = (UserMessage("x"), first, ToolMessage(first.calls[0].id, "look", "seen"))
    assert (await talk(strict, messages=past)).reply.text == SAID.text


@promise("S-C5")
async def test_a_refusal_for_now_is_announced_before_each_wait() -> None:
    talked = await talk(Status(429, "slow down"), Status(503), SAID)
    assert talked.reply.text == SAID.text
    assert talked.retries == [
        RetryScheduled("429 Too Many Requests", 0.5, 1),
        RetryScheduled("503 Service Unavailable", 1.0, 2),
    ]
    assert talked.slept == [0.5, 1.0]


@promise("S-C5")
async def test_a_wait_can_be_cancelled() -> None:
    announced: list[Event] = []
    with ScriptedModel(Status(429, headers={"retry-after": "50"})) as server, anyio.fail_after(20):
        model = ChatModel(endpoint(server.base_url), SETTINGS)
        async with anyio.create_task_group() as group:

            def cancel_at_the_wait(event: Event) -> None:
                announced.append(event)
                group.cancel_scope.cancel()

            await model.complete(ModelRequest("", (UserMessage("x"),)), cancel_at_the_wait)
        await model.aclose()
    assert announced == [RetryScheduled("429 Too Many Requests", 50.0, 1)]


@promise("S-C5")
async def test_waiting_ends_at_the_cap_of_all_waits() -> None:
    talked = await talk(*[Status(429, headers={"retry-after": "25"})] * 3)
    assert talked.slept == [25.0, 25.0]
    assert "429" in str(talked.error)


async def test_a_wait_longer_than_the_cap_is_not_begun() -> None:
    talked = await talk(Status(429, headers={"retry-after": "3600"}))
    assert talked.slept == []
    assert "3600" in talked.error.mend and "model.retry_cap_seconds" in talked.error.mend


@promise("S-C6")
@pytest.mark.parametrize(
    ("headers", "said", "delay"),
    [
        ({"retry-after": "7"}, "", 7.0),
        ({"retry-after": "0.25"}, "", 0.25),
        ({"retry-after-ms": "1500", "retry-after": "2"}, "", 1.5),
        ({}, "Please try again in 7.66s.", 7.66),
        ({}, "Rate limited, retry after 20ms", 0.02),
    ],
)
async def test_the_wait_is_the_one_that_the_endpoint_asks_for(
    headers: dict[str, str], said: str, delay: float
) -> None:
    talked = await talk(Status(429, said, headers), SAID)
    assert talked.slept == [pytest.approx(delay)]


async def test_refusals_end_in_an_error_after_the_last_retry() -> None:
    talked = await talk(*[Status(500, "boom")] * 4)
    assert str(talked.error).endswith("500 Internal Server Error: boom")
    assert type(talked.error) is ModelError and talked.error.mend


@pytest.mark.parametrize(
    "refusal", [Status(429, {"error": {"code": "insufficient_quota", "message": "no quota"}}), Status(402)]
)
async def test_a_lack_of_credit_is_not_waited_for(refusal: Status) -> None:
    talked = await talk(refusal)
    assert "payment" in str(talked.error)


@promise("MODEL-errors")
@pytest.mark.parametrize(
    ("steps", "kind", "words"),
    [
        pytest.param([Status(401, f"bad key {KEY}")], NoModelError, "refused the key", id="401"),
        pytest.param([Status(403, "no")], NoModelError, "refused access", id="403"),
        pytest.param(
            [Status(404, "The model `scripted` does not exist")], NoModelError, "no model", id="no such model"
        ),
        pytest.param([Status(404, "Not Found")], ModelError, "nothing answers chat requests", id="no such path"),
        pytest.param([Status(400, "odd request")], ModelError, "odd request", id="400"),
        pytest.param([Page("<html>login</html>")], ModelError, "text/html", id="a web page"),
        pytest.param([Page("hi", "")], ModelError, "something without a content type", id="no content type"),
        pytest.param([Page("[1", "application/json")] * 4, ModelError, "broke off", id="broken JSON"),
        pytest.param([Cut("headers")] * 4, ModelError, "disconnected", id="cut before the headers"),
        pytest.param([Cut("line")] * 4, ModelError, "broke off", id="cut in a line"),
        pytest.param([Cut("finish")] * 4, ModelError, "without a finish reason", id="cut before the finish reason"),
        pytest.param([Raw(("{bad",))] * 4, ModelError, "broke off", id="a chunk that is no JSON"),
        pytest.param([Raw((b"data: \xff\n\n",))] * 4, ModelError, "broke off", id="a chunk that is no UTF-8"),
        pytest.param([Raw(())] * 4, ModelError, "without a finish reason", id="an empty stream"),
        pytest.param([Text("", finish="content_filter")], ModelError, "filter", id="filtered"),
        pytest.param([Text("", finish="error")] * 4, ModelError, "finish reason 'error'", id="finish reason error"),
    ],
)
async def test_what_is_no_answer_is_one_clear_error_with_a_mend(
    steps: list[Scripted], kind: type[HermesError], words: str
) -> None:
    talked = await talk(*steps)
    assert type(talked.error) is kind
    assert words in str(talked.error)
    assert talked.error.mend
    assert "\n" not in str(talked.error)
    assert KEY not in str(talked.error) + talked.error.mend
    assert talked.shown == ""


async def test_an_endpoint_where_nobody_listens_is_reported_at_once() -> None:
    with ScriptedModel() as server:
        address = server.base_url
    model = ChatModel(endpoint(address), SETTINGS)
    with pytest.raises(ModelError, match=r"cannot reach 127\.0\.0\.1") as caught:
        await model.complete(ModelRequest("", (UserMessage("x"),)), lambda event: None)
    await model.aclose()
    assert "a test" in caught.value.mend


async def test_silence_ends_at_the_read_timeout() -> None:
    gate = Gate()
    talked = await talk(Slow(SAID, gate), timeout=0.05, max_retries=0)
    assert "sent nothing in time" in str(talked.error)


async def test_silence_in_the_middle_of_an_answer_ends_too() -> None:
    talked = await talk(Slow(SAID, Gate(), after=3), timeout=0.2, max_retries=0)
    assert "sent nothing in time" in str(talked.error)


@promise("MODEL-cut")
@pytest.mark.parametrize("at", ["line", "finish"])
async def test_what_was_shown_is_never_asked_for_again(at: str) -> None:
    talked = await talk(Cut(at, "Half an answ"))  # type: ignore[arg-type]
    assert talked.shown == "Half an answ"
    assert type(talked.error) is ModelError
    assert talked.retries == []


@promise("MODEL-cut")
async def test_what_was_cut_before_anything_was_shown_is_asked_for_again() -> None:
    talked = await talk(Cut("headers"), Cut("line"), Cut("finish"), SAID)
    assert talked.reply.text == SAID.text
    assert len(talked.retries) == 3


async def test_an_error_inside_the_stream_is_an_error() -> None:
    talked = await talk(*[Raw(({"error": {"message": "overloaded", "code": 529}},))] * 4)
    assert "529" in str(talked.error) and "overloaded" in str(talked.error)


async def test_an_answer_that_is_not_streamed_is_taken() -> None:
    body = '{"choices": [{"message": {"content": "Whole."}, "finish_reason": "stop"}]}'
    assert (await talk(Page(body, "application/json"))).reply.text == "Whole."


async def test_a_field_that_an_endpoint_does_not_know_is_left_out_from_then_on() -> None:
    refusal = Status(400, "Extra inputs are not permitted: stream_options")
    talked = await talk(refusal, SAID)
    assert talked.reply.text == SAID.text
    assert "stream_options" not in talked.requests[1].json


async def test_the_newer_name_of_the_output_limit_is_used_where_it_is_asked_for() -> None:
    refusal = Status(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
    talked = await talk(refusal, SAID, max_output_tokens=9)
    assert talked.requests[1].json["max_completion_tokens"] == 9
    assert "max_tokens" not in talked.requests[1].json


@promise("S-C9")
async def test_an_empty_answer_at_a_length_is_an_overflow_when_the_prompt_fills_the_window() -> None:
    full = await talk(Text("", finish="length", usage=(9900, 0)), context_length=10000)
    assert type(full.error) is ContextOverflowError


@promise("S-C9")
async def test_without_a_count_the_prompt_is_estimated() -> None:
    long = (UserMessage("word " * 4000),)
    full = await talk(Text("", finish="length", usage=None), messages=long, context_length=4096)
    assert type(full.error) is ContextOverflowError


async def test_an_empty_answer_at_a_length_with_room_left_spent_its_output() -> None:
    spent = await talk(Text("", finish="length", usage=(100, 4000)), context_length=100_000)
    assert type(spent.error) is ModelError
    assert "whole output" in str(spent.error)


async def test_cancelling_in_the_middle_of_an_answer_leaves_a_usable_client() -> None:
    gate = Gate()
    with ScriptedModel(Slow(SAID, gate, after=2), SAID) as server:
        model = ChatModel(endpoint(server.base_url), SETTINGS)
        request = ModelRequest("", (UserMessage("x"),))
        async with anyio.create_task_group() as group:

            def cancel_at_the_first_word(event: Event) -> None:
                if isinstance(event, TextDelta):
                    group.cancel_scope.cancel()

            await model.complete(request, cancel_at_the_first_word)
        gate.open()
        assert (await model.complete(request, lambda event: None)).text == SAID.text
        await model.aclose()
