"""The pipeline of one real call, direct or bridged: the same gates in the same order for both.

scope -> coerce and validate -> pre-hooks (changed arguments are validated again) -> guardrails -> approval -> run ->
post-hooks -> result. Every call gets exactly one start event, one end event and one result message; whoever cancels
the turn gets the end event here and the missing result messages from the loop.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

import anyio

from hermes_lite.agent.conversation import CUT_SHORT, Turn
from hermes_lite.agent.results import Shelf
from hermes_lite.approvals.gate import ApprovalGate
from hermes_lite.approvals.policy import CallFacts
from hermes_lite.events import CallEnded, CallOutcome, CallStarted, Notice, Sink
from hermes_lite.hooks import Hooks, ToolEvent
from hermes_lite.messages import ToolMessage
from hermes_lite.tool_search.breaker import NOT_RUN, Breaker
from hermes_lite.tool_search.bridge import ToolSearch
from hermes_lite.tool_search.unwrap import CallError, RealCall
from hermes_lite.tools.arguments import Invalid, prepare
from hermes_lite.tools.registry import Scope
from hermes_lite.tools.spec import Ask, ToolContext, ToolResult, resolve

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Desk:
    """What every call of a session passes over. `timeout` is in seconds."""

    session_id: str
    cwd: Path
    scope: Callable[[], Scope]
    search: ToolSearch
    breaker: Breaker
    hooks: Hooks
    gate: ApprovalGate
    ask: Ask
    shelf: Shelf
    timeout: float
    resources: Mapping[type, object]


@dataclass(frozen=True, slots=True)
class _Outcome:
    kind: CallOutcome
    text: str


@dataclass(slots=True)
class _Stopwatch:
    """Wall time less the time spent waiting for the person."""

    started: float = field(default_factory=monotonic)
    waited: float = 0.0

    async def pause(self, waiting: Awaitable[T]) -> T:
        began = monotonic()
        try:
            return await waiting
        finally:
            self.waited += monotonic() - began

    def seconds(self) -> float:
        return monotonic() - self.started - self.waited


async def carry_out(item: RealCall | CallError, desk: Desk, turn: Turn, sink: Sink) -> ToolMessage:
    """Take one call to its result. Raises only cancellation, after the end event."""
    call = item.call
    turn.started_calls.add(call.id)
    sink(CallStarted(call.id, call.name, call.arguments, call.via))
    watch = _Stopwatch()
    outcome = _Outcome("interrupted", CUT_SHORT)
    try:
        if isinstance(item, CallError):
            outcome = _Outcome("refused", desk.breaker.after_error(item))
        else:
            outcome = await _Pipeline(item, desk, turn, sink, watch).run()
    finally:
        text = desk.shelf.fit(call.id, outcome.text)
        sink(CallEnded(call.id, call.name, outcome.kind, text, watch.seconds(), call.via))
    message = ToolMessage(call.id, call.name, text, is_error=outcome.kind != "ok")
    turn.note(message, outcome.kind)
    return message


class _Pipeline:
    """One call on its way. Each gate returns the outcome that ends the call there, or `None` to go on."""

    def __init__(self, real: RealCall, desk: Desk, turn: Turn, sink: Sink, watch: _Stopwatch) -> None:
        self.real = real
        self.desk = desk
        self.turn = turn
        self.sink = sink
        self.watch = watch

    async def run(self) -> _Outcome:
        for gate in (self._in_scope, self._valid, self._hooked, self._sensible, self._approved):
            if (ended := await gate()) is not None:
                return ended
        return await self._executed()

    async def _in_scope(self) -> _Outcome | None:
        row = self.desk.scope().row(self.real.row.name)
        if row is None and self.real.row.source.kind != "bridge":
            return _Outcome("refused", f"{NOT_RUN}: {self.real.row.name} went away a moment ago. Search again.")
        if row is not None:
            self.real = replace(self.real, row=row)
        return None

    async def _valid(self) -> _Outcome | None:
        prepared = prepare(self.real.row, self.real.arguments)
        if isinstance(prepared, Invalid):
            return self._failed("refused", ToolResult(prepared.text, is_error=True))
        self.real = replace(self.real, arguments=prepared.arguments)
        return None

    async def _hooked(self) -> _Outcome | None:
        verdict = await self.desk.hooks.pre_tool_call(self._event())
        for note in verdict.notes:
            self.sink(Notice("warning", note))
        if verdict.block is not None:
            return _Outcome("denied", f"{NOT_RUN}: a hook blocked {self.real.row.name}: {verdict.block}")
        if verdict.arguments is None:
            return None
        self.real = replace(self.real, arguments=dict(verdict.arguments))
        return await self._valid()

    async def _sensible(self) -> _Outcome | None:
        refusal = self.desk.breaker.before(self.real)
        if refusal is None:
            return None
        return _Outcome("refused" if refusal.startswith(NOT_RUN) else "ok", refusal)

    async def _approved(self) -> _Outcome | None:
        facts = CallFacts.of(self.real.row, self.real.arguments, self.desk.cwd)
        decision = await self.watch.pause(self.desk.gate.decide(facts))
        if decision.allowed:
            return None
        if decision.by == "headless":
            self.turn.denied.add(self.real.row.name)
        return _Outcome("denied", f"{NOT_RUN}: {decision.reason}")

    async def _executed(self) -> _Outcome:
        result = await self._answer()
        for note in await self.desk.hooks.post_tool_call(self._event(), result.text, is_error=result.is_error):
            self.sink(Notice("warning", note))
        if result.is_error:
            return self._failed("error", result)
        self.desk.search.note_success(self.real.row.name)
        return _Outcome("ok", self.desk.breaker.after(self.real, result))

    async def _answer(self) -> ToolResult:
        row, seconds = self.real.row, self.desk.timeout
        try:
            with anyio.fail_after(None if row.self_bounded else seconds):
                return await resolve(row.handler)(self.real.arguments, self._context())
        except TimeoutError:
            return ToolResult(
                f"{row.name} was stopped after {seconds:g} s (agent.tool_timeout); its outcome is unknown.",
                is_error=True,
            )
        except Exception as error:  # noqa: BLE001 - whatever a tool raises is its result
            return ToolResult(f"{row.name} failed: {type(error).__name__}: {error}", is_error=True)

    def _failed(self, kind: CallOutcome, result: ToolResult) -> _Outcome:
        return _Outcome(kind, self.desk.breaker.after(self.real, result))

    def _context(self) -> ToolContext:
        return ToolContext(
            session_id=self.desk.session_id,
            turn=self.turn.number,
            call_id=self.real.call.id,
            cwd=self.desk.cwd,
            sink=self.sink,
            ask=self._ask,
            via=self.real.call.via,
            resources=self.desk.resources,
        )

    async def _ask(self, question: Any) -> str | None:
        return await self.watch.pause(self.desk.ask(question))

    def _event(self) -> ToolEvent:
        return ToolEvent(
            name=self.real.row.name,
            arguments=self.real.arguments,
            call_id=self.real.call.id,
            turn=self.turn.number,
            via=self.real.call.via,
        )
