"""One line for each real call, and little else."""

import json
from dataclasses import replace

import pytest
from rich.cells import cell_len

from hermes_lite.events import (
    CallEnded,
    CallOutcome,
    CallStarted,
    ReplyEnded,
    TextDelta,
    TurnEnd,
    TurnEnded,
    TurnStarted,
)
from hermes_lite.messages import AssistantMessage, Usage
from hermes_lite.tools.spec import Source, SourceStatus
from hermes_lite.ui import feed
from hermes_lite.ui.cells import clip, clip_middle
from hermes_lite.ui.diff import folded_diff
from hermes_lite.ui.tools import servers_screen
from hermes_lite.ui.transcript import Transcript
from tests.support.promises import promise
from tests.ui.fake import GIT_LOG, SETTINGS
from tests.ui.moments import ROWS, played
from tests.ui.screen import Clock
from tests.ui.scrollback import APPENDED, COLOURED, Scrollback, shown


def _ended(name: str, outcome: CallOutcome = "ok", text: str = "out") -> CallEnded:
    return CallEnded("a", name, outcome, text, 0.3, "bridge")


@promise("T-I05", "SCREEN-4")
def test_a_bridged_call_is_one_line_under_its_real_name() -> None:
    text = played(CallStarted("a", GIT_LOG.name, '{"repo_path": "/r"}', "bridge"), _ended(GIT_LOG.name), width=80)
    assert text == "• mcp__git__git_log /r · 0.3 s · 3 B\n  out\n"
    assert "tool_call" not in text


@promise("T-I04")
def test_a_look_up_is_one_dim_line() -> None:
    reply = json.dumps({"queries": ["send mail"], "tools": {"a": {}, "b": {}}})
    assert played(_ended("tool_search", text=reply), width=80) == "· looked up 2 tools: send mail\n"
    assert played(_ended("tool_describe", text='{"tools": {"a": {}}}'), width=80) == "· read 1 definition: a\n"


@pytest.mark.parametrize("text", ("no json", "[]", '{"error": "search-budget-exhausted", "message": "ask"}'))
def test_a_look_up_that_went_wrong_shows_what_came_back(text: str) -> None:
    assert text[:20] in played(_ended("tool_search", text=text), width=80)


@pytest.mark.parametrize("reply", ({}, {"queries": None, "tools": 3}, {"queries": "x", "tools": [1, None]}))
def test_a_look_up_of_an_odd_shape_is_told_all_the_same(reply: dict[str, object]) -> None:
    for name in ("tool_search", "tool_describe"):
        assert len(played(_ended(name, text=json.dumps(reply)), width=80).splitlines()) == 1


@pytest.mark.parametrize("outcome", ("error", "denied", "interrupted", "refused"))
def test_what_did_not_go_well_says_so_in_words(outcome: CallOutcome) -> None:
    assert f"terminal · {outcome}" in played(_ended("terminal", outcome), width=80)


@pytest.mark.parametrize("width", (20, 40, 60, 80))
@pytest.mark.parametrize(
    "name", ("x", GIT_LOG.name, "mcp__google_workspace__search_gmail_messages_by_label", "ツール" * 20)
)
def test_a_call_is_one_line_whatever_its_name_and_argument(name: str, width: int) -> None:
    line = feed.call_line(_ended(name), '{"path": "' + "長い" * 50 + '"}', None, width)
    assert "\n" not in line.plain
    assert cell_len(line.plain) <= width


def test_a_long_name_keeps_its_server_and_its_verb() -> None:
    assert clip_middle("mcp__google_workspace__search_gmail_messages", 30) == "mcp__googl…arch_gmail_messages"


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        ('{"path": "a.py", "limit": 3}', "a.py"),
        ('{"limit": 3}', ""),
        ("", ""),
        ("not json", "not json"),
        ("[1]", "[1]"),
        ('{"other": "first text"}', "first text"),
        ('{"path": "two\\nlines"}', "two lines"),
    ],
)
def test_the_key_argument_is_the_one_that_says_most(arguments: str, key: str) -> None:
    assert feed.key_argument(arguments, ROWS["read_file"]) == key


@promise("S-F18", "S-A12")
def test_text_is_cut_between_graphemes_and_by_cells() -> None:
    family = "👩‍👩‍👧"
    text = f"a{family}b日本語é"
    for cells in range(cell_len(text) + 2):
        cut = clip(text, cells)
        assert cell_len(cut) <= cells
        assert "\u200d" not in cut.replace(family, "")


