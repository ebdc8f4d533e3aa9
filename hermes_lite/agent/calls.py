"""The pipeline of one real call, direct or bridged: the same gates in the same order for both.

scope -> coerce and validate -> pre-hooks (changed arguments are validated again) -> guardrails -> approval -> run ->
post-hooks -> result. Every call gets exactly one start event, one end event and one result message; whoever cancels
the turn gets the end event here and the missing result messages from the loop.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any

import anyio

from hermes_lite.agent.conversation import CUT_SHORT, Turn
from hermes_lite.agent.results import Shelf
from hermes_lite.approvals.gate import ApprovalGate
from hermes_lite.approvals.policy import CallFacts
from hermes_lite.events import CallEnded, CallOutcome, CallStarted, Notice, Sink
from hermes_lite.hooks import Hooks, ToolEvent
from hermes_lite.messages import ToolMessage
from hermes_lite.tool_search.breaker import Breaker
from hermes_lite.tool_search.bridge import ToolSearch
from hermes_lite.tool_search.unwrap import CallError, RealCall
from hermes_lite.tools.arguments import Invalid, prepare
from hermes_lite.tools.spec import Ask, ToolContext, ToolResult, resolve


@dataclass(frozen=True, slots=True)
class Desk:
    """What every call of a session passes over."""

    session_id: str
    cwd: Path
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
            outcome = await _pipeline(item, desk, turn, sink, watch)
    finally:
        sink(CallEnded(call.id, call.name, outcome.kind, outcome.text, watch.seconds(), call.via))
    _remember(turn, call.name, outcome.kind)
    return ToolMessage(call.id, call.name, outcome.text, is_error=outcome.kind != "ok")
