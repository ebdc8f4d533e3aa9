"""Whole turns over the real wire: what the model is sent, what the person sees, how each turn ends."""

import resource
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from hermes_lite.agent import reminders
from hermes_lite.agent.request import Reply
from hermes_lite.agent.turn import Turn
from hermes_lite.approvals.gate import Answer, ApprovalRequest
from hermes_lite.errors import DeniedError, LimitError, ModelError, SessionError
from hermes_lite.events import CallEnded, CallProgress, CallStarted, ReplyEnded, TextDelta, TurnEnded
from hermes_lite.messages import AssistantMessage
from hermes_lite.sessions.repair import LOST
from hermes_lite.testing.model_server import Cut, ScriptedModel, Status, Text
from hermes_lite.testing.script import Call, Calls
from hermes_lite.tools.spec import ToolContext, ToolResult
from tests.agent.rig import DEFERRED, Rig, calls, notices, results, row
from tests.agent.validity import assert_valid
from tests.support.promises import promise

pytestmark = pytest.mark.anyio


async def test_a_turn_ends_once_with_the_answer_and_the_sum_of_its_requests(rig: Rig) -> None:
    with ScriptedModel(calls("look", n=1), Text("It is 1.")) as model:
        async with rig.open(model, rows=[row("look")]) as talk:
            ended = await talk.say()
    assert talk.heard(TurnEnded) == [ended]
    assert (ended.end, ended.text) == ("answered", "It is 1.")
    assert (ended.usage.input_tokens, ended.usage.output_tokens) == (200, 30)
    assert results(model.requests[1]) == {"call_look_0": '{"n": 1}'}


@promise("T-A10", "T-A12")
async def test_a_deferred_tool_called_by_its_own_name_runs(rig: Rig) -> None:
    with ScriptedModel(calls("far_tool", n=1), Text("done")) as model:
        async with rig.open(model, rows=[row("far_tool", source=DEFERRED)]) as talk:
            ended = await talk.say()
    assert "far_tool" not in [tool["function"]["name"] for tool in model.requests[0].tools]
    assert (ended.end, talk.outcomes()) == ("answered", [("far_tool", "ok")])


async def test_an_unknown_tool_is_a_result_and_not_the_end(rig: Rig) -> None:
    with ScriptedModel(calls("no_such_tool"), calls("look"), Text("found")) as model:
        async with rig.open(model, rows=[row("look")]) as talk:
            ended = await talk.say()
    assert talk.outcomes() == [("no_such_tool", "refused"), ("look", "ok")]
    assert (ended.end, ended.text) == ("answered", "found")


@promise("T-A02")
async def test_an_empty_reply_is_asked_for_once_more_and_then_fails_with_a_message(rig: Rig) -> None:
    silence = Text("", reasoning="I should use a tool")
    with ScriptedModel(silence, silence) as model:
        async with rig.open(model) as talk:
            ended = await talk.say()
    assert reminders.EMPTY_REPLY in notices(model.requests[1])[0]
    assert (ended.end, "gave no answer" in ended.text) == ("failed", True)
    assert_valid(model.requests[1].messages)


@promise("LOOP-1")
async def test_an_empty_answer_after_a_tool_shows_the_last_result(rig: Rig) -> None:
    with ScriptedModel(calls("look", n=7), Text(""), Text("")) as model:
        async with rig.open(model, rows=[row("look")]) as talk:
            ended = await talk.say()
    assert (ended.end, ended.text) == ("answered", '{"n": 7}')


@promise("LOOP-2")
async def test_prose_after_a_refused_call_is_nudged_once_a_turn(rig: Rig) -> None:
    required = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    with ScriptedModel(calls("look"), Text("All done!"), Text("It was not done.")) as model:
        async with rig.open(model, rows=[row("look", parameters=required)]) as talk:
            ended = await talk.say()
    assert results(model.requests[1])["call_look_0"].startswith("NOT RUN")
    assert reminders.NOT_RUN in notices(model.requests[2])[0]
    assert (ended.end, ended.text) == ("answered", "It was not done.")


@promise("S-C4")
async def test_a_call_begun_as_text_is_shown_not_run_and_nudged_once(rig: Rig) -> None:
    begun = '<tool_call>{"name": "look", "arguments": {"n"'
    with ScriptedModel(Text(begun), Text(begun)) as model:
        async with rig.open(model, rows=[row("look")]) as talk:
            ended = await talk.say()
    assert (talk.started(), ended.text) == ([], begun)
    assert "".join(event.text for event in talk.heard(TextDelta)) == begun * 2
    assert reminders.UNFINISHED_CALL in notices(model.requests[1])[0]


def test_a_tag_in_an_answer_about_tags_is_no_call() -> None:
    answer = AssistantMessage("Write <tool_call>...</tool_call> around it.")
    assert reminders.reminder(Turn(1), Reply(answer, ())) is None


