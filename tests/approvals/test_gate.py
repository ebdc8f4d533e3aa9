"""Questions, answers, and nobody to ask."""

from collections.abc import Sequence

import anyio
import pytest

from hermes_lite.approvals.gate import Answer, ApprovalGate, ApprovalRequest, Choice, Decision, request_for
from hermes_lite.approvals.policy import CallFacts, Policy, judge
from hermes_lite.approvals.rules import Rule
from hermes_lite.approvals.shown import visible
from hermes_lite.errors import ConfigError
from tests.approvals.judging import policy, script
from tests.support.promises import promise

MAIL = CallFacts("mcp__mail__send", arguments={"to": "x"})


class Person:
    """Gives the next of `answers` to each question, and keeps the questions."""

    def __init__(self, *answers: Choice | Answer) -> None:
        self.answers: list[Answer] = [Answer(each) if isinstance(each, str) else each for each in answers]
        self.asked: list[ApprovalRequest] = []
        self.open = 0

    async def __call__(self, request: ApprovalRequest) -> Answer:
        self.asked.append(request)
        self.open += 1
        assert self.open == 1
        await anyio.lowlevel.checkpoint()
        self.open -= 1
        return self.answers.pop(0)


def gate(person: Person | None, rules: Policy | None = None, kept: list[Rule] | None = None) -> ApprovalGate:
    return ApprovalGate(lambda: rules or policy(), person, ([] if kept is None else kept).append)


def decide(one: ApprovalGate, *calls: CallFacts) -> Sequence[Decision]:
    async def settle() -> list[Decision]:
        return [await one.decide(call) for call in calls]

    return anyio.run(settle)


def decide_together(one: ApprovalGate, *calls: CallFacts) -> Sequence[Decision]:
    found: dict[int, Decision] = {}

    async def settle(number: int, call: CallFacts) -> None:
        found[number] = await one.decide(call)

    async def all_of_them() -> None:
        async with anyio.create_task_group() as tasks:
            for number, call in enumerate(calls):
                tasks.start_soon(settle, number, call)

    anyio.run(all_of_them)
    return [found[number] for number in range(len(calls))]


@promise("APPROVE.headless")
def test_without_a_person_what_would_ask_is_denied_and_says_so() -> None:
    [decision] = decide(gate(None), MAIL)
    assert decision == Decision(False, "nobody is here to allow it (mcp__mail__send may change things)", "headless")
    [free, ruled] = decide(gate(None, policy(deny=["mcp__mail__*"])), script("ls"), MAIL)
    assert (free.allowed, ruled.by) == (True, "rule")


@pytest.mark.parametrize(("answer", "second"), [("once", 2), ("session", 1), ("always", 1)])
def test_how_long_an_answer_holds(answer: Choice, second: int) -> None:
    kept: list[Rule] = []
    person = Person(answer, "no")
    first, _ = decide(gate(person, kept=kept), MAIL, MAIL)
    assert (first.allowed, first.by, len(person.asked)) == (True, "person", second)
    assert kept == ([Rule("mcp__mail__send")] if answer == "always" else [])


@promise("APPROVE.always")
def test_always_stores_what_was_shown_and_nothing_more() -> None:
    kept: list[Rule] = []
    person = Person("always", "no")
    allowed, denied = decide(gate(person, kept=kept), script("git push && make all"), script("git push -f"))
    assert (allowed.allowed, denied.allowed) == (True, False)
    assert (
        [str(rule) for rule in kept] == list(person.asked[0].rules) == ["terminal: git push", "terminal: make all*"]
    )


def test_a_script_that_nothing_narrow_covers_can_be_allowed_once_only() -> None:
    person = Person("once")
    decide(gate(person), script("python $x"))
    assert (person.asked[0].rules, person.asked[0].choices) == ((), ("once", "no"))


def test_no_brings_the_comment_to_the_model() -> None:
    [decision] = decide(gate(Person(Answer("no", "use the test account"))), MAIL)
    assert decision == Decision(False, "the person said no: use the test account", "person")


def test_a_rule_that_cannot_be_stored_holds_for_the_session_and_says_so() -> None:
    def refuse(rule: Rule) -> None:
        raise ConfigError("the disk is full")

    person = Person("always")
    one = ApprovalGate(policy, person, refuse)
    first, second = decide(one, MAIL, MAIL)
    assert first.allowed and "could not be stored: the disk is full" in first.reason
    assert second.allowed and len(person.asked) == 1


@promise("APPROVE.one")
def test_one_question_stands_at_a_time_and_its_answer_settles_those_that_wait() -> None:
    person = Person("session")
    decisions = decide_together(gate(person), MAIL, MAIL, MAIL)
    assert [decision.allowed for decision in decisions] == [True, True, True]
    assert len(person.asked) == 1

    person = Person("once", "no", "once")
    decisions = decide_together(gate(person), MAIL, MAIL, MAIL)
    assert sorted(decision.allowed for decision in decisions) == [False, True, True]


def test_a_question_nobody_answers_counts_as_no() -> None:
    class Asleep(Person):
        async def __call__(self, request: ApprovalRequest) -> Answer:
            await anyio.sleep_forever()
            raise AssertionError

    rules = Policy(timeout=0.01)
    [decision] = decide(gate(Asleep(), rules), MAIL)
    assert decision == Decision(False, "the person said no: nobody answered within 0.01 s", "person")


def test_a_hook_can_have_the_person_asked_where_a_rule_allows() -> None:
    person = Person("no", "no")
    one = gate(person, policy(allow=["mcp__mail__*"], deny=["evil"]))

    async def settle() -> list[Decision]:
        return [await one.decide(MAIL, wish="it is late"), await one.decide(CallFacts("evil"), wish="x")]

    asked, denied = anyio.run(settle)
    assert (asked.allowed, denied.by) == (False, "rule")
    assert [request.reason for request in person.asked] == ["a hook wants you to decide: it is late"]


@promise("APPROVE.shown")
@pytest.mark.parametrize(
    "char", ["\u202e", "\u200b", "\x1b", "\x08", "\r", "\ufeff", "\u00a0", "\u2028", "\udc80", "\u00ad"]
)
def test_hidden_characters_are_written_out_wherever_a_person_looks(char: str) -> None:
    code = f"<U+{ord(char):04X}>"
    call = script(f"make x{char}y")
    asked = request_for(call, judge(call, policy()))
    assert asked.hidden and asked.text == f"make x{code}y"
    plain = CallFacts("mcp__a__b", arguments={"note": f"x{char}"})
    assert code in visible(f"{char}") and char not in "".join(
        (asked.text, asked.reason, *asked.rules, *asked.parts, request_for(plain, judge(plain, policy())).text)
    )
