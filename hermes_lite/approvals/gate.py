"""Brings the verdict of the policy and, where it asks, the answer of the person to one call.

One question stands at a time. A call that waited for another question is judged anew before it asks, because that
answer may have settled it. Without anybody to ask, what would ask is denied with a reason that says so.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

import anyio

from hermes_lite.approvals.policy import CallFacts, Policy, Verdict, judge
from hermes_lite.approvals.rules import Rule
from hermes_lite.approvals.shown import has_hidden, visible
from hermes_lite.errors import ConfigError

Choice: TypeAlias = Literal["once", "session", "always", "no"]
By: TypeAlias = Literal["rule", "mode", "person", "policy", "headless"]


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """What the person is shown. All texts are safe to print: hidden characters are written out.

    `text` is the whole command or the arguments as JSON. `rules` is exactly what "session" grants and "always"
    stores, one line each; without any, only "once" and "no" can be chosen. A stray key must mean "no".
    """

    call: CallFacts
    text: str
    reason: str
    rules: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    hidden: bool = False

    @property
    def choices(self) -> tuple[Choice, ...]:
        return ("once", "session", "always", "no") if self.rules else ("once", "no")


@dataclass(frozen=True, slots=True)
class Answer:
    """What the person chose; `comment` goes to the model with a "no"."""

    choice: Choice
    comment: str = ""


class Approver(Protocol):
    """Asks the person. May wait for minutes; cancelling it withdraws the question. Must not raise."""

    async def __call__(self, request: ApprovalRequest) -> Answer: ...


@dataclass(frozen=True, slots=True)
class Decision:
    """`reason` is for the model when not `allowed`."""

    allowed: bool
    reason: str
    by: By


@dataclass(slots=True)
class ApprovalGate:
    """`policy_source` is read for each call, so that a change holds at once. `remember` stores one rule in the user's
    configuration for "always" and may raise `ConfigError`; the grant then holds for the session only."""

    policy_source: Callable[[], Policy]
    asker: Approver | None
    remember: Callable[[Rule], None]
    session: list[Rule] = field(default_factory=list)
    _turn: anyio.Lock = field(default_factory=anyio.Lock)

    async def decide(self, call: CallFacts, wish: str = "") -> Decision:
        """Settle one call. `wish` is why a hook wants the person asked although a rule may allow the call.

        Raises nothing but cancellation.
        """
        verdict = self.judge(call, wish)
        if verdict.decision != "ask":
            return _settled(verdict)
        if self.asker is None:
            return Decision(False, f"nobody is here to allow it ({verdict.reason})", "headless")
        async with self._turn:
            verdict = self.judge(call, wish)
            return await self._asked(self.asker, call, verdict) if verdict.decision == "ask" else _settled(verdict)

    def judge(self, call: CallFacts, wish: str = "") -> Verdict:
        """The verdict as it stands now, without asking."""
        verdict = judge(call, self.policy_source().granting(self.session))
        if not wish or verdict.decision == "deny":
            return verdict
        return Verdict("ask", f"a hook wants you to decide: {wish}", parts=verdict.parts)

    async def _asked(self, asker: Approver, call: CallFacts, verdict: Verdict) -> Decision:
        seconds = self.policy_source().timeout
        answer = Answer("no", f"nobody answered within {seconds:g} s")
        with anyio.move_on_after(seconds or None):
            answer = await asker(request_for(call, verdict))
        if answer.choice == "no":
            return Decision(False, f"the person said no{': ' + answer.comment if answer.comment else ''}", "person")
        note = self._grant(answer.choice, verdict.suggestion)
        return Decision(True, f"the person allowed it{note}", "person")

    def _grant(self, choice: Choice, rules: tuple[Rule, ...]) -> str:
        if choice == "once":
            return ""
        self.session.extend(rules)
        if choice == "session":
            return " for this session"
        try:
            for rule in rules:
                self.remember(rule)
        except ConfigError as error:
            return f" for this session; the rule could not be stored: {error}"
        return " from now on"


def request_for(call: CallFacts, verdict: Verdict) -> ApprovalRequest:
    """The question about `call`, with every hidden character written out."""
    text = call.subject if call.is_shell and call.subject else _json(call.arguments)
    return ApprovalRequest(
        call=call,
        text=visible(text),
        reason=visible(verdict.reason),
        rules=tuple(visible(str(rule)) for rule in verdict.suggestion),
        parts=tuple(visible(part) for part in verdict.parts),
        hidden=has_hidden(text),
    )


def _json(arguments: Mapping[str, Any]) -> str:
    return json.dumps(arguments, ensure_ascii=False, indent=2, default=str)


def _settled(verdict: Verdict) -> Decision:
    return Decision(verdict.decision == "allow", verdict.reason, verdict.ground)
