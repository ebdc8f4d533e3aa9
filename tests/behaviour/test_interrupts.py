"""Wherever a turn is stopped, the conversation can go on: every call answered once, the next request valid."""

import itertools
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from hermes_lite.agent.calls import CUT_SHORT
from hermes_lite.agent.conversation import NEVER_STARTED
from hermes_lite.approvals.gate import Answer, ApprovalRequest
from hermes_lite.events import (
    CallEnded,
    CallStarted,
    Event,
    RetryScheduled,
    TextDelta,
    TurnEnded,
)
from hermes_lite.messages import ToolMessage
from hermes_lite.model.wire import to_wire
from hermes_lite.testing.model_server import Gate, ScriptedModel, Slow, Status, Text
from hermes_lite.testing.script import Call, Calls, Recorded, Scripted, Step
from hermes_lite.tools.spec import Question, ToolContext, ToolResult
from tests.agent.rig import BOUND, DEFERRED, Rig, Talk, calls, results, row
from tests.agent.validity import assert_valid
from tests.support.promises import promise

pytestmark = pytest.mark.anyio

POINTS = 500


async def stop_when(talk: Talk, moment: Callable[[Event], bool]) -> None:
    """Run one turn and stop it at the first event that is the `moment`."""
    with anyio.fail_after(BOUND), anyio.CancelScope() as scope:

        def sink(event: Event) -> None:
            talk.events.append(event)
            if moment(event):
                scope.cancel()

        await talk.runtime.run_turn("go", sink)
    assert scope.cancelled_caught
    (ended,) = talk.heard(TurnEnded)
    assert (ended.end, talk.events[-1]) == ("interrupted", ended)


async def stop_in(talk: Talk, waiting: Callable[[], Any]) -> None:
    """Run one turn and stop it as soon as `waiting()` has come back."""
    with anyio.fail_after(BOUND):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(talk.say)
            await waiting()
            tasks.cancel_scope.cancel()
    (ended,) = talk.heard(TurnEnded)
    assert (ended.end, talk.events[-1]) == ("interrupted", ended)


async def go_on(talk: Talk, model: ScriptedModel) -> Recorded:
    """The request of another turn, which must be valid."""
    ended = await talk.say("go on")
    assert (ended.end, ended.text) == ("answered", "fine")
    assert_valid(model.requests[-1].messages)
    return model.requests[-1]