@pytest.mark.parametrize(
    ("value", "told"), [(0, "0.0 s"), (0.31, "0.3 s"), (9.96, "10 s"), (59.4, "59 s"), (65, "1 min 05 s")]
)
def test_time_is_told_in_a_few_characters(value: float, told: str) -> None:
    assert feed.seconds(value) == told


@pytest.mark.parametrize(
    ("number", "told"),
    [(0, "0"), (999, "999"), (1000, "1k"), (12_400, "12.4k"), (128_000, "128k"), (1_000_000, "1M")],
)
def test_tokens_are_told_in_a_few_characters(number: int, told: str) -> None:
    assert feed.count(number) == told


@promise("SCREEN-5")
def test_a_long_output_is_folded_and_kept_for_later() -> None:
    terminal = Scrollback()
    transcript = Transcript(terminal, SETTINGS, ROWS.get)
    whole = "\n".join(f"line {number}" for number in range(100))
    transcript.sink(_ended("terminal", text=whole))
    assert terminal.text.splitlines()[1:] == ["  line 0", "  line 1", "  line 2", "  … +97 lines (Ctrl-O)"]
    assert transcript.last_output == ("terminal", whole)


@pytest.mark.parametrize(("lines", "shown_lines"), [(3, 3), (4, 4), (5, 3)])
@pytest.mark.parametrize("outcome", ("ok", "error"))
def test_one_line_alone_is_never_folded_away(outcome: CallOutcome, lines: int, shown_lines: int) -> None:
    text = "\n".join(f"line {number}" for number in range(lines))
    body = feed.call_body(CallEnded("a", "terminal", outcome, text, 0.1), 3, 20, 80)
    assert body is not None
    assert shown(body).count("line ") == shown_lines
    assert folded_diff(f"@@ -1,5 +1,5 @@\n{text}", 4, 80).plain.count("line ") == shown_lines


@pytest.mark.parametrize(
    ("end", "rows"), [("failed", ["", "✗ It broke off", "· 1.0 s"]), ("interrupted", ["■ interrupted · 1.0 s"])]
)
def test_why_an_answer_is_not_whole_stands_apart_from_it(end: TurnEnd, rows: list[str]) -> None:
    text = played(TextDelta("Half an answ"), TurnEnded(1, end, "It broke off", Usage(), 1.0), width=80)
    assert text.splitlines() == ["Half an answ", *rows]


@pytest.mark.parametrize(("tools", "told"), [(0, "0 tools"), (1, "1 tool"), (2, "2 tools")])
def test_the_tools_of_a_server_are_counted_in_words(tools: int, told: str) -> None:
    ready = SourceStatus(Source("mcp", "git"), "ready", tools)
    assert shown(servers_screen([ready], 80)) == f"git  ready  {told}\n"


@pytest.mark.parametrize("outcome", ("ok", "error"))
def test_no_preview_is_none_also_of_an_error(outcome: CallOutcome) -> None:
    assert feed.call_body(CallEnded("a", "terminal", outcome, "one\ntwo", 0.1), 0, 20, 80) is None


def test_a_long_diff_is_folded_after_twenty_lines() -> None:
    diff = "--- a\n+++ b\n@@ -1,40 +1,40 @@\n" + "\n".join(f"-old {n}\n+new {n}" for n in range(40))
    lines = played(_ended("patch", text=diff), width=80).splitlines()
    assert lines[1] == "  +40 -40"
    assert len(lines) == 23
    assert lines[-1] == "  … +61 lines (Ctrl-O)"


@promise("S-A9")
@pytest.mark.parametrize("cut_at", range(1, 40, 3))
def test_an_interrupt_is_told_after_the_partial_answer(cut_at: int) -> None:
    answer = "First block.\n\n- second\n- block\n\n```\ncode"[:cut_at]
    lines = played(TextDelta(answer), TurnEnded(1, "interrupted", "", Usage(), 1.0), width=80).rstrip().splitlines()
    assert lines[-1].startswith("■ interrupted")
    assert not any("interrupted" in line for line in lines[:-1])
    assert len(lines) > 1


def test_a_reply_that_was_not_streamed_is_shown_at_its_end() -> None:
    assert "whole" in played(ReplyEnded(AssistantMessage("whole")), width=80)