@promise("LOOP-3")
async def test_a_printed_call_is_run_and_never_shown_as_text(rig: Rig) -> None:
    printed = '```json\n{"name": "look", "arguments": {"n": 3}}\n```'
    with ScriptedModel(Text(printed), Text("three")) as model:
        async with rig.open(model, rows=[row("look")]) as talk:
            await talk.say()
    assert talk.outcomes() == [("look", "ok")]
    assert "".join(event.text for event in talk.heard(TextDelta)) == "three"
    assert_valid(model.requests[1].messages)


@promise("LOOP-3")
async def test_the_same_printed_call_in_two_replies_gets_two_ids(rig: Rig) -> None:
    printed = Text('{"name": "look", "arguments": {"n": 3}}')
    with ScriptedModel(printed, printed, Text("three")) as model:
        async with rig.open(model, rows=[row("look")]) as talk:
            await talk.say()
    assert len(results(model.requests[2])) == 2
    assert_valid(model.requests[2].messages)


async def test_printed_calls_are_left_alone_when_switched_off(rig: Rig) -> None:
    printed = '{"name": "look", "arguments": {"n": 3}}'
    with ScriptedModel(Text(printed)) as model:
        async with rig.open(model, config={"model": {"text_tool_calls": "off"}}, rows=[row("look")]) as talk:
            ended = await talk.say()
    assert (ended.text, talk.started()) == (printed, [])


@promise("LOOP-4")
async def test_an_answer_that_only_looks_like_a_call_streams_on_as_soon_as_it_cannot_be_one(rig: Rig) -> None:
    with ScriptedModel(Text("`x` is a name. [A link](y) is none.", size=3)) as model:
        async with rig.open(model) as talk:
            await talk.say()
    assert len(talk.heard(TextDelta)) > 5


