"""What `-p` writes, and where."""

import io
import json
import os
import subprocess
import sys
from typing import Any

import pytest

from hermes_lite.errors import NoModelError
from hermes_lite.events import (
    CallEnded,
    CallStarted,
    Event,
    Notice,
    ReplyEnded,
    RequestStarted,
    TextDelta,
    TurnEnd,
    TurnEnded,
    TurnStarted,
)
from hermes_lite.messages import AssistantMessage, ToolCall, Usage
from hermes_lite.ui.oneshot import OutputFormat, one_shot_sink, refusal
from tests.support.promises import promise
from tests.ui.fake import OVERVIEW
from tests.ui.screen import Tape

EVENTS: tuple[Event, ...] = (
    TurnStarted(1, "hi"),
    RequestStarted(1),
    TextDelta("I look"),
    ReplyEnded(AssistantMessage("I look", (ToolCall("a", "mcp__git__git_log", "{}", "bridge"),))),
    CallStarted("a", "mcp__git__git_log", "{}", "bridge"),
    CallEnded("a", "mcp__git__git_log", "ok", "log", 0.25, "bridge"),
    CallStarted("b", "terminal", '{"command": "rm x"}'),
    CallEnded("b", "terminal", "denied", "nobody to ask", 0.0),
    Notice("warning", "jira: failed"),
    RequestStarted(2),
)


def _run(format: OutputFormat, end: TurnEnd = "answered", text: str = "All done.") -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    writer = one_shot_sink(format, out, err, OVERVIEW)
    for event in EVENTS:
        writer.sink(event)
    ended = TurnEnded(1, end, text, Usage(100, 20, None), 1.5)
    writer.sink(ended)
    writer.finish(ended, 0.0042)
    return out.getvalue(), err.getvalue()


@promise("SCREEN-8")
def test_standard_output_carries_the_answer_and_nothing_else() -> None:
    out, err = _run("text")
    assert out == "All done.\n"
    assert err == "hermes-lite: jira: failed\n"


def test_a_person_who_watches_standard_error_sees_the_calls() -> None:
    err = Tape()
    writer = one_shot_sink("text", io.StringIO(), err, OVERVIEW)
    for event in EVENTS:
        writer.sink(event)
    assert "• mcp__git__git_log · 0.2 s · 3 B" in err.getvalue()


@promise("SCREEN-9")
@pytest.mark.parametrize("end", ("failed", "denied", "limit", "interrupted"))
def test_without_an_answer_standard_output_stays_empty_and_json_says_so(end: TurnEnd) -> None:
    out, err = _run("text", end, "401 refused")
    assert out == ""
    assert "401 refused" in err
    result = json.loads(_run("json", end, "401 refused")[0])
    assert result["is_error"] is True
    assert result["result"] == ""
    assert result["subtype"] != "success"
    assert result["error"] == "401 refused"


def test_json_is_one_object_with_the_whole_account() -> None:
    result: dict[str, Any] = json.loads(_run("json")[0])
    assert {key: result[key] for key in ("result", "is_error", "subtype", "session_id", "cost_usd", "num_turns")} == {
        "result": "All done.",
        "is_error": False,
        "subtype": "success",
        "session_id": "7f3a91",
        "cost_usd": 0.0042,
        "num_turns": 2,
    }
    assert result["usage"] == {"input_tokens": 100, "output_tokens": 20, "cached_tokens": None}
    assert result["duration_ms"] == 1500
    assert [(call["name"], call["outcome"]) for call in result["tool_calls"]] == [
        ("mcp__git__git_log", "ok"),
        ("terminal", "denied"),
    ]
    assert result["permission_denials"] == [{"id": "b", "name": "terminal", "reason": "nobody to ask"}]


@promise("SCREEN-10")
def test_stream_json_is_the_events_between_an_opening_and_the_result() -> None:
    lines = [json.loads(line) for line in _run("stream-json")[0].splitlines()]
    assert lines[0]["type"] == "init"
    assert lines[0]["mcp_server_errors"][0]["name"] == "jira"
    assert [line["type"] for line in lines[1:-1]] == [*(event.type for event in EVENTS), "turn_ended"]
    assert lines[-1]["type"] == "result"
    reply = next(line for line in lines if line["type"] == "reply_ended")
    assert reply["message"]["calls"][0]["name"] == "mcp__git__git_log"


@promise("SCREEN-24")
@pytest.mark.parametrize("format", ("text", "json", "stream-json"))
def test_a_lone_surrogate_is_written_so_that_every_reader_can_read_it(format: OutputFormat) -> None:
    out, _ = _run(format, text="bad \ud800 text")
    assert "bad" in out.encode("utf-8").decode("utf-8")


def test_a_turn_that_could_not_begin_is_an_error_object() -> None:
    found = refusal(NoModelError("No model.", mend="Set OPENAI_API_KEY."))
    assert (found["type"], found["is_error"], found["error"]) == ("result", True, "No model.")


@promise("SCREEN-11")
def test_a_reader_that_goes_away_is_no_error() -> None:
    program = """
import sys
from tests.ui.test_oneshot import EVENTS, OVERVIEW, one_shot_sink
from hermes_lite.events import TurnEnded
from hermes_lite.messages import Usage
writer = one_shot_sink("stream-json", sys.stdout, sys.stderr, OVERVIEW)
for event in EVENTS * 500:
    writer.sink(event)
writer.finish(TurnEnded(1, "answered", "x", Usage(), 1.0))
"""
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        told = process.stderr.read().decode()
        assert process.wait(20) == 0
    assert "BrokenPipe" not in told
