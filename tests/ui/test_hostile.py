"""Text from outside never controls the terminal, wherever it is shown."""

import json
import re
from dataclasses import replace

import pytest

from hermes_lite.approvals.rules import Rule
from hermes_lite.events import (
    CallEnded,
    CallProgress,
    CallStarted,
    Notice,
    ReplyEnded,
    RetryScheduled,
    TextDelta,
    TurnEnded,
    TurnStarted,
)
from hermes_lite.messages import AssistantMessage, Usage
from hermes_lite.tools.spec import Question, Source, SourceStatus
from hermes_lite.ui.approve import question
from hermes_lite.ui.ask import question_text
from hermes_lite.ui.context import context_screen
from hermes_lite.ui.feed import unfolded
from hermes_lite.ui.status import status_line
from hermes_lite.ui.tools import servers_screen, tools_screen
from hermes_lite.ui.transcript import Transcript
from tests.support.promises import promise
from tests.ui.fake import GIT_LOG, OVERVIEW, REPORT, SETTINGS
from tests.ui.hostile import SEQUENCES
from tests.ui.moments import asked
from tests.ui.scrollback import COLOURED, Scrollback, shown, without_colours

_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)


def _is_tame(text: str) -> bool:
    return not _UNSEEN.search(without_colours(text))


def _events(bad: str) -> str:
    terminal = Scrollback(60, COLOURED)
    transcript = Transcript(terminal, SETTINGS, lambda name: None)
    diff = f"--- a\n+++ b\n@@ -1 +1 @@\n-{bad}\n+{bad}"
    arguments = json.dumps({"path": bad})
    for event in (
        TurnStarted(1, bad),
        TextDelta(f"text {bad}\n\n```\n{bad}\n```\n[{bad}](http://x/{bad})"),
        CallStarted("a", f"tool{bad}", arguments),
        CallProgress("a", bad),
        CallEnded("a", f"tool{bad}", "ok", f"{bad}\n{bad}", 0.1),
        CallEnded("b", "patch", "ok", diff, 0.1),
        CallEnded("c", "tool_search", "ok", json.dumps({"queries": [bad], "tools": {bad: {}}}), 0.1),
        CallEnded("d", "x", "error", bad, 0.1),
        Notice("error", bad),
        RetryScheduled(bad, 3, 1),
    ):
        transcript.sink(event)
    with transcript.working():
        live = transcript.live(60, 10)
    transcript.sink(ReplyEnded(AssistantMessage(bad)))
    transcript.sink(TurnEnded(1, "failed", bad, Usage(), 1.0))
    return terminal.text + live


def _screens(bad: str) -> str:
    row = replace(GIT_LOG, name=f"n{bad}", description=bad, original_name=bad, source=Source("mcp", bad))
    status = SourceStatus(Source("mcp", bad), "failed", 0, bad)
    view = replace(OVERVIEW, model=bad, endpoint=bad, servers=(status,))
    drawn = (
        tools_screen([(row, True)], "", 60),
        tools_screen([(row, True)], "n", 60),
        servers_screen([status], 60),
        status_line(view, 60),
        context_screen(replace(REPORT, activation=bad), 60),
        question(asked(row, {f"key{bad}": bad, "nested": {"a": bad}}, bad, Rule(bad)), row.display),
        question_text(Question(bad, (bad, bad))),
        unfolded(bad, bad),
    )
    return "".join(shown(one, 60, COLOURED) for one in drawn)


@promise("S-F19")
@pytest.mark.parametrize("bad", SEQUENCES, ids=ascii)
def test_no_text_from_a_tool_or_a_model_reaches_the_terminal_as_a_command(bad: str) -> None:
    assert _is_tame(_events(bad))
    assert _is_tame(_screens(bad))


def test_text_that_looks_like_our_markup_is_shown_as_it_is() -> None:
    assert "[bold red]x[/] :smile:" in _events("[bold red]x[/] :smile:")
