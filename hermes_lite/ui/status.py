"""The status line: which model, how full its window is, how many tools are shown and how many wait, which servers.

Drawn from one `Overview`, the value that the runtime itself acts on, so that the line cannot say something else.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from rich.cells import cell_len
from rich.text import Text

from hermes_lite.runtime import Overview
from hermes_lite.text import one_line
from hermes_lite.tools.spec import SourceState, SourceStatus
from hermes_lite.ui.cells import clip, clip_middle
from hermes_lite.ui.feed import count

STATES: Mapping[SourceState, tuple[str, str]] = {
    "connecting": ("starting", "warn"),
    "ready": ("ready", "good"),
    "failed": ("failed", "bad"),
    "needs_auth": ("needs login", "warn"),
    "disabled": ("off", "faint"),
    "gone": ("gone", "bad"),
}
_DOT = " · "
_NAMED_SERVERS = 3
_MODES = {"yolo": ("yolo: nothing asks", "bad"), "auto-edit": ("auto-edit", "warn"), "deny": ("deny", "warn")}


def status_line(view: Overview, width: int) -> Text:
    """One line of at most `width` cells; what matters least is left out first."""
    model = clip_middle(one_line(view.model), max(12, width // 3))
    parts = [
        (model, "accent"),
        (_window(view), "none"),
        *(_mode(view)),
        (f"{view.direct} tools, {view.deferred} deferred" if view.deferred else f"{view.direct} tools", "none"),
        *_servers(view.servers),
    ]
    line = Text(no_wrap=True, overflow="crop")
    for text, style in parts:
        dot = _DOT if line else ""
        if cell_len(line.plain) + cell_len(dot + text) > width:
            continue
        line.append(dot, "faint").append(text, style)
    return line or Text(clip(model, width), style="accent")


def _window(view: Overview) -> str:
    used = count(view.used_tokens)
    return f"{used}/{count(view.window)}" if view.window else f"{used} tokens"


def _mode(view: Overview) -> tuple[tuple[str, str], ...]:
    return (_MODES[view.approvals],) if view.approvals in _MODES else ()


def _servers(statuses: Iterable[SourceStatus]) -> list[tuple[str, str]]:
    """Servers by name while they are few, else a count by state; those that need attention first."""
    shown = sorted(statuses, key=lambda s: (s.state in ("ready", "disabled"), s.source.label))
    if len(shown) <= _NAMED_SERVERS:
        return [server_word(status) for status in shown]
    states = Counter(status.state for status in shown)
    told = ((state, states[state]) for state in STATES if states[state])
    return [(f"{number} {STATES[state][0]}", STATES[state][1]) for state, number in told]


def server_word(status: SourceStatus) -> tuple[str, str]:
    """`github 34`, `linear starting`, `jira failed`, with its style."""
    word, style = STATES[status.state]
    label = clip(one_line(status.source.label), 20)
    return (f"{label} {status.tools}", "good") if status.state == "ready" else (f"{label} {word}", style)
