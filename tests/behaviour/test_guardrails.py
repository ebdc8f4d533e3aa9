"""What keeps a turn within bounds: hooks and rules over every call, circles broken, limits with an exit code."""

import json
from typing import Any

import pytest

from hermes_lite.approvals.gate import Answer, ApprovalRequest
from hermes_lite.testing.model_server import ScriptedModel, Text
from hermes_lite.testing.script import Call, Calls, Scripted
from hermes_lite.tools.spec import ToolContext, ToolResult
from tests.agent.rig import DEFERRED, Rig, Talk, calls, results, row
from tests.support.cli import Shell
from tests.support.promises import promise

pytestmark = pytest.mark.anyio

GATED: dict[str, Any] = {"risk": "write", "tier": "gated", "idempotent": False}
NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def bridged(name: str, **arguments: Any) -> Calls:
    return Calls((Call("tool_call", {"calls": [{"name": name, "arguments": arguments}]}, f"call_{name}_0"),))


def hook(talk: Talk, answer: dict[str, Any]) -> list[dict[str, Any]]:
    """Register a hook that gives `answer` before each call; what it was told."""
    told: list[dict[str, Any]] = []

    def function(event: Any) -> dict[str, Any]:
        told.append(dict(event))
        return answer

    talk.runtime.agent.desk.hooks.add("pre_tool_call", function)
    return told


class Person:
    """Answers every question with `choice`."""

    def __init__(self, choice: Any) -> None:
        self.asked: list[ApprovalRequest] = []
        self._answer = Answer(choice)

    async def __call__(self, request: ApprovalRequest) -> Answer:
        self.asked.append(request)
        return self._answer


