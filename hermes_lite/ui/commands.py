"""The commands of the chat: one table from which the menu, `/help`, the manual page and completion derive.

A handler gets the `Desk` it works at and the rest of the line. What can go wrong on purpose is a `HermesError`, which
the chat shows with its mend.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from itertools import groupby
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from hermes_lite.errors import UsageError
from hermes_lite.events import Sink
from hermes_lite.runtime import Runtime
from hermes_lite.runtime.views import ApprovalMode
from hermes_lite.text import one_line
from hermes_lite.ui.context import context_screen
from hermes_lite.ui.sessions import SHOWN, cost_line, recap, sessions_screen
from hermes_lite.ui.tools import servers_screen, tools_screen

Part: TypeAlias = Literal["Conversation", "Tools and context", "Session", "Help and leaving"]
MODES: Mapping[ApprovalMode, str] = {
    "ask": "what changes or sends something asks first",
    "auto-edit": "files change unasked, the rest asks",
    "yolo": "nothing asks, except what is ruinous",
    "deny": "what would ask is denied",
}
_SIDE_BY_SIDE = 64
_NAME_COLUMN = 30
_NAME = re.compile(r"/([A-Za-z][A-Za-z-]*|\?)(?:\s+(.*))?\Z", re.DOTALL)


class Desk(Protocol):
    """What a command may use of the chat."""

    runtime: Runtime

    @property
    def width(self) -> int: ...

    @property
    def busy(self) -> bool: ...

    @property
    def sink(self) -> Sink: ...

    def say(self, what: RenderableType) -> None: ...

    def stop_turn(self) -> None: ...

    def leave(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One row. `any_time` commands run at once even while a turn runs; the others wait for its end."""

    name: str
    part: Part
    help: str
    run: Callable[[Desk, str], Awaitable[None]]
    argument: str = ""
    aliases: tuple[str, ...] = ()
    any_time: bool = False
    complete: Callable[[Runtime], Iterable[str]] | None = None

    @property
    def usage(self) -> str:
        return f"/{self.name} {self.argument}".rstrip()


def split(text: str) -> tuple[str, str] | None:
    """`/name rest` as its two parts; `None` for what is not a command, such as a path or a sentence."""
    found = _NAME.match(text.strip())
    return (found[1].lower(), (found[2] or "").strip()) if found else None


def find(name: str, table: Sequence[Command] | None = None) -> Command:
    """The command called `name`: its name, an alias, or the beginning of just one command.

    Raises `UsageError` that names the nearest ones.
    """
    table = COMMANDS if table is None else table
    exact = [command for command in table if name in (command.name, *command.aliases)]
    begun = exact or [c for c in table if any(n.startswith(name) for n in (c.name, *c.aliases))]
    if len(begun) == 1:
        return begun[0]
    if begun:
        raise UsageError(f"/{name} could be {_either(c.name for c in begun)}")
    names = [n for command in table for n in (command.name, *command.aliases)]
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    raise UsageError(f"There is no /{name}.", mend=f"Did you mean /{near[0]}?" if near else "/help lists them all.")


def _either(names: Iterable[str]) -> str:
    return " or ".join(f"/{name}" for name in names)


def completions(runtime: Runtime, before: str) -> Iterable[tuple[str, str]]:
    """What may stand where the line `before` ends: `(text, help)`."""
    name, space, rest = before.removeprefix("/").partition(" ")
    if not space:
        for command in COMMANDS:
            if command.name.startswith(name.lower()):
                yield f"/{command.name}", command.help
        return
    try:
        command = find(name.lower())
    except UsageError:
        return
    for value in command.complete(runtime) if command.complete else ():
        if value.startswith(rest):
            yield value, ""


async def _help(desk: Desk, words: str) -> None:
    desk.say(help_screen(words, desk.width))


def help_screen(words: str, width: int) -> RenderableType:
    """Every command, or those that speak of `words`, by part."""
    wanted = words.lower()
    rows = [c for c in COMMANDS if wanted in f"{c.usage} {' '.join(c.aliases)} {c.help}".lower()]
    if not rows:
        return Text(f"No command speaks of {one_line(words)!r}.", style="warn")
    parts: list[RenderableType] = []
    for part, members in groupby(rows, key=lambda row: row.part):
        parts += [Text(part, style="bold"), columns([(row.usage, _told(row)) for row in members], width)]
    return Group(*parts, *(() if words else (Text("Keys", style="bold"), columns(_KEYS, width))))


def _told(row: Command) -> str:
    return f"{row.help} (also {_either(row.aliases)})" if row.aliases else row.help


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
    return Text("  " + name, style="accent"), Padding(Text(told, style="faint"), (0, 0, 0, 4))


_KEYS = (
    ("Enter", "send; while a turn runs it is queued"),
    ("Alt-Enter, Ctrl-J, \\ Enter", "new line"),
    ("Esc, Ctrl-C", "interrupt the turn; Ctrl-C twice quits"),
    ("Ctrl-O", "show the last folded output in full"),
    ("Ctrl-R, Up, Down", "earlier lines"),
    ("Ctrl-G", "write in your editor"),
    ("Tab, @path", "complete commands and paths"),
    ("Ctrl-D", "quit"),
)


async def _new(desk: Desk, _: str) -> None:
    before = desk.runtime.overview().session_id
    await desk.runtime.new_session()
    desk.say(Text(f"· new session; /resume {before} goes back", style="faint"))


