"""The moments that people see most, as they stand on the screen; the snapshots beside this file are drawn from it."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from hermes_lite.approvals.gate import ApprovalRequest as Asking
from hermes_lite.approvals.gate import request_for
from hermes_lite.approvals.policy import CallFacts, Verdict
from hermes_lite.approvals.rules import Rule
from hermes_lite.events import (
    CallEnded,
    CallProgress,
    CallStarted,
    Compacted,
    Event,
    Notice,
    ReplyEnded,
    RequestStarted,
    RetryScheduled,
    TextDelta,
    TurnEnded,
    TurnStarted,
)
from hermes_lite.messages import AssistantMessage, Usage
from hermes_lite.runtime import CostReport
from hermes_lite.tools.rows import builtin_rows
from hermes_lite.tools.spec import Question, ToolSpec
from hermes_lite.ui.approve import question
from hermes_lite.ui.ask import question_text
from hermes_lite.ui.banner import Welcome, banner
from hermes_lite.ui.commands import COMMANDS
from hermes_lite.ui.context import context_screen
from hermes_lite.ui.help import help_screen, reference
from hermes_lite.ui.models import models_screen
from hermes_lite.ui.sessions import cost_line, sessions_screen
from hermes_lite.ui.status import status_line
from hermes_lite.ui.tools import servers_screen, tools_screen
from hermes_lite.ui.transcript import Transcript
from tests.ui.fake import GIT_LOG, MODELS, NOW, OVERVIEW, REPORT, SESSIONS, SETTINGS
from tests.ui.scrollback import Scrollback, shown

NOWHERE = Path("/nowhere")
WIDTHS = (40, 80, 120)
MANUAL = Path(__file__).parents[2] / "hermes_lite" / "manual" / "chat.md"
FOLDER = Path(__file__).parent / "snapshots"
ROWS = {row.name: row for row in (*builtin_rows(), GIT_LOG)}
COST = CostReport("gpt-5-mini", 6, 41_200, 2_100, 38_000, 0.0123)
WELCOME = Welcome("0.1.0", "OPENAI_API_KEY is set")

CODE = """## A closed union

The events are **frozen dataclasses** with a `type` tag:

```python
@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str
    type: Literal["text_delta"] = "text_delta"
```

