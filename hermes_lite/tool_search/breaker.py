"""Ends the circles in which models call the same thing again and again. State of one turn, no clock, no I/O.

* The second identical failure gets a short, different hint; at the third the schema and the smallest valid call come
  back, and the same call is refused for the rest of the turn.
* A call identical to the one just before it, which succeeded, is not run again unless that is harmless.

A failure counts as the same when the call is the same or, for arguments that were refused, when the refusal is.
Once a call has changed something, failures of calls that did run are forgotten: a test that failed before an edit
may well pass after it. Source: section 5.3 of the tool-search design; T-E10 of the robustness page.
"""

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TypeAlias

from hermes_lite.text import cut
from hermes_lite.tool_search.unwrap import CallError, RealCall
from hermes_lite.tools.argument_text import dump
from hermes_lite.tools.arguments import minimal_call
from hermes_lite.tools.schema import outgoing
from hermes_lite.tools.spec import ToolResult, ToolSpec

REFUSED_FROM = 3
NOT_RUN = "NOT RUN"
_SCHEMA_CHARS = 6_000
_RESULT_CHARS = 4_000
_ENOUGH = (
    f"It failed the same way {REFUSED_FROM} times and is refused for the rest of this turn: "
    "change the arguments, use another tool, or tell the person."
)
_AGAIN = "This failed the same way before: do not send it again, change what is named above."

_Key: TypeAlias = tuple[str, str]


@dataclass(slots=True)
class Breaker:
    """What happened in this turn, as far as it decides whether a call may run."""

    _not_run: Counter[_Key] = field(default_factory=Counter)
    _failed: Counter[_Key] = field(default_factory=Counter)
    _last: tuple[_Key, str] | None = None

    def before(self, call: RealCall) -> str | None:
        """Why `call` is not run this time; `None` lets it run."""
        key = _key(call)
        if max(self._not_run[key], self._failed[key]) >= REFUSED_FROM:
            return f"{NOT_RUN}: {call.row.name} was called like this before. {_ENOUGH}"
        if self._last and self._last[0] == key and not _harmless(call.row):
            return f"Already done, not run again; this was the result:\n{cut(self._last[1], _RESULT_CHARS)}"
        return None

    def after(self, call: RealCall, result: ToolResult) -> str:
        """The text that the model gets for `result`, the outcome of `call`; repeated failures say more."""
        key = _key(call)
        if not result.is_error:
            self._succeeded(call.row, key, result.text)
            return result.text
        self._last = None
        return self._counted(key, call.call.name, call.row, result.text)

    def after_error(self, error: CallError) -> str:
        """The text that the model gets for a call that was never a call of a tool."""
        self._last = None
        return self._counted((error.call.name, error.call.arguments), error.call.name, None, error.text)

    def new_turn(self) -> None:
        self._not_run.clear()
        self._failed.clear()
        self._last = None

    def _succeeded(self, row: ToolSpec, key: _Key, text: str) -> None:
        self._last = (key, text)
        self._not_run.pop(key, None)
        self._failed.pop(key, None)
        if row.risk != "read":
            self._failed.clear()

    def _counted(self, key: _Key, name: str, row: ToolSpec | None, text: str) -> str:
        if not text.startswith(NOT_RUN):
            self._failed[key] += 1
            return _extended(self._failed[key], row, text)
        same = (name, f"{NOT_RUN} {text}")
        self._not_run.update({key, same})
        return _extended(max(self._not_run[key], self._not_run[same]), row, text)


def _extended(times: int, row: ToolSpec | None, text: str) -> str:
    if times < REFUSED_FROM - 1:
        return text
    if times == REFUSED_FROM and row is not None:
        return f"{text}\n{_lesson(row)}"
    return f"{text.splitlines()[0]}\n{_AGAIN if times < REFUSED_FROM else _ENOUGH}"


def _lesson(row: ToolSpec) -> str:
    """The schema of `row` and the smallest call that it accepts."""
    smallest = minimal_call(row)
    example = "" if smallest is None else f"\nA valid call: {dump({'name': row.name, 'arguments': smallest})}"
    return f"Schema of {row.name}: {cut(dump(outgoing(row.parameters)), _SCHEMA_CHARS)}{example}"


def _key(call: RealCall) -> _Key:
    return call.row.name, json.dumps(call.arguments, sort_keys=True)


def _harmless(row: ToolSpec) -> bool:
    return row.idempotent or row.risk == "read"
