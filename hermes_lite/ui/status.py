"""The status line: which model, how full its window is, how many tools are shown and how many wait, which servers.

Drawn from one `Overview`, the value that the runtime itself acts on, so that the line cannot say something else.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from rich.cells import cell_len
from rich.text import Text

from hermes_lite.runtime import Overview
from hermes_lite.text import one_line
from hermes_lite.tools.spec import SourceState, SourceStatus
from hermes_lite.ui.cells import clip, clip_middle
from hermes_lite.ui.feed import count

STATES: Mapping[SourceState, tuple[str, str]] = {
    "failed": ("failed", "bad"),
    "gone": ("gone", "bad"),
    "needs_auth": ("needs login", "warn"),
    "connecting": ("starting", "warn"),
    "ready": ("ready", "good"),
    "disabled": ("off", "faint"),
}
_DOT = " · "
_NAMED_SERVERS = 3
_ROOMY = 64
_CALM = ("ready", "disabled")
_MODES = {"yolo": ("yolo: nothing asks", "bad"), "auto-edit": ("auto-edit", "warn"), "deny": ("deny", "warn")}


def status_line(view: Overview, width: int) -> Text:
    """One line of at most `width` cells; what matters least is left out first."""
    model = clip_middle(one_line(view.model), max(12, width // 3))
    calm = [status for status in view.servers if status.state in _CALM]
    troubled = [status for status in view.servers if status.state not in _CALM]
    parts = [
        (model, "accent"),
        (_window(view), "none"),
        *_mode(view),
        *_servers(troubled, width),
        (_tools(view, width), "none"),
        *_servers(calm, width),
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


def _tools(view: Overview, width: int) -> str:
    if not view.deferred:
        return f"{view.direct} tools"
    return (
        f"{view.direct} tools, {view.deferred} deferred"
        if width >= _ROOMY
        else f"{view.direct}+{view.deferred} tools"
    )


def _servers(statuses: Sequence[SourceStatus], width: int) -> list[tuple[str, str]]:
    """By name while they are few and there is room, else a count by state."""
    if width >= _ROOMY and len(statuses) <= _NAMED_SERVERS:
        return [server_word(status) for status in statuses]
    numbers = Counter(status.state for status in statuses)
    return [(f"{numbers[state]} {word}", style) for state, (word, style) in STATES.items() if numbers[state]]


def server_word(status: SourceStatus) -> tuple[str, str]:
    """`github 34`, `linear starting`, `jira failed`, with its style."""
    word, style = STATES[status.state]
    label = clip(one_line(status.source.label), 20)
    return (f"{label} {status.tools}", "good") if status.state == "ready" else (f"{label} {word}", style)
