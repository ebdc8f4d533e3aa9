"""One event, one small renderable: what the activity feed prints. Plain functions over values, no state.

A call is shown under its real name, on one line that fits the width, with a folded preview below. The two look-up
tools of the bridge get one dim line. Text from tools and models is made harmless here, before it is styled.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from hermes_lite.events import CallEnded, CallOutcome, Compacted, Notice, RetryScheduled, TurnEnd, TurnEnded
from hermes_lite.text import harmless, one_line, utf8
from hermes_lite.tools.spec import ToolSpec
from hermes_lite.ui.cells import clip, clip_middle
from hermes_lite.ui.diff import diff_in, folded_diff, unfolded_lines
from hermes_lite.ui.hanging import Hanging

_INDENT = "  "
_KEY_ROOM = 8
_NOTICED = 0.05
_NOT_RUN = "NOT RUN: "
_NEVER_RAN = ("denied", "refused")
_LOOKED_AT = 20_000
_MARKS: Mapping[CallOutcome, tuple[str, str]] = {
    "ok": ("", "tool"),
    "error": ("✗", "bad"),
    "denied": ("⊘", "warn"),
    "interrupted": ("■", "warn"),
    "refused": ("✗", "warn"),
}
_REASONS: Mapping[TurnEnd, tuple[str, str]] = {
    "failed": ("✗", "bad"),
    "denied": ("⊘", "warn"),
    "limit": ("⊘", "warn"),
}
_LEVELS = {"info": ("·", "faint"), "warning": ("!", "warn"), "error": ("✗", "bad")}


def said(text: str) -> RenderableType:
    """What the person wrote, as it stands in the scrollback."""
    return Hanging("› ", Text(harmless(text), style="you"), "you")


def call_line(ended: CallEnded, arguments: str, row: ToolSpec | None, width: int) -> Text:
    """The one line of a finished call: icon, real name, the argument that says most, time and size."""
    mark, style = _MARKS[ended.outcome]
    took = seconds(ended.seconds) if ended.seconds >= _NOTICED else ""
    facts: list[str] = [took, size(ended.text)] if ended.outcome == "ok" else [ended.outcome]
    return label(mark or icon(row), ended.name, key_argument(arguments, row), facts, width, style)


def running_line(frame: str, name: str, arguments: str, row: ToolSpec | None, facts: list[str], width: int) -> Text:
    """The line of a call that is still running, for the live area."""
    return label(frame, name, key_argument(arguments, row), facts, width, "tool")


def label(mark: str, name: str, key: str, facts: list[str], width: int, style: str) -> Text:
    """`mark name key · facts` in one line.

    Where it is narrow the last facts give way first, then the key, then the facts left, then the middle of the name.
    """
    room = width - cell_len(mark) - 1
    facts = [fact for fact in facts if fact]
    wanted = min(_KEY_ROOM, cell_len(key)) + 1 if key else 0
    while len(facts) > 1 and cell_len(name) + wanted + cell_len(_tail(facts)) > room:
        facts = facts[:-1]
    tail = _tail(facts)
    if cell_len(name) + cell_len(tail) > room:
        tail = "" if cell_len(name) > room - 4 else clip(tail, room - cell_len(name))
    name = clip_middle(one_line(name), room - cell_len(tail))
    left = room - cell_len(name) - cell_len(tail) - 1
    line = Text(no_wrap=True, overflow="crop", end="\n")
    line.append(f"{mark} ", style).append(name, f"bold {style}" if style != "tool" else style)
    if key and left >= min(_KEY_ROOM, cell_len(key)):
        line.append(" " + clip(key, left))
    return line.append(tail, "faint")


def _tail(facts: Sequence[str]) -> str:
    return "".join(f" · {fact}" for fact in facts)


def icon(row: ToolSpec | None) -> str:
    return row.display.icon if row else "•"


def key_argument(arguments: str, row: ToolSpec | None) -> str:
    """The argument that says most: the one the row names, else the first required text, else the first text."""
    try:
        values = json.loads(arguments or "{}")
    except ValueError:
        return one_line(arguments)
    if not isinstance(values, dict):
        return one_line(arguments)
    named = (row.display.key_argument,) if row and row.display.key_argument else ()
    required = row.parameters.get("required") if row else None
    order = [*named, *(required if isinstance(required, list) else ()), *values]
    return next((one_line(values[key]) for key in order if _tells(values.get(key))), "")


def _tells(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def call_body(ended: CallEnded, lines: int, diff_lines: int, width: int) -> RenderableType | None:
    """What stands below the line of a finished call: a coloured diff, or the first `lines` lines of its text."""
    if ended.outcome == "interrupted":
        return None
    diff = diff_in(ended.text) if ended.outcome == "ok" else None
    if diff:
        return folded_diff(diff, diff_lines, width)
    sentence = _sentence(ended)
    if sentence:
        return Padding(Text(sentence, style="faint"), (0, 0, 0, len(_INDENT)))
    if ended.outcome == "error":
        return preview(ended.text, lines, width, "bad", from_end=True)
    return preview(ended.text, lines, width)


def _sentence(ended: CallEnded) -> str:
    """What a call that did not run, or failed with a stated error, says to the person; empty where it says no more.

    Ways on, names and templates are for the model, and stand in the whole text (Ctrl-O).
    """
    stated = "" if ended.outcome == "ok" else _stated(ended.text)
    told = stated or (ended.text.strip().partition("\n")[0] if ended.outcome in _NEVER_RAN else "")
    sentence = one_line(told).removeprefix(_NOT_RUN)
    if ended.outcome != "refused":
        return sentence
    first, stop, _ = sentence.partition(". ")
    return first + stop.strip()


def _stated(text: str) -> str:
    try:
        reply = json.loads(text)
    except ValueError:
        return ""
    message = reply.get("message") if isinstance(reply, dict) and "error" in reply else None
    return message if isinstance(message, str) else ""


def preview(text: str, lines: int, width: int, style: str = "faint", *, from_end: bool = False) -> Text | None:
    """The first `lines` lines, each cut to the width, and how many were folded away; `None` for nothing to show.

    `from_end` takes the last ones: there stands why a command failed.
    """
    text = text.strip("\n")
    near = text[-_LOOKED_AT:] if from_end else text[:_LOOKED_AT]
    found = [line.rstrip() for line in harmless(near).expandtabs(4).split("\n")]
    whole = text.count("\n") + 1
    lines = unfolded_lines(whole, lines)
    found = found[max(0, len(found) - lines) :] if from_end else found[:lines]
    if not any(found):
        return None
    folded = whole - lines
    more = [f"… +{folded} lines (Ctrl-O)"] if folded > 0 else []
    shown = [
        _INDENT + clip(line, width - len(_INDENT)) for line in ((*more, *found) if from_end else (*found, *more))
    ]
    return Text("\n".join(shown), style=style, no_wrap=True, overflow="crop")


def unfolded(name: str, text: str) -> Group:
    """The whole output of the last folded call, for Ctrl-O."""
    diff = diff_in(text)
    body = folded_diff(diff, None, None) if diff else Text(harmless(text).rstrip("\n"))
    return Group(Text(f"─ {one_line(name)}", style="faint"), body, Text("─", style="faint"))


def lookup_line(ended: CallEnded, width: int) -> Text | None:
    """The dim line of a bridge look-up; `None` when `ended` is a call like any other."""
    told = _LOOKUPS.get(ended.name)
    if told is None or ended.outcome != "ok":
        return None
    try:
        reply = json.loads(ended.text)
    except ValueError:
        return None
    if not isinstance(reply, dict) or "error" in reply:
        return None
    return Text(clip(f"· {told(reply)}", width), style="faint", no_wrap=True, overflow="crop")


def _looked_up(reply: Mapping[str, Any]) -> str:
    found = _count(len(_names(reply, "tools")), "tool")
    return f"looked up {found}: {one_line(', '.join(_names(reply, 'queries')))}".rstrip(": ")


def _read_definitions(reply: Mapping[str, Any]) -> str:
    names = _names(reply, "tools")
    return f"read {_count(len(names), 'definition')}: {one_line(', '.join(names))}".rstrip(": ")


def _names(reply: Mapping[str, Any], key: str) -> list[str]:
    value = reply.get(key)
    return [str(name) for name in value] if isinstance(value, (list, dict)) else []


_LOOKUPS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "tool_search": _looked_up,
    "tool_describe": _read_definitions,
}


def notice_line(notice: Notice) -> RenderableType:
    mark, style = _LEVELS[notice.level]
    return Hanging(f"{mark} ", Text(one_line(notice.text), style=style), style)


def compacted_line(event: Compacted) -> RenderableType:
    told = f"history compacted: {count(event.before_tokens)} -> {count(event.after_tokens)} tokens"
    return Hanging("· ", Text(told, "faint"), "faint")


def retry_line(retry: RetryScheduled, left: float, width: int) -> Text:
    """The countdown of a retry, for the live area."""
    told = f"retry {retry.attempt} in {max(0, round(left))} s"
    why = clip(one_line(retry.reason), max(0, width - cell_len(told) - 5))
    return Text(f"! {told}" + (f" · {why}" if why else ""), style="warn", no_wrap=True, overflow="crop")


def turn_end(ended: TurnEnded, width: int) -> RenderableType:
    """How a turn closes: one dim line of figures, below the reason when there is no answer."""
    used = ended.usage
    figures = [
        seconds(ended.seconds),
        f"{count(used.input_tokens)} in" if used.input_tokens is not None else "",
        f"{count(used.output_tokens)} out" if used.output_tokens is not None else "",
    ]
    told = " · ".join(filter(None, figures))
    if ended.end == "interrupted":
        return Text("■ interrupted", style="warn").append(f" · {told}", "dim default")
    line = Text(clip(f"· {told}", width), style="faint")
    return Group(_reason(ended.text, *_REASONS[ended.end]), line) if has_reason(ended) else line


def has_reason(ended: TurnEnded) -> bool:
    """Whether a turn closes with why there is no answer."""
    return ended.end in _REASONS


def _reason(text: str, mark: str, style: str) -> RenderableType:
    what, _, mend = harmless(text).partition("\n")
    return complaint(what, mend, mark, style)


def complaint(what: str, mend: str, mark: str = "✗", style: str = "bad") -> RenderableType:
    """What went wrong, and below it the way out if there is one."""
    head = Hanging(f"{mark} ", Text(harmless(what), style=style), style)
    return Group(head, Padding(Text(harmless(mend)), (0, 0, 0, 2))) if mend.strip() else head


def seconds(value: float) -> str:
    """`0.3 s`, `12 s`, `1 min 05 s`."""
    if value < 9.95:
        return f"{value:.1f} s"
    whole = round(value)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60:02d} s"


def size(text: str) -> str:
    """The bytes of `text` as `120 B`, `2.1 kB`, `3.4 MB`; empty for no text."""
    number = len(utf8(text))
    if number < 1000:
        return f"{number} B" if number else ""
    return f"{number / 1000:.1f} kB" if number < 999_950 else f"{number / 1_000_000:.1f} MB"


def count(tokens: int) -> str:
    """`940`, `12.4k`, `128k`, `1M`."""
    if tokens < 1000:
        return str(tokens)
    if tokens < 999_500:
        return f"{tokens / 1000:.1f}k".replace(".0k", "k") if tokens < 99_950 else f"{tokens / 1000:.0f}k"
    return f"{tokens / 1_000_000:.1f}M".replace(".0M", "M")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
