"""How `prompt-size` looks in a terminal: one table of rows that sum to the total, or two bars side by side."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

BAR = 40


def report(found: Mapping[str, Any], width: int) -> RenderableType:
    """Prompt sections and sources as rows, then what deferral saves and what is missing."""
    parts: list[RenderableType] = [_heading(found), _rows(found), Text(), _saving(found)]
    if "against" in found:
        parts += [Text(), _differences(found["against"])]
    return Group(*parts, *_missing(found))


def compared(found: Mapping[str, Any], width: int) -> RenderableType:
    """The request as it is sent beside the one with deferral off, drawn to one scale."""
    sent, eager = found["total_tokens"], found["without_deferral"]["total_tokens"]
    scale = max(sent, eager, 1)
    room = max(4, min(BAR, width - 34))
    lines = [
        _bar(label, tokens, room * tokens / scale, style)
        for label, tokens, style in (("every schema", eager, "yellow"), ("as sent", sent, "green"))
    ]
    return Group(_heading(found), Text(), *lines, Text(), _saving(found), *_missing(found))


def _heading(found: Mapping[str, Any]) -> Text:
    window = found["context"]["tokens"]
    size = f"{window:,} tokens of context" if window else "context length unknown"
    return Text(f"{found['model']} · {size} · counted by {found['counted_by']}", style="bold")


def _rows(found: Mapping[str, Any]) -> Table:
    table = Table(box=None, pad_edge=False, show_header=True, header_style="dim")
    for name, justify in (("part", "left"), ("tools", "right"), ("bytes", "right"), ("tokens", "right")):
        table.add_column(name, justify=justify, no_wrap=True, overflow="ellipsis")  # type: ignore[arg-type]
    for section in found["sections"]:
        table.add_row(f"prompt: {section['name']}", "", f"{section['bytes']:,}", f"{section['tokens']:,}")
    for source in found["sources"]:
        row = (f"{source['count']:,}", f"{source['json_bytes']:,}", f"{source['tokens']:,}")
        table.add_row(f"{source['kind']}: {source['source']}", *row)
    total_bytes = found["system_prompt"]["bytes"] + found["tools"]["json_bytes"]
    total = (f"{found['tools']['count']:,}", f"{total_bytes:,}", f"{found['total_tokens']:,}")
    table.add_row("total", *total, style="bold")
    return table


def _saving(found: Mapping[str, Any]) -> Text:
    deferred, saved, listing = found["deferred"], found["saved"], found["listing"]
    if not deferred["count"]:
        return Text(found["tool_search"]["why"], style="dim")
    gain = (
        f"Saved on every request: {saved['tokens']:,} tokens, {saved['percent_of_tools']:g} % of the tool array."
        if saved["tokens"] > 0
        else f"For so few tools this costs {-saved['tokens']:,} tokens more than sending every schema."
    )
    return Text(
        f"{deferred['count']:,} tools wait behind search ({deferred['tokens']:,} tokens of schema); the listing "
        f"({listing['form']}) costs {listing['tokens']:,} of {listing['budget']:,}. {gain}",
        style="green" if saved["tokens"] > 0 else "yellow",
    )


def _differences(against: Mapping[str, Mapping[str, int]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("figure", "before", "now", "change"):
        table.add_column(name, justify="left" if name == "figure" else "right")
    for name, figure in against.items():
        table.add_row(name, f"{figure['before']:,}", f"{figure['after']:,}", f"{figure['change']:+,}")
    return table


def _missing(found: Mapping[str, Any]) -> Iterator[Text]:
    for line in found["missing"]:
        yield Text(f"not counted: {line}", style="yellow")


def _bar(label: str, tokens: int, length: float, style: str) -> Text:
    whole = max(1, round(length))
    text = Text(f"{label}{' ' * (13 - cell_len(label))}")
    return text.append("█" * whole, style=style).append(f" {tokens:,} tokens")
