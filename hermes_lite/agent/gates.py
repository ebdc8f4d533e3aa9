"""The gates that a call passes before it runs, direct or bridged: the same ones in the same order.

scope -> coerce and validate -> pre-hooks (changed arguments are validated again) -> guardrails -> approval.
"""

from dataclasses import replace

from hermes_lite.agent.desk import Desk, Outcome, Stopwatch, say
from hermes_lite.agent.turn import Turn
from hermes_lite.approvals.policy import CallFacts
from hermes_lite.events import CallOutcome, Sink
from hermes_lite.hooks import ToolEvent
from hermes_lite.tool_search.breaker import NOT_RUN
from hermes_lite.tool_search.unwrap import RealCall
from hermes_lite.tools.arguments import Invalid, prepare
from hermes_lite.tools.spec import ToolResult


class Gates:
    """What a call passes before it runs. Each gate gives the outcome that ends the call there, or `None`.

    `real` is the call as the gates so far have left it; `wish` why a hook wants the person asked.
    """

    def __init__(self, real: RealCall, desk: Desk, turn: Turn, sink: Sink, watch: Stopwatch) -> None:
        self.real = real
        self._wish = ""
        self._desk = desk
        self._turn = turn
        self._sink = sink
        self._watch = watch

    async def pass_through(self) -> Outcome | None:
        """The outcome of the first gate that stops the call; `None` when it may run."""
        for gate in (self._in_scope, self._valid, self._hooked, self._sensible, self._approved):
            if (stopped := await gate()) is not None:
                return stopped
        return None

    def event(self) -> ToolEvent:
        """The call as hooks are told of it."""
        call = self.real.call
        return ToolEvent(self.real.row.name, self.real.arguments, call.id, self._turn.number, call.via)

    async def _in_scope(self) -> Outcome | None:
        """The row as it is now: the tool may have changed or gone since the reply was taken apart."""
        row = self.real.row
        if row.source.kind == "bridge":
            return None
        current = self._desk.scope().row(row.name)
        if current is None:
            return self._stopped("refused", f"{NOT_RUN}: {row.name} went away a moment ago. Search again.")
        self.real = replace(self.real, row=current)
        return None

    async def _valid(self) -> Outcome | None:
        prepared = prepare(self.real.row, self.real.arguments)
        if isinstance(prepared, Invalid):
            return self._stopped("refused", prepared.text)
        self.real = replace(self.real, arguments=prepared.arguments)
        return None

    async def _hooked(self) -> Outcome | None:
        verdict = await self._desk.hooks.pre_tool_call(self.event())
        say(verdict.notes, self._sink)
        if verdict.block is not None:
            return self._stopped("denied", f"{NOT_RUN}: a hook blocked {self.real.row.name}: {verdict.block}")
        self._wish = verdict.ask or ""
        if verdict.arguments is None:
            return None
        self.real = replace(self.real, arguments=dict(verdict.arguments))
        return await self._valid()

    async def _sensible(self) -> Outcome | None:
        refusal = self._desk.breaker.before(self.real)
        if refusal is None:
            return None
        return Outcome("refused" if refusal.startswith(NOT_RUN) else "ok", refusal)

    async def _approved(self) -> Outcome | None:
        facts = CallFacts.of(self.real.row, self.real.arguments, self._desk.cwd)
        decision = await self._watch.pause(self._desk.gate.decide(facts, self._wish))
        if decision.allowed:
            return None
        if decision.by == "headless":
            self._turn.denied.add(self.real.row.name)
        return self._stopped("denied", f"{NOT_RUN}: {decision.reason}")

    def _stopped(self, kind: CallOutcome, text: str) -> Outcome:
        """The call ends here; the breaker counts it, so that the person is not asked the same for ever."""
        return Outcome(kind, self._desk.breaker.after(self.real, ToolResult(text, is_error=True)))
