"""`/help`, and the same tables for the manual: both are drawn from the commands themselves."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from hermes_lite.text import one_line
from hermes_lite.ui.command import Command, either

_SIDE_BY_SIDE = 64
_NAME_COLUMN = 30
KEYS = (
    ("Enter", "send; while a turn runs it is queued"),
    ("Alt-Enter, Ctrl-J, \\ Enter", "new line; Shift-Enter too where it is reported"),
    ("Esc, Ctrl-C", "interrupt the turn; Ctrl-C twice quits"),
    ("Ctrl-O", "show the open question, or the last folded output, in full"),
    ("Ctrl-R, Up, Down", "earlier lines"),
    ("Ctrl-G", "write in your editor"),
    ("Shift-Tab", "let files change unasked, or not"),
    ("!command", "run it in the shell; the model hears of it"),
    ("Tab, @path", "complete commands and paths"),
    ("Ctrl-D, Ctrl-Z", "quit; go to the background"),
)


def help_screen(table: Sequence[Command], words: str, width: int) -> RenderableType:
    """Every command, or those that speak of `words`, by part."""
    wanted = words.lower()
    rows = [c for c in table if wanted in f"{c.usage} {' '.join(c.aliases)} {c.help}".lower()]
    if not rows:
        return Text(f"No command speaks of {one_line(words)!r}.", style="warn")
    parts: list[RenderableType] = []
    for part, members in groupby(rows, key=lambda row: row.part):
        parts += [Text(part, style="bold"), columns([(row.usage, _told(row)) for row in members], width)]
    return Group(*parts, *(() if words else (Text("Keys", style="bold"), columns(KEYS, width))))


def _told(row: Command) -> str:
    return f"{row.help} (also {either(row.aliases)})" if row.aliases else row.help


def columns(pairs: Iterable[tuple[str, str]], width: int) -> RenderableType:
    """Names and what they mean: side by side, or one below the other where the terminal is narrow."""
    if width < _SIDE_BY_SIDE:
        return Group(*(line for name, told in pairs for line in _stacked(name, told)))
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(width=_NAME_COLUMN, style="accent")
    table.add_column()
    for name, told in pairs:
        table.add_row("  " + name, told)
    return table


def _stacked(name: str, told: str) -> tuple[RenderableType, RenderableType]:
    return Padding(Text(name, style="accent"), (0, 0, 0, 2)), Padding(Text(told, style="faint"), (0, 0, 0, 4))


def reference(table: Sequence[Command]) -> str:
    """The commands and keys as the Markdown tables of the manual's page on the chat."""
    commands = [(f"`{row.usage}`", _told(row)) for row in table]
    return "\n".join([*_markdown("command", commands), "", *_markdown("key", KEYS)])


def _markdown(head: str, pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    yield f"| {head} | what it does |"
    yield "| --- | --- |"
    for name, told in pairs:
        yield f"| {name.replace('|', chr(92) + '|')} | {told} |"