async def _model(desk: Desk, name: str) -> None:
    if name:
        await desk.runtime.switch_model(name)
    view = desk.runtime.overview()
    model = one_line(view.model)
    desk.say(Text(model, style="accent").append(f" · {one_line(view.endpoint).removeprefix(model).strip()}", "faint"))


async def _tools(desk: Desk, words: str) -> None:
    if words == "refresh":
        await desk.runtime.refresh_tools()
        desk.say(Text("· the next request carries the tools as they are now; the prompt cache starts anew", "faint"))
        return
    desk.say(tools_screen(desk.runtime.tools(), words, desk.width))


async def _mcp(desk: Desk, _: str) -> None:
    desk.say(servers_screen(desk.runtime.overview().servers, desk.width))


async def _context(desk: Desk, _: str) -> None:
    desk.say(context_screen(desk.runtime.context_report(), desk.width))


async def _sessions(desk: Desk, _: str) -> None:
    desk.say(sessions_screen(desk.runtime.sessions(SHOWN), datetime.now().astimezone(), desk.width))


async def _resume(desk: Desk, session: str) -> None:
    if not session:
        await _sessions(desk, "")
        return
    await desk.runtime.resume(session)
    desk.say(recap(desk.runtime.messages()) or Text("· an empty session", style="faint"))


async def _cost(desk: Desk, _: str) -> None:
    desk.say(cost_line(desk.runtime.cost()))


async def _export(desk: Desk, place: str) -> None:
    path = Path(place or f"{desk.runtime.overview().session_id}.md").expanduser()
    written = desk.runtime.export(path)
    desk.say(Text(f"· written to {one_line(str(written))}", style="faint"))


async def _approve(desk: Desk, mode: str) -> None:
    chosen = next((known for known in MODES if known == mode.lower()), None)
    if chosen:
        desk.runtime.set_approvals(chosen)
    elif mode:
        raise UsageError(f"There is no mode {mode!r}.", mend=f"One of {', '.join(MODES)}.")
    now = desk.runtime.overview().approvals
    rules = [Text(f"  {one_line(rule.text)}  ({rule.origin})") for rule in desk.runtime.approval_rules()]
    desk.say(Group(Text("Approvals: ").append(now, "bold").append(f"; {MODES[now]}", "faint"), *rules))


async def _undo(desk: Desk, _: str) -> None:
    done = await desk.runtime.undo()
    desk.say(Text("\n".join(f"· {one_line(line)}" for line in done) or "· nothing to take back", style="faint"))


async def _compact(desk: Desk, focus: str) -> None:
    await desk.runtime.compact(focus, desk.sink)


async def _stop(desk: Desk, _: str) -> None:
    if desk.busy:
        desk.stop_turn()
    else:
        desk.say(Text("· nothing is running", style="faint"))


async def _quit(desk: Desk, _: str) -> None:
    desk.leave()


def _tool_sources(runtime: Runtime) -> Iterable[str]:
    return sorted({row.source.label for row, _ in runtime.tools()})


def _session_ids(runtime: Runtime) -> Iterable[str]:
    return [info.id for info in runtime.sessions(SHOWN)]


COMMANDS: tuple[Command, ...] = (
    Command(name="new", part="Conversation", help="start a new session", run=_new, aliases=("clear",)),
    Command(name="undo", part="Conversation", help="take back the last turn and its file changes", run=_undo),
    Command(
        name="compact",
        part="Conversation",
        argument="[FOCUS]",
        help="put a summary in place of the history",
        run=_compact,
        aliases=("compress",),
    ),
    Command(name="stop", part="Conversation", help="interrupt the running turn", run=_stop, any_time=True),
    Command(
        name="context",
        part="Tools and context",
        help="what fills the window, and what deferral saves",
        run=_context,
        any_time=True,
    ),
    Command(
        name="tools",
        part="Tools and context",
        argument="[TEXT|refresh]",
        help="the tools; refresh sends their present state",
        run=_tools,
        any_time=True,
        complete=_tool_sources,
    ),
    Command(name="mcp", part="Tools and context", help="the MCP servers", run=_mcp, any_time=True),
    Command(
        name="model", part="Session", argument="[NAME]", help="show the model, or go on with another one", run=_model
    ),
    Command(
        name="approve",
        part="Session",
        argument="[MODE]",
        help="what asks: ask, auto-edit, yolo or deny",
        run=_approve,
        aliases=("approvals",),
        any_time=True,
        complete=lambda runtime: MODES,
    ),
    Command(name="sessions", part="Session", help="the latest sessions, those of this folder first", run=_sessions),
    Command(
        name="resume",
        part="Session",
        argument="[ID]",
        help="go on with an earlier session",
        run=_resume,
        complete=_session_ids,
    ),
    Command(
        name="cost",
        part="Session",
        help="tokens and money of this session",
        run=_cost,
        aliases=("usage",),
        any_time=True,
    ),
    Command(
        name="export",
        part="Session",
        argument="[FILE]",
        help="write the session as .md, .html or .jsonl",
        run=_export,
    ),
    Command(
        name="help",
        part="Help and leaving",
        argument="[TEXT]",
        help="this page",
        run=_help,
        aliases=("?",),
        any_time=True,
    ),
    Command(name="quit", part="Help and leaving", help="leave", run=_quit, aliases=("exit",), any_time=True),
)
