"""`/context`: what fills the model's window, drawn as bars, and what deferral saves."""

from collections.abc import Mapping

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.text import Text

from hermes_lite.model.windows import Origin
from hermes_lite.runtime import ContextReport, ContextRow
from hermes_lite.text import capitalised, one_line
from hermes_lite.ui.cells import clip
from hermes_lite.ui.feed import count

_WIDEST = 100
_BAR = 24
_ORIGINS: Mapping[Origin, str] = {
    "config": "model.context_length",
    "endpoint": "the endpoint",
    "table": "the published table",
}
_NO_WINDOW = "No window known: the endpoint is asked with the first request, model.context_length sets one; "
_STYLES = ("cyan", "blue", "magenta", "green", "yellow")


def context_screen(report: ContextReport, width: int) -> RenderableType:
    """The whole window as one bar, a line with its own bar for each part, then the saving. Fits 20 cells and more."""
    width = min(width, _WIDEST)
    rows = [row for row in report.rows if row.tokens > 0]
    whole = report.window or max(report.used, 1)
    most = max((row.tokens for row in rows), default=1)
    label = min(max((cell_len(row.label) for row in rows), default=4), max(8, width // 2))
    lines = [
        _head(report, width),
        _stacked(rows, whole, width),
        Text(),
        *(_row(row, whole, most, style, label, width) for row, style in zip(rows, _cycle(len(rows)), strict=True)),
    ]
    if report.window:
        free = max(0, report.window - report.used)
        told = _fit("free", label) + _figures(free, whole)
        lines.append(Text(told, style="faint", no_wrap=True, overflow="crop"))
    return Group(*lines, Text(), *_saving(report))


def _head(report: ContextReport, width: int) -> Text:
    line = Text(no_wrap=True, overflow="crop")
    if report.window is None:
        return line.append(clip(f"{count(report.used)} tokens used, window unknown", width), "bold")
    share = f"{report.used / report.window:.0%}"
    line.append(clip(f"{count(report.used)} of {count(report.window)} tokens, {share}", width), "bold")
    return line


def _stacked(rows: list[ContextRow], whole: int, width: int) -> Text:
    bar = Text(no_wrap=True, overflow="crop")
    edge = total = 0
    for row, style in zip(rows, _cycle(len(rows)), strict=True):
        total += row.tokens
        until = max(edge + 1, round(total / whole * width))
        bar.append("█" * (min(until, width) - edge), style)
        edge = min(until, width)
    return bar.append("░" * (width - edge), "faint")


def _figures(tokens: int, whole: int) -> str:
    return f" {count(tokens):>6} {tokens / whole:>4.0%} "


def _row(row: ContextRow, whole: int, most: int, style: str, label: int, width: int) -> Text:
    """Label, tokens, share of the window, a bar in proportion to the biggest part, the detail if there is room."""
    figures = _figures(row.tokens, whole)
    room = width - label - cell_len(figures)
    line = Text(no_wrap=True, overflow="crop")
    line.append(_fit(one_line(row.label), label)).append(figures, "bold")
    bar = max(0, min(room, _BAR))
    filled = max(1, round(row.tokens / most * bar)) if bar else 0
    line.append("█" * filled, style).append(" " * (bar - filled))
    detail = one_line(row.detail)
    left = room - bar - 2
    return line.append("  " + clip(detail, left), "faint") if detail and left >= 8 else line


def _saving(report: ContextReport) -> list[Text]:
    lines = [_saved(report)] if report.deferred_tools else []
    if report.activation:
        lines.append(Text(f"{capitalised(one_line(report.activation))}.", style="faint"))
    window = f"Window by {_ORIGINS[report.window_origin]}, " if report.window else _NO_WINDOW
    return [*lines, Text(f"{window}tokens by {report.counter}.", style="faint")]


def _saved(report: ContextReport) -> Text:
    schemas = f" Their {report.deferred_tools} schemas are {count(report.deferred_tokens)} tokens."
    if report.saved_tokens > 0:
        told = Text(f"Search saves {count(report.saved_tokens)} tokens on every turn.", style="good")
    else:
        told = Text(
            f"With so few tools, search costs {count(-report.saved_tokens)} tokens more than it saves.", "warn"
        )
    return told.append(schemas, "default")


def _fit(text: str, cells: int) -> str:
    text = clip(text, cells)
    return text + " " * (cells - cell_len(text))


def _cycle(number: int) -> list[str]:
    return [_STYLES[index % len(_STYLES)] for index in range(number)]