async def hang(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
    await anyio.sleep_forever()
    raise AssertionError


def is_start(name: str) -> Callable[[Event], bool]:
    return lambda event: isinstance(event, CallStarted) and event.name == name


@promise("S-A9")
@pytest.mark.parametrize("chunk", range(1, 7))
async def test_while_streaming_the_partial_text_stays_and_the_end_comes_after_it(rig: Rig, chunk: int) -> None:
    gate = Gate()
    answer = Slow(Text("One two three four five six seven.", size=6), gate, after=chunk + 1)
    with ScriptedModel(answer, Text("fine")) as model:
        async with rig.open(model) as talk:
            shown = itertools.count(1)
            await stop_when(talk, lambda event: isinstance(event, TextDelta) and next(shown) == chunk)
            gate.open()
            said = "".join(event.text for event in talk.heard(TextDelta))
            request = await go_on(talk, model)
    assert [m["content"] for m in request.messages[1:]] == ["go", said, "go on"]


async def test_before_the_first_word_nothing_but_the_words_of_the_person_is_kept(rig: Rig) -> None:
    gate = Gate()
    with ScriptedModel(Slow(Text("never"), gate), Text("fine")) as model:
        async with rig.open(model) as talk:
            await stop_in(talk, lambda: anyio.to_thread.run_sync(gate.wait_reached))
            gate.open()
            request = await go_on(talk, model)
    assert [m["content"] for m in request.messages[1:]] == ["go", "go on"]


async def test_text_that_was_held_back_and_not_shown_is_not_kept(rig: Rig) -> None:
    gate = Gate()
    with ScriptedModel(Slow(Text('{"name": "look"', size=4), gate, after=4), Text("fine")) as model:
        async with rig.open(model) as talk:
            await stop_in(talk, lambda: anyio.to_thread.run_sync(gate.wait_reached))
            gate.open()
            request = await go_on(talk, model)
    assert [m["content"] for m in request.messages[1:]] == ["go", "go on"]


@promise("T-H09")
async def test_between_the_entries_of_a_batch_the_done_stay_done_and_the_rest_never_ran(rig: Rig) -> None:
    entries = [{"name": name, "arguments": {}} for name in ("first", "second", "third")]
    batch = Calls((Call("tool_call", {"calls": entries}, "call_batch"),))
    rows = [
        row("first", source=DEFERRED, parallel="never"),
        row("second", hang, source=DEFERRED, parallel="never"),
        row("third", source=DEFERRED, parallel="never"),
    ]
    with ScriptedModel(batch, Text("fine")) as model:
        async with rig.open(model, rows=rows) as talk:
            await stop_when(talk, is_start("second"))
            request = await go_on(talk, model)
    assert list(results(request).values()) == ["{}", NEVER_STARTED, NEVER_STARTED]
    assert talk.outcomes() == [("first", "ok"), ("second", "interrupted")]


async def test_inside_a_tool_its_outcome_is_unknown(rig: Rig) -> None:
    reached = anyio.Event()

    async def slow(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        reached.set()
        return await hang(arguments, context)

    with ScriptedModel(calls("slow", "look"), Text("fine")) as model:
        async with rig.open(model, rows=[row("slow", slow), row("look")]) as talk:
            await stop_in(talk, reached.wait)
            request = await go_on(talk, model)
    assert list(results(request).values()) == [CUT_SHORT, "{}"]
    assert talk.outcomes() == [("look", "ok"), ("slow", "interrupted")]


async def test_an_open_question_is_withdrawn_and_its_call_never_ran(rig: Rig) -> None:
    asked = anyio.Event()

    async def approve(request: ApprovalRequest) -> Answer:
        asked.set()
        await anyio.sleep_forever()
        raise AssertionError

    with ScriptedModel(calls("change"), Text("fine")) as model:
        async with rig.open(model, rows=[row("change", risk="write", tier="gated")], approve=approve) as talk:
            await stop_in(talk, asked.wait)
            request = await go_on(talk, model)
    assert results(request) == {"call_change_0": NEVER_STARTED}


async def test_a_question_of_the_model_is_withdrawn(rig: Rig) -> None:
    asked = anyio.Event()

    async def ask(question: Question) -> str | None:
        asked.set()
        await anyio.sleep_forever()
        return None

    with ScriptedModel(Calls((Call("clarify", {"question": "Which?"}, "call_1"),)), Text("fine")) as model:
        async with rig.open(model, ask=ask) as talk:
            await stop_in(talk, asked.wait)
            request = await go_on(talk, model)
    assert results(request) == {"call_1": CUT_SHORT}


@promise("S-F14")
async def test_in_a_command_all_that_it_started_is_ended(rig: Rig) -> None:
    command = "sleep 6113 & echo $$ > started; sleep 6113"
    config = {"agent": {"approvals": {"allow": ["terminal"]}}}
    with ScriptedModel(Calls((Call("terminal", {"command": command}, "call_1"),)), Text("fine")) as model:
        async with rig.open(model, config=config) as talk:
            await stop_in(talk, lambda: talk.until((rig.project / "started").exists))
            await talk.until(lambda: not running("6113"))
            request = await go_on(talk, model)
    assert results(request) == {"call_1": CUT_SHORT}


async def test_in_a_hook_before_a_call_the_hook_is_ended_and_the_call_never_ran(rig: Rig) -> None:
    hooks = {"pre_tool_call": ["touch hooked; sleep 6114"]}
    with ScriptedModel(calls("look"), Text("fine")) as model:
        async with rig.open(model, rows=[row("look")], config={"agent": {"hooks": hooks}}) as talk:
            await stop_in(talk, lambda: talk.until((rig.project / "hooked").exists))
            await talk.until(lambda: not running("6114"))
            request = await go_on(talk, model)
    assert results(request) == {"call_look_0": NEVER_STARTED}


@promise("LOOP-11")
async def test_in_a_hook_after_a_call_the_result_stays(rig: Rig) -> None:
    hooks = {"post_tool_call": ["touch hooked; sleep 6115"]}
    with ScriptedModel(calls("look", n=1), Text("fine")) as model:
        async with rig.open(model, rows=[row("look")], config={"agent": {"hooks": hooks}}) as talk:
            await stop_in(talk, lambda: talk.until((rig.project / "hooked").exists))
            request = await go_on(talk, model)
    assert results(request) == {"call_look_0": '{"n": 1}'}
    assert talk.outcomes() == [("look", "ok")]


@promise("S-C5")
async def test_the_wait_before_a_retry_ends_at_once(rig: Rig) -> None:
    busy = Status(429, "busy", {"retry-after": "60"})
    with ScriptedModel(busy, Text("fine")) as model:
        async with rig.open(model, config={"model": {"retry_cap_seconds": 100}}) as talk:
            await stop_when(talk, lambda event: isinstance(event, RetryScheduled))
            request = await go_on(talk, model)
    assert [m["content"] for m in request.messages[1:]] == ["go", "go on"]


async def test_while_servers_are_awaited_nothing_was_sent(rig: Rig) -> None:
    received = rig.project / "received"
    servers = {"late": rig.server("late", silent=["initialize"], record=str(received))}
    with ScriptedModel(Text("fine")) as model:
        async with rig.open(model, config={"mcp_servers": servers, "mcp": {"stop_grace": 0.1}}, wait=60) as talk:
            await stop_in(talk, lambda: talk.until(received.exists))
            request = await go_on(talk, model)
    assert [m["content"] for m in request.messages[1:]] == ["go on"]


async def test_a_call_of_a_server_is_cancelled_and_the_server_stays_usable(rig: Rig) -> None:
    script = {"tools": [tool("slow"), tool("quick")], "delays": {"call:slow": 60}}
    config = {
        "mcp_servers": {"box": rig.server("box", **script)},
        "agent": {"approvals": {"allow": ["mcp__box__*"]}},
    }
    with ScriptedModel(calls("mcp__box__slow"), calls("mcp__box__quick"), Text("fine")) as model:
        async with rig.open(model, config=config) as talk:
            await stop_when(talk, is_start("mcp__box__slow"))
            request = await go_on(talk, model)
    assert talk.outcomes()[-1] == ("mcp__box__quick", "ok")
    assert results(request)["call_mcp__box__slow_0"].startswith("INTERRUPTED")


async def test_in_compaction_nothing_is_replaced(rig: Rig) -> None:
    gate = Gate()
    full = Status(400, "maximum context length exceeded")
    with ScriptedModel(Text("one"), Text("two"), full, Slow(Text("a summary"), gate), Text("fine")) as model:
        async with rig.open(model) as talk:
            await talk.say("first words")
            await talk.say("second words")
            talk.events.clear()
            await stop_in(talk, lambda: anyio.to_thread.run_sync(gate.wait_reached))
            gate.open()
            request = await go_on(talk, model)
    said = [m["content"] for m in request.messages[1:]]
    assert said == ["first words", "one", "second words", "two", "go", "go on"]


@promise("S-F15", "LOOP-12")
@pytest.mark.timeout(180)
async def test_500_random_points_of_a_session_with_12_calls_leave_a_valid_history(rig: Rig) -> None:
    fuse = Fuse()
    model = ScriptedModel(*endless(twelve_calls))
    with_hooks = {"approvals": {"allow": ["terminal"]}}
    model.__enter__()
    try:
        async with rig.open(model, rows=fuse.rows(), config={"agent": with_hooks}, approve=fuse.approve) as talk:
            whole = await fuse.run(talk, stop_at=10_000, checkpoints=0)
            assert sorted(Counter(kind for _, kind in talk.outcomes()).items()) == [("ok", 11), ("refused", 1)]
            draw = random.Random(20_260_101)
            for _ in range(POINTS):
                await fuse.run(talk, stop_at=draw.randint(1, whole), checkpoints=draw.randrange(4))
                check(talk, fuse)
                await talk.say("quickly")
                assert_valid(next(r for r in reversed(model.requests) if b"quickly" in r.body).messages)
        assert not running("0.00613")
    finally:
        model.close()


class Fuse:
    """Stops a turn at its n-th tick. Events, questions and the insides of tools tick."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self._left = 0
        self._checkpoints = 0
        self._ticks = 0
        self._tasks: Any = None

    async def run(self, talk: Talk, *, stop_at: int, checkpoints: int) -> int:
        """One turn in a session of its own, stopped some `checkpoints` after the tick `stop_at`; ticks there were."""
        await talk.runtime.new_session()
        talk.events.clear()
        self.ran.clear()
        self._ticks, self._left, self._checkpoints = 0, stop_at, checkpoints

        def sink(event: Event) -> None:
            talk.events.append(event)
            self.tick()

        with anyio.fail_after(BOUND):
            async with anyio.create_task_group() as self._tasks:
                await talk.runtime.run_turn("go", sink)
                self._tasks.cancel_scope.cancel()
        return self._ticks

    def tick(self) -> None:
        self._ticks += 1
        if self._ticks == self._left:
            self._tasks.start_soon(self._stop)

    async def _stop(self) -> None:
        for _ in range(self._checkpoints):
            await anyio.lowlevel.checkpoint()
        self._tasks.cancel_scope.cancel()

    async def approve(self, request: ApprovalRequest) -> Answer:
        self.tick()
        await anyio.lowlevel.checkpoint()
        return Answer("once")

    async def work(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        self.ran.append(context.call_id)
        for _ in range(3):
            self.tick()
            await anyio.lowlevel.checkpoint()
        return ToolResult("worked")

    def rows(self) -> list[Any]:
        return [
            row("look", self.work),
            row("change", self.work, risk="write", tier="gated", parallel="never", idempotent=False),
            row("far_tool", self.work, source=DEFERRED),
        ]


def twelve_calls(request: Recorded) -> Step:
    """The next reply of the script, by what the conversation holds since the person spoke."""
    if not request.body:
        return Text("the request was cut off while it was sent")
    since = list(itertools.takewhile(lambda m: m["role"] != "user", reversed(request.messages)))
    words = request.messages[-len(since) - 1]["content"]
    done = sum(1 for message in since if message["role"] == "assistant")
    return TWELVE[done] if words == "go" and done < len(TWELVE) else Text("fine, at last")


def made(reply: int, *entries: tuple[str, dict[str, Any]]) -> Calls:
    return Calls(
        tuple(Call(name, given, f"call_{reply}_{n}") for n, (name, given) in enumerate(entries)), text="Let me see."
    )


BATCH = {"calls": [{"name": "far_tool", "arguments": {"n": n}} for n in range(3)]}
TWELVE: tuple[Step, ...] = (
    made(1, ("look", {"n": 1}), ("look", {"n": 2}), ("change", {"n": 3})),
    made(2, ("tool_call", BATCH), ("look", {"n": 4})),
    made(3, ("terminal", {"command": "sleep 0.00613"}), ("change", {"n": 5}), ("change", {"n": 6})),
    made(4, ("look", {"n": 7}), ("tool_call", {"calls": []})),
)


def endless(step: Scripted) -> list[Scripted]:
    return [step] * (POINTS * 8)


def check(talk: Talk, fuse: Fuse) -> None:
    """What must hold of a turn that was stopped anywhere."""
    messages = to_wire("be good", talk.messages)
    assert_valid(messages)
    assert len(talk.heard(TurnEnded)) == 1
    assert isinstance(talk.events[-1], TurnEnded)
    started = [event.call_id for event in talk.heard(CallStarted)]
    ended = {event.call_id: event for event in talk.heard(CallEnded)}
    assert len(started) == len(set(started)) == len(talk.heard(CallEnded))
    told = {message.call_id: message.text for message in talk.messages if isinstance(message, ToolMessage)}
    assert {call: event.text for call, event in ended.items()} == {call: told[call] for call in started}
    never = {call for call, text in told.items() if text == NEVER_STARTED}
    assert not never & set(fuse.ran)


def tool(name: str) -> dict[str, Any]:
    return {"name": name, "description": f"Be {name}.", "inputSchema": {"type": "object"}}


def running(word: str) -> bool:
    """Whether a process with `word` among its arguments is alive."""
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if word.encode() in file.read_bytes().split(b"\0"):
                return True
        except OSError:
            continue
    return False