def test_an_answer_is_shown_once() -> None:
    end = TurnEnded(1, "answered", "Hello there.", Usage(), 1.0)
    text = played(
        TextDelta("Hello "), TextDelta("there."), ReplyEnded(AssistantMessage("Hello there.")), end, width=80
    )
    assert text.count("Hello there.") == 1


def test_an_answer_that_no_reply_carried_is_shown_all_the_same() -> None:
    end = TurnEnded(1, "answered", "the last result", Usage(), 1.0)
    assert "the last result" in played(ReplyEnded(AssistantMessage("")), end, width=80)


def test_the_live_lines_fit_and_go_when_the_turn_is_over() -> None:
    clock = Clock()
    transcript = Transcript(Scrollback(), SETTINGS, ROWS.get, clock)
    with transcript.working():
        transcript.sink(TurnStarted(1, "hi"))
        transcript.sink(TextDelta("\n".join(f"| line {n} |" for n in range(100))))
        clock.now += 1
        assert len(transcript.live(80, 8).splitlines()) == 8
        assert "working" in transcript.live(80, 1)
        assert transcript.live(80, 0) == ""
    assert transcript.live(80, 8) == ""


def test_what_takes_no_time_shows_no_sign_of_work() -> None:
    transcript = Transcript(Scrollback(), SETTINGS, ROWS.get, clock=lambda: 0.0)
    with transcript.working():
        assert transcript.live(80, 8) == ""


def test_a_terminal_without_live_lines_is_told_of_a_retry_once() -> None:
    from hermes_lite.events import RetryScheduled

    terminal = Scrollback(look=APPENDED)
    Transcript(terminal, SETTINGS, ROWS.get).sink(RetryScheduled("429", 8, 1))
    assert terminal.text == "! retry 1 in 8 s · 429\n"


@promise("SCREEN-30")
def test_a_refused_call_says_why_in_a_sentence() -> None:
    reply = {
        "error": "source-not-ready",
        "message": "NOT RUN: x cannot be called now. Go on.",
        "available_sources": [],
    }
    refused = CallEnded("a", "x", "refused", json.dumps(reply), 0.0)
    body = feed.call_body(refused, 3, 20, 40)
    assert body is not None
    assert shown(body, 40) == "  x cannot be called now.\n"
    schema = replace(
        refused, text="NOT RUN: x was not invoked, because its arguments do not fit.\n- missing y\nCall: {}"
    )
    body = feed.call_body(schema, 3, 20, 40)
    assert body is not None
    assert shown(body, 40) == "  x was not invoked, because its\n  arguments do not fit.\n"


def test_a_denied_call_says_who_said_no() -> None:
    denied = CallEnded("a", "x", "denied", "NOT RUN: the person said no: not today. Ask again", 0.0)
    assert shown(feed.call_body(denied, 3, 20, 40) or "") == "  the person said no: not today. Ask again\n"


def test_json_of_a_tool_that_went_well_is_shown_as_it_is() -> None:
    body = feed.call_body(CallEnded("a", "x", "ok", '{"error": "", "message": "hi"}', 0.1), 3, 20, 80)
    assert body is not None
    assert shown(body) == '  {"error": "", "message": "hi"}\n'


def test_where_it_is_narrow_the_argument_outlives_the_size() -> None:
    ended = CallEnded("a", "mcp__git__git_log", "ok", "x" * 1900, 2.0)
    narrow = feed.call_line(ended, '{"path": "/home/ada/src"}', None, 40)
    assert narrow.plain == "• mcp__git__git_log /home/ada/s… · 2.0 s"
    assert feed.call_line(replace(ended, seconds=0.01), "{}", None, 80).plain == "• mcp__git__git_log · 1.9 kB"


def test_of_a_failed_command_the_end_is_shown() -> None:
    failed = CallEnded("a", "terminal", "error", "\n".join([*(f"line {n}" for n in range(9)), "[exit code 2]"]), 0.1)
    body = feed.call_body(failed, 3, 20, 80)
    assert body is not None
    assert shown(body) == "  … +7 lines (Ctrl-O)\n  line 7\n  line 8\n  [exit code 2]\n"


@pytest.mark.parametrize(("outcome", "colour"), (("error", "\x1b[1;31m"), ("denied", "\x1b[1;33m")))
def test_the_name_of_a_call_that_went_wrong_stands_out(outcome: CallOutcome, colour: str) -> None:
    assert f"{colour}x" in shown(feed.call_line(_ended("x", outcome), "{}", None, 80), 80, COLOURED)
