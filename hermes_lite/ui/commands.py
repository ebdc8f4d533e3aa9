"""The commands of the chat: one table from which the menu, `/help`, the manual page and completion derive.

A handler gets the `Desk` it works at and the rest of the line. What can go wrong on purpose is a `HermesError`, which
the chat shows with its mend.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path

from rich.console import Group
from rich.text import Text

from hermes_lite.approvals.terms import Verb
from hermes_lite.errors import UsageError
from hermes_lite.runtime import Runtime
from hermes_lite.runtime.views import ApprovalMode
from hermes_lite.text import one_line
from hermes_lite.ui.command import Command, Desk
from hermes_lite.ui.configuration import config_screen
from hermes_lite.ui.context import context_screen
from hermes_lite.ui.help import help_screen
from hermes_lite.ui.models import models_screen
from hermes_lite.ui.sessions import SHOWN, cost_line, recap, sessions_screen
from hermes_lite.ui.tools import servers_screen, tools_screen

MODES: Mapping[ApprovalMode, str] = {
    "ask": "what changes or sends something asks first",
    "auto-edit": "files change unasked, the rest asks",
    "yolo": "nothing asks, except what is ruinous",
    "deny": "what would ask is denied",
}
_VERBS: tuple[Verb, ...] = ("allow", "ask", "deny")
_SWITCHES = ("enable", "disable")


async def _help(desk: Desk, words: str) -> None:
    desk.say(help_screen(COMMANDS, words, desk.width))


async def _new(desk: Desk, _: str) -> None:
    before = desk.runtime.overview().session_id if desk.runtime.messages() else ""
    await desk.runtime.new_session()
    desk.say(Text("· new session" + (f"; /resume {before} goes back" if before else ""), style="faint"))


async def _model(desk: Desk, name: str) -> None:
    """Says which model answers before it asks the endpoint for the others."""
    if name:
        await desk.runtime.switch_model(name)
    view = desk.runtime.overview()
    model = one_line(view.model)
    desk.say(Text(model, style="accent").append(f" · {one_line(view.endpoint).removeprefix(model).strip()}", "faint"))
    if name and (known := desk.runtime.known_models()) and name not in known:
        desk.say(Text("! not among the models that the endpoint lists; /model shows them", style="warn"))
    if not name:
        desk.say(models_screen(await desk.runtime.models(), view.model, desk.width))


async def _tools(desk: Desk, words: str) -> None:
    if words == "refresh":
        cached = desk.runtime.overview().used_tokens
        await desk.runtime.refresh_tools()
        desk.say(Text(f"· the next request carries the tools as they are now; {_cache_price(cached)}", "faint"))
        return
    desk.say(tools_screen(desk.runtime.tools(), words, desk.width, desk.runtime.pending()))


async def _mcp(desk: Desk, words: str) -> None:
    action, _, server = words.partition(" ")
    if action:
        await _server_action(desk.runtime, action, server.strip())
    view = desk.runtime.overview()
    desk.say(servers_screen(view.servers, desk.width, desk.runtime.dropped()))
    if action in _SWITCHES:
        cost = _cache_price(view.used_tokens)
        desk.say(Text(f"· search and calls follow at once; /tools refresh lists it too, {cost}", "faint"))


def _cache_price(tokens: int) -> str:
    """What it costs to send another array: everything that a provider had kept is read once more."""
    return f"the prompt cache starts anew ({tokens:,} tokens)"


async def _server_action(runtime: Runtime, action: str, server: str) -> None:
    match action:
        case "reload":
            await runtime.reload_servers(server)
        case action if action in _SWITCHES and server:
            await runtime.set_server(server, enabled=action == "enable")
        case _:
            told = f"/mcp {action} needs a name" if action in _SWITCHES else f"/mcp cannot {action}"
            raise UsageError(told, mend="/mcp reload NAME, /mcp enable NAME or /mcp disable NAME.")


async def _context(desk: Desk, _: str) -> None:
    await desk.runtime.learn_window()
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


async def _approve(desk: Desk, words: str) -> None:
    chosen = next((known for known in MODES if known == words.lower()), None)
    if chosen:
        desk.runtime.set_approvals(chosen)
    elif words:
        desk.say(Text(f"· {_rule_changed(desk.runtime, *words.split(None, 1))}", style="faint"))
        return
    now = desk.runtime.overview().approvals
    rules = [Text(f"  {one_line(rule.text)}  ({rule.origin})") for rule in desk.runtime.approval_rules()]
    desk.say(Group(Text("Approvals: ").append(now, "bold").append(f"; {MODES[now]}", "faint"), *rules))


def _rule_changed(runtime: Runtime, verb: str, rule: str = "") -> str:
    """Store or forget a rule; what was done, and to which file."""
    if verb == "forget" and rule:
        gone, file = runtime.forget_rule(rule)
        return f"taken out of {file}: {gone}" if file else f"no longer holds for this session: {gone}"
    for known in _VERBS:
        if verb == known and rule and not rule.endswith(":"):
            return f"stored in {runtime.add_rule(known, rule)}: {known} {rule}"
    raise UsageError(
        f"/approve {verb} needs a rule" if verb in (*_VERBS, "forget") else f"/approve cannot {verb}",
        mend=f"A mode ({', '.join(MODES)}), or allow, ask, deny or forget with a RULE such as `terminal: git push*`.",
    )


async def _undo(desk: Desk, _: str) -> None:
    done = await desk.runtime.undo()
    desk.say(Text("\n".join(f"· {one_line(line)}" for line in done) or "· nothing to take back", style="faint"))


async def _compact(desk: Desk, focus: str) -> None:
    await desk.runtime.compact(focus, desk.sink)


async def _config(desk: Desk, key: str) -> None:
    desk.say(config_screen(desk.runtime.place.config, key))


async def _stop(desk: Desk, _: str) -> None:
    if desk.in_turn:
        desk.stop_turn()
    else:
        desk.say(Text("· nothing is running", style="faint"))


async def _quit(desk: Desk, _: str) -> None:
    desk.leave()


def _tool_sources(runtime: Runtime) -> Iterable[str]:
    return sorted({row.source.label for row, _ in runtime.tools()})


def _server_actions(runtime: Runtime) -> Iterable[str]:
    keys = sorted(status.source.label for status in runtime.overview().servers)
    return [f"{action} {key}" for action in ("reload", "enable", "disable") for key in keys]


def _approvals(runtime: Runtime) -> Iterable[str]:
    return [*MODES, *(f"forget {rule.text}" for rule in runtime.approval_rules())]


def _session_ids(runtime: Runtime) -> Iterable[str]:
    return [info.id for info in runtime.sessions(SHOWN)]


COMMANDS: tuple[Command, ...] = (
    Command(name="new", part="Conversation", help="start a new session", run=_new, aliases=("clear",)),
    Command(name="undo", part="Conversation", help="take back the last turn and its file changes", run=_undo),
    Command(
        name="compact",
        part="Conversation",
        argument="[FOCUS]",
        help="summarise the history",
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
    Command(
        name="mcp",
        part="Tools and context",
        argument="[ACTION NAME]",
        help="the MCP servers; reload, enable or disable one for this session",
        run=_mcp,
        any_time=True,
        complete=_server_actions,
    ),
    Command(
        name="model",
        part="Session",
        argument="[NAME]",
        help="the models of the endpoint, or go on with another one",
        run=_model,
        complete=lambda runtime: runtime.known_models(),
    ),
    Command(
        name="approve",
        part="Session",
        argument="[MODE|VERB RULE]",
        help="ask, auto-edit, yolo or deny; allow, ask, deny or forget a rule",
        run=_approve,
        aliases=("approvals",),
        any_time=True,
        complete=_approvals,
    ),
    Command(
        name="config",
        part="Session",
        argument="[KEY]",
        help="what was changed, or what holds for KEY",
        run=_config,
        any_time=True,
        complete=lambda runtime: [key for key, _ in runtime.place.config.items()],
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
        help="these commands and keys",
        run=_help,
        aliases=("?",),
        any_time=True,
    ),
    Command(name="quit", part="Help and leaving", help="leave", run=_quit, aliases=("exit",), any_time=True),
)
