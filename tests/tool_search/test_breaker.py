import json
from dataclasses import replace
from typing import Any

from hermes_lite.messages import ToolCall
from hermes_lite.tool_search.breaker import Breaker
from hermes_lite.tool_search.unwrap import CallError, RealCall
from hermes_lite.tools.arguments import Invalid, prepare
from hermes_lite.tools.spec import Risk, ToolResult, ToolSpec
from tests.support.promises import promise
from tests.support.tool_rows import object_schema, server_tools

SAVE = replace(server_tools("desk", ["save"])[0], parameters=object_schema(["id"], id={"type": "integer"}))
OK, FAILED = ToolResult("saved as 7"), ToolResult("disk full", is_error=True)


def call(row: ToolSpec = SAVE, **arguments: Any) -> RealCall:
    return RealCall(ToolCall("c1", row.name, json.dumps(arguments)), row, arguments)


def other(risk: Risk) -> RealCall:
    return call(replace(SAVE, name="mcp__desk__other", risk=risk), id=1)


def refused(breaker: Breaker, **arguments: Any) -> str:
    """What the model is told when these arguments are sent and do not fit."""
    invalid = prepare(SAVE, arguments)
    assert isinstance(invalid, Invalid)
    return breaker.after(call(**arguments), ToolResult(invalid.text, is_error=True))


@promise("BRIDGE-BREAKER", "T-E10")
def test_the_third_same_failure_brings_the_schema_and_a_valid_call_and_then_no_more() -> None:
    breaker = Breaker()
    first, second, third, fourth = (refused(breaker, id="x") for _ in range(4))
    assert "Call: " in first
    assert second != first
    assert len(second) < len(first)
    assert second.startswith("NOT RUN: mcp__desk__save was not invoked")
    assert 'Schema of mcp__desk__save: {"type":"object"' in third
    assert third.endswith('A valid call: {"name":"mcp__desk__save","arguments":{"id":0}}')
    assert "refused for the rest of this turn" in fourth
    assert "Schema of" not in fourth


@promise("BRIDGE-BREAKER")
def test_the_same_refusal_counts_as_the_same_failure_even_when_other_values_caused_it() -> None:
    breaker = Breaker()
    texts = [refused(breaker, wrong=n) for n in range(3)]
    assert len(texts[1]) < len(texts[0])
    assert "A valid call" in texts[2]


@promise("BRIDGE-BREAKER")
def test_a_call_that_failed_three_times_is_refused_until_the_next_turn() -> None:
    breaker = Breaker()
    for _ in range(3):
        assert breaker.before(call(id=1)) is None
        breaker.after(call(id=1), FAILED)
    refusal = breaker.before(call(id=1))
    assert refusal is not None
    assert refusal.startswith("NOT RUN: ")
    assert breaker.before(call(id=2)) is None
    breaker.new_turn()
    assert breaker.before(call(id=1)) is None


@promise("BRIDGE-BREAKER")
def test_failures_are_forgotten_once_something_was_changed_but_not_by_looking() -> None:
    breaker = Breaker()
    for _ in range(3):
        breaker.after(call(id=1), FAILED)
    breaker.after(other("read"), OK)
    assert breaker.before(call(id=1)) is not None
    breaker.after(other("write"), OK)
    assert breaker.before(call(id=1)) is None


@promise("BRIDGE-ALREADY-DONE")
def test_a_call_right_after_its_own_success_gets_the_result_instead_of_a_second_run() -> None:
    breaker = Breaker()
    assert breaker.after(call(id=1), OK) == "saved as 7"
    again = breaker.before(call(id=1))
    assert again is not None
    assert again.startswith("Already done")
    assert again.endswith("saved as 7")
    assert breaker.before(call(id=2)) is None


@promise("BRIDGE-ALREADY-DONE")
def test_a_call_is_run_again_when_that_is_harmless_or_something_happened_in_between() -> None:
    reading, idempotent = replace(SAVE, risk="read"), replace(SAVE, idempotent=True)
    for row in (reading, idempotent):
        breaker = Breaker()
        breaker.after(call(row, id=1), OK)
        assert breaker.before(call(row, id=1)) is None
    for happened in (OK, FAILED):
        breaker = Breaker()
        breaker.after(call(id=1), OK)
        breaker.after(other("read"), happened)
        assert breaker.before(call(id=1)) is None
    breaker = Breaker()
    breaker.after(call(id=1), OK)
    breaker.new_turn()
    assert breaker.before(call(id=1)) is None


@promise("BRIDGE-BREAKER")
def test_calls_that_were_never_calls_of_a_tool_are_counted_too() -> None:
    breaker = Breaker()
    error = CallError(ToolCall("c1", "tool_call", "{}"), "NOT RUN: tool_call was given no call.", "empty")
    first, second, third = (breaker.after_error(error) for _ in range(3))
    assert first == error.text
    assert "do not send it again" in second
    assert "refused for the rest of this turn" in third