@promise("HOOK-1")
@pytest.mark.parametrize(("choice", "outcome"), [("once", "ok"), ("no", "denied")])
async def test_a_hook_may_have_the_person_asked_where_a_rule_allows(rig: Rig, choice: str, outcome: str) -> None:
    person = Person(choice)
    config = {"agent": {"approvals": {"allow": ["change"]}}}
    with ScriptedModel(calls("change"), Text("done")) as model:
        async with rig.open(model, config=config, rows=[row("change", **GATED)], approve=person) as talk:
            hook(talk, {"hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "odd hour"}})
            await talk.say()
    assert ["odd hour" in request.reason for request in person.asked] == [True]
    assert talk.outcomes() == [("change", outcome)]


@promise("HOOK-1")
async def test_what_a_hook_wants_asked_is_denied_when_nobody_is_there(rig: Rig) -> None:
    with ScriptedModel(calls("look"), Text("I could not.")) as model:
        async with rig.open(model, rows=[row("look")]) as talk:
            hook(talk, {"decision": "ask", "reason": "odd hour"})
            ended = await talk.say()
    assert (ended.end, talk.outcomes()) == ("denied", [("look", "denied")])


@promise("HOOK-2")
@pytest.mark.parametrize(("given", "outcome"), [({"n": 2}, "ok"), ({"n": "x"}, "refused"), ({}, "refused")])
async def test_arguments_that_a_hook_changed_are_validated_again(
    rig: Rig, given: dict[str, Any], outcome: str
) -> None:
    ran: list[dict[str, Any]] = []

    async def note(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        ran.append(arguments)
        return ToolResult("ok")

    steps: list[Scripted] = [calls("look", n=1), Text("done")] + [Text("not done")] * (outcome == "refused")
    with ScriptedModel(*steps) as model:
        async with rig.open(model, rows=[row("look", note, parameters=NUMBER)]) as talk:
            hook(talk, {"hookSpecificOutput": {"updatedInput": given}})
            await talk.say()
    assert talk.outcomes() == [("look", outcome)]
    assert ran == ([given] if outcome == "ok" else [])


@promise("HOOK-2")
async def test_changed_arguments_are_what_rules_judge(rig: Rig) -> None:
    config = {"agent": {"approvals": {"allow": ['terminal: "echo *"']}}}
    with ScriptedModel(Calls((Call("terminal", {"command": "echo hi"}, "call_1"),)), Text("no")) as model:
        async with rig.open(model, config=config) as talk:
            hook(talk, {"tool_input": {"command": "touch made"}})
            ended = await talk.say()
    assert (ended.end, talk.outcomes()) == ("denied", [("terminal", "denied")])
    assert not (rig.project / "made").exists()


@promise("S-E12")
@pytest.mark.parametrize(
    ("rules", "outcome"), [({"allow": ["far_tool"]}, "ok"), ({"deny": ["far_tool"]}, "denied"), ({}, "denied")]
)
async def test_rules_hooks_and_feed_treat_a_bridged_call_like_a_direct_one(
    rig: Rig, rules: dict[str, Any], outcome: str
) -> None:
    config = {"agent": {"approvals": rules}}
    seen = []
    for said in (calls("far_tool", n=1), bridged("far_tool", n=1)):
        with ScriptedModel(said, Text("done")) as model:
            async with rig.open(model, config=config, rows=[row("far_tool", source=DEFERRED, **GATED)]) as talk:
                told = hook(talk, {})
                ended = await talk.say()
        seen.append((ended.end, talk.outcomes(), told[0]["tool_name"], told[0]["tool_input"], *results_of(model)))
    assert seen[0] == seen[1]
    assert seen[0][1] == [("far_tool", outcome)]


def results_of(model: ScriptedModel) -> list[str]:
    return list(results(model.requests[1]).values())


@promise("GUARD-1")
async def test_the_same_failing_call_is_taught_and_then_refused(rig: Rig) -> None:
    ran = []

    async def fail(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        ran.append(1)
        return ToolResult("no such thing", is_error=True)

    steps = [Calls((Call("look", {"n": 1}, f"call_{n}"),)) for n in range(5)]
    with ScriptedModel(*steps, Text("I give up"), Text("It failed.")) as model:
        async with rig.open(model, rows=[row("look", fail, parameters=NUMBER)]) as talk:
            await talk.say()
    texts = list(results(model.requests[5]).values())
    assert len(ran) == 3
    assert "A valid call" in texts[2]
    assert [text.startswith("NOT RUN") for text in texts] == [False, False, False, True, True]


@promise("GUARD-1")
async def test_a_call_that_was_just_done_is_not_done_twice(rig: Rig) -> None:
    ran = []

    async def send(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        ran.append(1)
        return ToolResult("sent")

    steps = [Calls((Call("send", {"n": 1}, f"call_{n}"),)) for n in range(2)]
    config = {"agent": {"approvals": {"allow": ["send"]}}}
    with ScriptedModel(*steps, Text("sent")) as model:
        async with rig.open(model, config=config, rows=[row("send", send, **GATED)]) as talk:
            await talk.say()
    assert (len(ran), "Already done" in results(model.requests[2])["call_1"]) == (1, True)


@promise("GUARD-2")
async def test_a_person_who_said_no_three_times_is_not_asked_the_same_again(rig: Rig) -> None:
    person = Person("no")
    steps = [Calls((Call("change", {"n": 1}, f"call_{n}"),)) for n in range(6)]
    with ScriptedModel(*steps, Text("I stop"), Text("I stop.")) as model:
        async with rig.open(model, rows=[row("change", **GATED)], approve=person) as talk:
            await talk.say()
    assert len(person.asked) == 3
    assert {outcome for _, outcome in talk.outcomes()} == {"denied", "refused"}


@promise("GUARD-3")
async def test_a_tool_that_went_away_after_the_reply_is_refused(rig: Rig) -> None:
    async def take_away(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        talks[0].runtime.toolbox.registry.replace(DEFERRED, ())
        return ToolResult("gone")

    talks: list[Talk] = []
    said = Calls((Call("take_away", {}, "call_1"), Call("far_tool", {}, "call_2")))
    rows = [row("take_away", take_away, parallel="never"), row("far_tool", source=DEFERRED)]
    with ScriptedModel(said, Text("done"), Text("It went away.")) as model:
        async with rig.open(model, rows=rows) as talk:
            talks.append(talk)
            await talk.say()
    assert talk.outcomes() == [("take_away", "ok"), ("far_tool", "refused")]
    assert "went away" in results(model.requests[1])["call_2"]


@promise("GUARD-4")
def test_limits_are_exit_code_4(shell: Shell) -> None:
    shell.configure({"agent": {"max_steps": 2}})
    steps = [Calls((Call("search_files", {"glob": f"*.{n}"}, f"call_{n}"),)) for n in range(2)]
    with ScriptedModel(*steps) as model:
        run = shell("-p", "go", "--base-url", model.base_url, "--output-format", "json")
    assert run.returncode == 4, run.stderr
    report = json.loads(run.stdout)
    assert (report["subtype"], "agent.max_steps" in report["error"]) == ("limit_reached", True)
