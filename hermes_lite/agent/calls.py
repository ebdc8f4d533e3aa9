"""The pipeline of one real call: through the gates, then run -> post-hooks -> result.

Every call that comes here gets exactly one start event, one end event and one result, which say the same, whoever
cancels the turn and whenever; those that never came here are answered by the loop.
"""

from dataclasses import replace

import anyio
import anyio.lowlevel

from hermes_lite.agent.conversation import NEVER_STARTED
from hermes_lite.agent.desk import Desk, Outcome, Stopwatch, say
from hermes_lite.agent.gates import Gates
from hermes_lite.agent.turn import Turn
from hermes_lite.events import CallEnded, CallProgress, CallStarted, Event, Sink
from hermes_lite.messages import ToolMessage
from hermes_lite.tool_search.unwrap import CallError, RealCall
from hermes_lite.tools.spec import Question, ToolContext, ToolResult, resolve

CUT_SHORT = "INTERRUPTED: the person stopped the turn while this call was running. It may have been done in part."


async def carry_out(item: RealCall | CallError, desk: Desk, turn: Turn, sink: Sink) -> ToolMessage:
    """Take one call to its result, which is noted in `turn`. Raises only cancellation, after the end event."""
    call = item.call
    passage = _Passage(item, desk, turn, sink)
    sink(CallStarted(call.id, call.name, desk.shelf.redact(call.arguments), call.via))
    try:
        await passage.run()
    finally:
        outcome = passage.outcome
        result = ToolMessage(call.id, call.name, desk.shelf.fit(call.id, outcome.text), is_error=outcome.kind != "ok")
        turn.note(result, outcome.kind)
        sink(CallEnded(call.id, call.name, outcome.kind, result.text, passage.watch.seconds(), call.via))
    return result


class _Passage:
    """One call on its way. `outcome` is at any moment what the call comes to if it ends there."""

    def __init__(self, item: RealCall | CallError, desk: Desk, turn: Turn, sink: Sink) -> None:
        self.outcome = Outcome("interrupted", NEVER_STARTED)
        self.watch = Stopwatch()
        self._item = item
        self._desk = desk
        self._turn = turn
        self._sink = sink

    async def run(self) -> None:
        if isinstance(self._item, CallError):
            self.outcome = Outcome("refused", self._desk.breaker.after_error(self._item))
            return
        gates = Gates(self._item, self._desk, self._turn, self._sink, self.watch)
        stopped = await gates.pass_through()
        if stopped is not None:
            self.outcome = stopped
            return
        await anyio.lowlevel.checkpoint_if_cancelled()
        self.outcome = Outcome("interrupted", CUT_SHORT)
        result = await self._answer(gates.real)
        self.outcome = self._settled(gates.real, result)
        say(await self._desk.hooks.post_tool_call(gates.event(), result.text, is_error=result.is_error), self._sink)

    def _settled(self, real: RealCall, result: ToolResult) -> Outcome:
        text = self._desk.breaker.after(real, result)
        if result.is_error:
            return Outcome("error", text)
        self._desk.search.note_success(real.row.name)
        return Outcome("ok", text)

    async def _answer(self, real: RealCall) -> ToolResult:
        row, seconds = real.row, self._desk.timeout
        try:
            with anyio.move_on_after(None if row.self_bounded else seconds):
                return await resolve(row.handler)(real.arguments, self._context(real))
        except Exception as error:  # noqa: BLE001 - whatever a tool raises is its result
            return ToolResult(f"{row.name} failed: {type(error).__name__}: {error}", is_error=True)
        return ToolResult(
            f"{row.name} was stopped after {seconds:g} s (agent.tool_timeout); its outcome is unknown.", is_error=True
        )

    def _context(self, real: RealCall) -> ToolContext:
        return ToolContext(
            session_id=self._desk.session_id,
            turn=self._turn.number,
            call_id=real.call.id,
            cwd=self._desk.cwd,
            sink=self._show,
            ask=self._ask,
            via=real.call.via,
            resources=self._desk.resources,
        )

    def _show(self, event: Event) -> None:
        if isinstance(event, CallProgress):
            event = replace(event, text=self._desk.shelf.redact(event.text))
        self._sink(event)

    async def _ask(self, question: Question) -> str | None:
        return await self.watch.pause(self._desk.ask(question))