@promise("LOOP-5")
async def test_results_stand_in_call_order_and_show_as_they_come(rig: Rig) -> None:
    fast_done = anyio.Event()

    async def slow(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        await fast_done.wait()
        return ToolResult("slow")

    async def fast(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        fast_done.set()
        return ToolResult("fast")

    with ScriptedModel(calls("slow", "fast"), Text("done")) as model:
        async with rig.open(model, rows=[row("slow", slow), row("fast", fast)]) as talk:
            await talk.say()
    assert talk.outcomes() == [("fast", "ok"), ("slow", "ok")]
    assert list(results(model.requests[1]).values()) == ["slow", "fast"]


@promise("LOOP-6")
async def test_no_more_calls_run_side_by_side_than_allowed(rig: Rig) -> None:
    running: list[int] = []
    most = 0

    async def busy(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        nonlocal most
        running.append(1)
        most = max(most, len(running))
        for _ in range(5):
            await anyio.lowlevel.checkpoint()
        running.pop()
        return ToolResult("ok")

    batch = Calls(tuple(Call("busy", {"n": n}, f"call_{n}") for n in range(9)))
    with ScriptedModel(batch, Text("done")) as model:
        async with rig.open(model, config={"agent": {"parallel_limit": 3}}, rows=[row("busy", busy)]) as talk:
            await talk.say()
    assert (most, len(talk.outcomes())) == (3, 9)


@promise("LOOP-7")
async def test_whatever_a_tool_raises_is_its_result(rig: Rig) -> None:
    async def broken(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        raise TimeoutError("not ours")

    with ScriptedModel(calls("broken"), Text("it failed")) as model:
        async with rig.open(model, rows=[row("broken", broken)]) as talk:
            ended = await talk.say()
    assert results(model.requests[1])["call_broken_0"] == "broken failed: TimeoutError: not ours"
    assert (ended.end, talk.outcomes()) == ("answered", [("broken", "error")])


async def test_a_tool_that_hangs_is_stopped_and_said_so(rig: Rig) -> None:
    async def hang(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        await anyio.sleep_forever()
        raise AssertionError

    with ScriptedModel(calls("hang"), Text("it hangs")) as model:
        async with rig.open(model, rows=[row("hang", hang)]) as talk:
            talk.runtime.agent.desk = replace(talk.runtime.agent.desk, timeout=0.01)
            await talk.say()
    assert "agent.tool_timeout" in results(model.requests[1])["call_hang_0"]


@promise("LOOP-8")
async def test_a_model_error_keeps_the_words_so_that_the_person_can_go_on(rig: Rig) -> None:
    with ScriptedModel(Status(400, "odd request"), Text("now it works")) as model:
        async with rig.open(model) as talk:
            failed = await talk.say("do it")
            failure = talk.runtime.failure
            again = await talk.say("continue")
    assert (failed.end, "odd request" in failed.text) == ("failed", True)
    assert isinstance(failure, ModelError)
    assert [m["content"] for m in model.requests[1].messages[1:]] == ["do it", "continue"]
    assert (again.end, talk.runtime.failure) == ("answered", None)
    assert len(talk.heard(TurnEnded)) == 2


@promise("LOOP-8")
async def test_what_a_failed_reply_had_said_stays_in_the_conversation(rig: Rig) -> None:
    with ScriptedModel(Cut("line", text="The first half "), Text("and the second.")) as model:
        async with rig.open(model) as talk:
            failed = await talk.say("tell me")
            await talk.say("continue")
    assert failed.end == "failed"
    assert [m["content"] for m in model.requests[1].messages[1:]] == ["tell me", "The first half ", "continue"]


@promise("LOOP-9")
async def test_the_step_limit_ends_a_turn_that_never_would(rig: Rig) -> None:
    steps = [calls("look", n=n) for n in range(3)]
    with ScriptedModel(*steps, Text("now I answer")) as model:
        async with rig.open(model, config={"agent": {"max_steps": 3}}, rows=[row("look")]) as talk:
            ended = await talk.say()
            again = await talk.say("continue")
    assert (ended.end, "agent.max_steps" in ended.text) == ("limit", True)
    assert (again.end, again.text) == ("answered", "now I answer")
    assert_valid(model.requests[3].messages)


async def test_a_blocked_prompt_is_not_sent_and_denied(rig: Rig) -> None:
    config = {"agent": {"hooks": {"user_prompt": ["echo 'not today' >&2; exit 2"]}}}
    with ScriptedModel() as model:
        async with rig.open(model, config=config) as talk:
            ended = await talk.say("hello")
            assert isinstance(talk.runtime.failure, DeniedError)
    assert (ended.end, "not today" in ended.text, talk.messages) == ("denied", True, ())


async def test_a_sink_that_raises_does_not_end_the_turn(rig: Rig) -> None:
    def broken(event: object) -> None:
        raise RuntimeError("the screen is gone")

    with ScriptedModel(Text("still here")) as model:
        async with rig.open(model) as talk:
            ended = await talk.runtime.run_turn("go", broken)
    assert ended.text == "still here"


@promise("T-I06")
async def test_the_numbers_of_each_turn_are_kept_and_exported(rig: Rig) -> None:
    with ScriptedModel(calls("far_tool"), Text("one"), Text("two")) as model:
        async with rig.open(model, rows=[row("far_tool", source=DEFERRED)]) as talk:
            await talk.say()
            await talk.say()
            cost = talk.runtime.cost()
            exported = talk.runtime.export(rig.project / "out.jsonl").read_text(encoding="utf-8")
    first, second = rig.activities()
    assert (first["turn"], first["end"], first["requests"], first["calls"]) == (1, "answered", 2, {"ok": 1})
    assert first["usage"] == {"input_tokens": 200, "output_tokens": 30, "cached_tokens": None}
    assert (first["assembly"]["tier"], first["assembly"]["deferred"] > 0) == (1, True)
    assert second["requests"] == 1
    assert (cost.requests, cost.input_tokens, cost.output_tokens) == (3, 300, 40)
    assert exported.count('"listing_budget"') == 2


async def test_a_reply_is_told_with_real_names_only(rig: Rig) -> None:
    wrapped = Calls((Call("tool_call", {"calls": [{"name": "far_tool", "arguments": {"n": 1}}]}, "call_1"),))
    with ScriptedModel(wrapped, Text("done")) as model:
        async with rig.open(model, rows=[row("far_tool", source=DEFERRED)]) as talk:
            await talk.say()
    (reply, _) = talk.heard(ReplyEnded)
    assert [(call.name, call.via) for call in reply.message.calls] == [("far_tool", "bridge")]
    assert [event.via for event in talk.heard(CallEnded)] == ["bridge"]


@promise("S-C1")
async def test_reasoning_goes_back_with_the_calls_it_led_to(rig: Rig) -> None:
    thinking = Calls((Call("look", {"n": 1}, "call_1"),), reasoning="I must look.")
    with ScriptedModel(thinking, Text("done")) as model:
        async with rig.open(model, rows=[row("look")]) as talk:
            await talk.say()
    assert model.requests[1].messages[-2]["reasoning_content"] == "I must look."


@promise("LOOP-13")
async def test_a_full_disk_fails_the_turn_and_the_next_one_goes_on_from_a_valid_history(rig: Rig) -> None:
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)

    async def fill(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1, unlimited[1]))
        return ToolResult("filled")

    with ScriptedModel(calls("fill"), Text("fine")) as model:
        async with rig.open(model, rows=[row("fill", fill)]) as talk:
            try:
                failed = await talk.say("first")
                failure = talk.runtime.failure
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
            again = await talk.say("second")
    assert isinstance(failure, SessionError)
    assert (failed.end, again.end) == ("failed", "answered")
    assert talk.heard(TurnEnded) == [failed, again]
    assert results(model.requests[1]) == {"call_fill_0": LOST}
    assert_valid(model.requests[1].messages)


@promise("LOOP-13")
async def test_a_fault_of_ours_ends_the_turn_once_and_leaves_a_valid_history(rig: Rig) -> None:
    async def broken(request: ApprovalRequest) -> Answer:
        raise RuntimeError("the screen broke")

    rows = [row("change", risk="write", tier="gated")]
    with ScriptedModel(calls("change"), Text("fine")) as model:
        async with rig.open(model, rows=rows, approve=broken) as talk:
            with pytest.raises(ExceptionGroup):
                await talk.say("first")
            await talk.say("second")
    assert [event.end for event in talk.heard(TurnEnded)] == ["failed", "answered"]
    assert_valid(model.requests[1].messages)


@promise("LOOP-10")
async def test_secrets_are_told_to_nobody(rig: Rig) -> None:
    async def leak(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        context.sink(CallProgress(context.call_id, "half way to sk-secret-value-1"))
        raise RuntimeError('the key is sk-secret-value-1 and the token "to\\"ken-22"')

    environ = {"GITHUB_TOKEN": 'to"ken-22'}
    said = Calls((Call("leak", {"header": "Bearer sk-secret-value-1"}, "call_1"),))
    with ScriptedModel(said, Text("done")) as model:
        async with rig.open(model, environ=environ, key="sk-secret-value-1", rows=[row("leak", leak)]) as talk:
            await talk.say()
    shown = [event for event in talk.events if isinstance(event, CallStarted | CallProgress | CallEnded)]
    assert len(shown) == 3
    assert "secret-value" not in str(shown) + str(results(model.requests[1]))
    assert "ken-22" not in results(model.requests[1])["call_1"]


@promise("S-C10")
async def test_a_huge_result_is_cut_with_the_whole_kept_in_a_file(rig: Rig) -> None:
    async def huge(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        return ToolResult("x" * 900_000 + " the end")

    with ScriptedModel(calls("huge"), Text("done")) as model:
        async with rig.open(model, rows=[row("huge", huge)]) as talk:
            ended = await talk.say()
    text = results(model.requests[1])["call_huge_0"]
    assert (ended.end, len(text) < 51_000, text.endswith("the end")) == ("answered", True, True)
    file = text.split("the whole is in ")[1].split(" ...]")[0]
    assert len(Path(file).read_bytes()) == 900_008


async def test_an_overflow_with_nothing_to_shorten_says_so_and_is_a_limit(rig: Rig) -> None:
    with ScriptedModel(Status(400, "maximum context length is 4096 tokens")) as model:
        async with rig.open(model) as talk:
            ended = await talk.say("far too long")
            assert isinstance(talk.runtime.failure, LimitError)
    assert (ended.end, "/new" in ended.text) == ("limit", True)
    assert [m.text for m in talk.messages] == ["far too long"]


@promise("LOOP-14")
@pytest.mark.parametrize(("finish", "why"), [("length", "`continue`"), ("content_filter", "content filter")])
async def test_an_answer_that_was_cut_off_is_said_to_be(rig: Rig, finish: str, why: str) -> None:
    with ScriptedModel(Text("Half an ans", finish=finish)) as model:
        async with rig.open(model) as talk:
            ended = await talk.say()
    assert (ended.end, ended.text) == ("answered", "Half an ans")
    assert [why in text for text in talk.notices()] == [True]


@promise("LOOP-15")
async def test_another_model_takes_over_with_the_conversation_and_what_was_granted(rig: Rig) -> None:
    asked: list[ApprovalRequest] = []

    async def approve(request: ApprovalRequest) -> Answer:
        asked.append(request)
        return Answer("session")

    thinking = Calls((Call("change", {"n": 1}, "call_1"),), reasoning="Thoughts of one model.")
    steps = [thinking, Text("one"), calls("change", n=2), Text("two")]
    starts = {"agent": {"hooks": {"session_start": ["echo x >> started"]}}}
    with ScriptedModel(*steps) as model:
        rows = [row("change", risk="write", tier="gated")]
        async with rig.open(model, config=starts, rows=rows, approve=approve) as talk:
            await talk.say("first")
            await talk.runtime.switch_model("another")
            await talk.say("second")
    assert [request.json["model"] for request in model.requests] == ["scripted", "scripted", "another", "another"]
    assert [message["content"] for message in model.requests[2].messages if message["role"] == "user"] == [
        "first",
        "second",
    ]
    assert "Thoughts of one model." not in model.requests[2].body.decode()
    assert (len(asked), talk.outcomes()) == (1, [("change", "ok")] * 2)
    assert (rig.project / "started").read_text(encoding="utf-8") == "x\n"
    assert_valid(model.requests[3].messages)