1. A sink must not block.
2. It must not raise, see [events](https://example.com/events).

| event | ends with |
| --- | --- |
| call_started | call_ended |
| turn_started | turn_ended |

> 日本語 and emoji 👩‍👩‍👧 keep their width.
"""
LOG = "\n".join(f"commit {number:07x} Author: Ada Subject of commit number {number}" for number in range(12, 46))
DIFF = """Replaced 1 occurrence.
--- hermes_lite/text.py
+++ hermes_lite/text.py
@@ -1,6 +1,6 @@
 import unicodedata

 import regex
-_KEEP = frozenset("\\n\\t")
+_KEEP = frozenset("\\n\\t\\u200d")
 _SPACES = regex.compile(r"\\s+")
"""
LOOKUP = '{"queries": ["git log"], "tools": {"mcp__git__git_log": {}, "mcp__git__git_show": {}}}'


def played(*events: Event, width: int) -> str:
    """What `events` leave in the scrollback."""
    terminal = Scrollback(width)
    transcript = Transcript(terminal, SETTINGS, ROWS.get, clock=lambda: 0.0)
    for event in events:
        transcript.sink(event)
    return terminal.text


def still(*events: Event, width: int, at: float = 0.0) -> str:
    """The lines that still move after `events`, `at` seconds on."""
    now = [0.0]
    transcript = Transcript(Scrollback(width), SETTINGS, ROWS.get, clock=lambda: now[0])
    with transcript.working():
        for event in events:
            transcript.sink(event)
        now[0] = at
        return transcript.live(width, 10) + "\n"


def _call(call_id: str, name: str, arguments: str, ended: CallEnded) -> tuple[Event, Event]:
    return CallStarted(call_id, name, arguments, "bridge"), replace(ended, call_id=call_id, name=name)


def _ok(text: str, seconds: float = 0.31) -> CallEnded:
    return CallEnded("", "", "ok", text, seconds, "bridge")


FEED: tuple[Event, ...] = (
    TurnStarted(1, "what changed last week in hermes, and does it build?"),
    RequestStarted(1),
    *_call("a", "tool_search", "{}", _ok(LOOKUP, 0.01)),
    *_call("b", "tool_describe", "{}", _ok('{"tools": {"mcp__git__git_log": {}}}', 0.01)),
    *_call("c", "mcp__git__git_log", '{"repo_path": "/home/ada/src/hermes"}', _ok(LOG, 2.04)),
    *_call("d", "read_file", '{"path": "README.md", "limit": 2}', _ok("1\t# hermes-lite\n2\t", 0.02)),
    *_call("e", "terminal", '{"command": "rm -rf build"}', CallEnded("", "", "denied", "the person said no", 0.0)),
    *_call(
        "f",
        "terminal",
        '{"command": "make test"}',
        CallEnded("", "", "error", "make: *** No rule to make target 'test'.  Stop.\nexit code 2", 0.2),
    ),
    Notice("warning", "linear: connected after 6 s, 22 tools"),
    Compacted(118_000, 21_500),
)


def _feed(width: int) -> str:
    return played(*FEED, TurnEnded(1, "answered", "", Usage(12_400, 85), 14.2), width=width)


def _code(width: int) -> str:
    pieces = [TextDelta(CODE[start : start + 9]) for start in range(0, len(CODE), 9)]
    end = TurnEnded(1, "answered", CODE, Usage(3_100, 240), 4.4)
    return played(*pieces, ReplyEnded(AssistantMessage(CODE)), end, width=width)


def _diff(width: int) -> str:
    return played(*_call("a", "patch", '{"path": "hermes_lite/text.py"}', _ok(DIFF)), width=width)


def _interrupted(width: int) -> str:
    said = (TurnStarted(1, "explain it"), TextDelta("The loop asks the model.\n\nThen it runs the ca"))
    return played(*said, TurnEnded(1, "interrupted", "", Usage(), 2.6), width=width)


def _failed(width: int) -> str:
    why = "api.example.com answered 401: the key was refused\nSet OPENAI_API_KEY to another key, then try again."
    return played(TurnStarted(1, "hello"), TurnEnded(1, "failed", why, Usage(), 0.4), width=width)


def _retry(width: int) -> str:
    wait = RetryScheduled("429 Too Many Requests: rate limit of 20 requests a minute reached", 8.0, 2)
    return still(TurnStarted(1, "hello"), wait, width=width, at=3.0)


def _running(width: int) -> str:
    events = (
        TurnStarted(1, "hello"),
        TextDelta("Let me *look* at both.\nOne mo"),
        CallStarted("a", "mcp__git__git_log", '{"repo_path": "/home/ada/src/hermes"}', "bridge"),
        CallStarted("b", "terminal", '{"command": "make test"}'),
        CallProgress("b", "collected 412 items"),
    )
    return still(*events, width=width, at=3.0)


def asked(row: ToolSpec, arguments: dict[str, Any], reason: str = "", *rules: Rule, cwd: Path = NOWHERE) -> Asking:
    """The request that the gate would put for this call."""
    return request_for(CallFacts.of(row, arguments, cwd), Verdict("ask", reason, "mode", suggestion=rules))


def _approval(row: ToolSpec, arguments: dict[str, Any], reason: str, rule: Rule, width: int) -> str:
    return shown(question(asked(row, arguments, reason, rule), row.display), width)


def _approve_shell(width: int) -> str:
    command = "cd build && rm -rf ./out && make all"
    return _approval(ROWS["terminal"], {"command": command}, "rm deletes files", Rule("terminal", "make *"), width)


def _approve_mcp(width: int) -> str:
    row = replace(GIT_LOG, name="mcp__github__create_issue", display=replace(GIT_LOG.display, key_argument="title"))
    arguments = {"repo": "ada/hermes", "title": "Crash at start", "body": "Steps:\n1. start\n2. see\u202e it\n"}
    return _approval(row, arguments, "it changes something outside", Rule(row.name), width)


def _approve_write(width: int) -> str:
    arguments = {"path": "notes.md", "content": "# Notes\n\nBuy milk.\n"}
    return _approval(ROWS["write_file"], arguments, "it writes a file", Rule("write_file"), width)


def _ask(width: int) -> str:
    return shown(question_text(Question("Which branch shall I compare with?", ("main", "release/1.2"))), width)


MOMENTS: dict[str, Callable[[int], str]] = {
    "banner": lambda width: shown(banner(WELCOME, OVERVIEW, width), width),
    "banner-demo": lambda width: shown(banner(WELCOME, replace(OVERVIEW, is_demo=True), width), width),
    "help": lambda width: shown(help_screen(COMMANDS, "", width), width),
    "feed": _feed,
    "running": _running,
    "code": _code,
    "diff": _diff,
    "interrupted": _interrupted,
    "failed": _failed,
    "retry": _retry,
    "approve-shell": _approve_shell,
    "approve-mcp": _approve_mcp,
    "approve-write": _approve_write,
    "ask": _ask,
    "context": lambda width: shown(context_screen(REPORT, width), width),
    "status": lambda width: shown(status_line(OVERVIEW, width), width),
    "tools": lambda width: shown(tools_screen([(row, row.deferrable) for row in ROWS.values()], "", width), width),
    "sessions": lambda width: shown(sessions_screen(SESSIONS, NOW, width), width),
    "cost": lambda width: shown(cost_line(COST), width),
    "models": lambda width: shown(models_screen(MODELS, "gpt-5-mini", width), width),
    "servers": lambda width: shown(servers_screen(OVERVIEW.servers, width), width),
}


def manual_page() -> str:
    """The manual's page on the chat with its tables as the commands and keys are now."""
    before, _, rest = MANUAL.read_text(encoding="utf-8").partition("| command |")
    after = rest[rest.index("\n\n## ") :]
    return before + reference(COMMANDS) + after


def main(arguments: list[str]) -> None:
    """`[--update] [NAME...]`: draw the moments called NAME, all without; `--update` rewrites snapshots and manual."""
    if "--update" in arguments:
        MANUAL.write_text(manual_page(), encoding="utf-8")
    names = [name for name in arguments if not name.startswith("-")] or list(MOMENTS)
    for name in names:
        for width in WIDTHS:
            drawn = MOMENTS[name](width)
            if "--update" in arguments:
                FOLDER.mkdir(exist_ok=True)
                (FOLDER / f"{name}-{width}.txt").write_text(drawn, encoding="utf-8")
            else:
                print(f"{name} at {width} {'=' * (width - len(name) - 7)}\n{drawn}")


if __name__ == "__main__":
    main(sys.argv[1:])
