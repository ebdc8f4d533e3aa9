"""`/sessions`, what is shown when a session is taken up again, and `/cost`."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.text import Text

from hermes_lite.messages import AssistantMessage, Message, UserMessage
from hermes_lite.runtime import CostReport
from hermes_lite.sessions.listing import SessionInfo
from hermes_lite.text import one_line
from hermes_lite.ui.answer import Block
from hermes_lite.ui.cells import clip
from hermes_lite.ui.feed import count, said

SHOWN = 15
_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"))
_AGE_COLUMN = 11
_TITLE = 16


def sessions_screen(infos: Sequence[SessionInfo], now: datetime, width: int) -> RenderableType:
    """One line a session: what `/resume` takes, how long ago, what it was about."""
    if not infos:
        return Text("No sessions yet.", style="faint")
    return Group(*(_session(info, now, width) for info in infos), Text("/resume ID goes on with one.", style="faint"))


def _session(info: SessionInfo, now: datetime, width: int) -> Text:
    """On a narrow terminal the title stands below."""
    line = Text(no_wrap=True, overflow="crop")
    line.append(clip(info.id, max(1, width - 2)), "accent").append(
        f"  {age(now - info.updated):{_AGE_COLUMN}}", "faint"
    )
    left = width - cell_len(line.plain)
    title = one_line(info.title) or "(empty)"
    return line.append(clip(title, left)) if left >= _TITLE else line.append("\n  " + clip(title, max(1, width - 2)))


def age(past: timedelta) -> str:
    """`now`, `5 min ago`, `3 h ago`, `2 d ago`."""
    for seconds, unit in _UNITS:
        if past.total_seconds() >= seconds:
            return f"{past.total_seconds() // seconds:.0f} {unit} ago"
    return "now"


def recap(messages: Sequence[Message]) -> RenderableType | None:
    """The last question and its answer, so that a person knows where they were; `None` for an empty session."""
    asked = [index for index, message in enumerate(messages) if isinstance(message, UserMessage)]
    if not asked:
        return None
    question, *after = messages[asked[-1] :]
    replies = [message.text for message in after if isinstance(message, AssistantMessage) and message.text.strip()]
    told = f"· {len(asked)} turns so far; the last one:" if len(asked) > 1 else "· where you were:"
    shown: list[RenderableType] = [Text(), Block(replies[-1])] if replies else []
    return Group(Text(told, style="faint"), said(getattr(question, "text", "")), *shown)


def cost_line(report: CostReport) -> Text:
    """Requests, tokens and money of the session; a price that nobody knows is n/a, not nothing."""
    cached = f" ({count(report.cached_tokens)} cached)" if report.cached_tokens else ""
    money = "price n/a" if report.usd is None else f"${report.usd:.4f}"
    line = Text(one_line(report.model), style="accent")
    line.append(f" · {report.requests} requests · {count(report.input_tokens)} in{cached}", "default")
    return line.append(f" · {count(report.output_tokens)} out · ", "default").append(money, "bold")
