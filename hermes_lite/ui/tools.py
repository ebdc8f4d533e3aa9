"""`/tools` and `/mcp`: which tools there are, which of them wait behind search, and how their servers stand."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from hermes_lite.runtime import Pending
from hermes_lite.text import one_line
from hermes_lite.tools.registry import Dropped
from hermes_lite.tools.spec import SourceState, SourceStatus, ToolSpec
from hermes_lite.ui.cells import clip
from hermes_lite.ui.status import STATES

_NAMES_SHOWN = 12
_DROPS_SHOWN = 3
_BROKEN: tuple[SourceState, ...] = ("failed", "gone")
_MEND = "/mcp reload NAME tries again; hermes-lite mcp test NAME shows what it said."


def tools_screen(
    tools: Sequence[tuple[ToolSpec, bool]], words: str, width: int, pending: Sequence[Pending] = ()
) -> RenderableType:
    """Sources with their tools, and what is `pending`; with `words`, only the tools that speak of them, each with
    its purpose."""
    wanted = words.lower()
    found = [(row, deferred) for row, deferred in tools if wanted in _spoken(row)]
    if not found:
        return Text(f"No tool speaks of {one_line(words)!r}.", style="warn")
    told: Iterable[RenderableType] = _purposes(found, width) if words else _by_source(found)
    direct = sum(not deferred for _, deferred in found)
    head = Text().append_text(_marked(False)).append(f"{direct} direct  ", "bold")
    head.append_text(_marked(True)).append(f"{len(found) - direct} behind search", "bold")
    waiting = (Text(f"pending until {it.until}: {one_line(it.what)}", style="warn") for it in pending)
    return Group(head, *waiting, *told)


def _spoken(row: ToolSpec) -> str:
    return f"{row.name} {row.original_name} {row.source.label} {row.description}".lower()


def _by_source(found: Iterable[tuple[ToolSpec, bool]]) -> Iterable[RenderableType]:
    ordered = sorted(found, key=lambda pair: (pair[1], pair[0].source, pair[0].name))
    for (deferred, source), members in groupby(ordered, key=lambda pair: (pair[1], pair[0].source)):
        names = [one_line(row.short_name) for row, _ in members]
        line = _marked(deferred)
        line.append(clip(one_line(source.label), 24), "accent").append(f" {len(names)}", "faint")
        yield line
        more = f", … +{len(names) - _NAMES_SHOWN}" if len(names) > _NAMES_SHOWN else ""
        yield Padding(Text(", ".join(names[:_NAMES_SHOWN]) + more), (0, 0, 0, 2))


def _purposes(found: Iterable[tuple[ToolSpec, bool]], width: int) -> Iterable[Text]:
    for row, deferred in found:
        line = _marked(deferred)
        name = clip(one_line(row.name), width - 2)
        line.append(name, "accent")
        left = width - cell_len(name) - 4
        yield line.append("  " + clip(one_line(row.description), left), "faint") if left >= 12 else line


def _marked(deferred: bool) -> Text:
    return Text(no_wrap=True, overflow="crop").append(*(("○ ", "faint") if deferred else ("● ", "good")))


def servers_screen(servers: Sequence[SourceStatus], width: int, dropped: Sequence[Dropped] = ()) -> RenderableType:
    """A line for each server: its state, its tools, what it last complained of, below where that is long; then what
    it had to leave out. The way out for those that are broken comes last."""
    if not servers:
        return Text("No MCP servers yet. hermes-lite mcp add NAME -- COMMAND adds one.", style="faint")
    column = min(max(cell_len(one_line(s.source.label)) for s in servers), max(6, width // 2))
    lines = (line for status in servers for line in _server_lines(status, column, width, dropped))
    is_broken = any(status.state in _BROKEN for status in servers)
    return Group(*lines, *([Text(_MEND, style="faint")] if is_broken else ()))


def _server_lines(
    status: SourceStatus, column: int, width: int, dropped: Iterable[Dropped]
) -> Iterable[RenderableType]:
    own = [drop for drop in dropped if drop.source == status.source]
    more = (
        [f"without {len(own) - _DROPS_SHOWN} more; `hermes-lite tools list` names them"]
        if len(own) > _DROPS_SHOWN
        else []
    )
    line, detail = _server(status, column), one_line(status.detail)
    beside = cell_len(line.plain) + 2 + cell_len(detail) <= width
    yield line.append(f"  {detail}" if beside and detail else "", "faint")
    below = () if beside else (detail,)
    left_out = (f"without {one_line(drop.name) or 'a tool'}: {one_line(drop.reason)}" for drop in own[:_DROPS_SHOWN])
    for what in (*below, *left_out, *more):
        yield Padding(Text(what, "faint"), (0, 0, 0, 2))


def _server(status: SourceStatus, column: int) -> Text:
    word, style = STATES[status.state]
    label = clip(one_line(status.source.label), column)
    line = Text(no_wrap=True, overflow="crop")
    line.append(label + " " * (column - cell_len(label)), "accent").append(f"  {word}", style)
    if status.state == "ready":
        line.append(f"  {status.tools} tool" + ("" if status.tools == 1 else "s"), "faint")
    return line
