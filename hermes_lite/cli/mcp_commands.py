"""`hermes-lite mcp`: attach, test, switch and remove MCP servers."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import anyio
import typer

from hermes_lite.cli.place import here
from hermes_lite.cli.saying import say, warn
from hermes_lite.config.change import set_members, set_value, unset_value
from hermes_lite.config.keys import join
from hermes_lite.config.place import Place
from hermes_lite.errors import ConfigError, ServerError, UsageError
from hermes_lite.mcp import install, other_clients
from hermes_lite.mcp.grants import GrantStore
from hermes_lite.mcp.limits import Limits
from hermes_lite.mcp.probe import ProbeReport, probe
from hermes_lite.mcp.server_log import STDOUT
from hermes_lite.mcp.settings import ServerSettings, shown, written
from hermes_lite.runtime.toolbox import configured_servers, trust_store
from hermes_lite.tokens import o200k
from hermes_lite.tool_search.assemble import entry, to_json

app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="The server's name.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_servers(as_json: JsonOption = False) -> None:
    """List the servers. Says where each is configured and whether it starts."""
    servers = configured_servers(here(), demo=False)
    if as_json:
        say(json.dumps([_shown(server) for server in servers.servers], ensure_ascii=False, indent=2))
    else:
        for server in servers.servers:
            state = server.hold or ("on" if server.enabled else "off")
            say(f"{server.key:20} {state:4} {written(server)}  ({server.origin})")
        if not servers.servers:
            say("no servers yet; `hermes-lite mcp add NAME -- COMMAND` attaches one")
    for problem in servers.problems:
        warn(f"hermes-lite: {problem.key}: {problem.text}")


@app.command(context_settings={"ignore_unknown_options": True})
def add(
    name: Name,
    command: Annotated[list[str] | None, typer.Argument(metavar="[-- COMMAND...]", help="The program.")] = None,
    url: Annotated[str, typer.Option(help="The address of a remote server.")] = "",
    env: Annotated[list[str] | None, typer.Option("-e", "--env", metavar="K=V", help="A variable for it.")] = None,
    header: Annotated[list[str] | None, typer.Option(metavar="'K: V'", help="A header for it.")] = None,
    wire: Annotated[str, typer.Option("--type", help="stdio, http or sse, where it cannot be told.")] = "",
    replace: Annotated[bool, typer.Option("--replace", help="Overwrite a server of that name.")] = False,
) -> None:
    """Attach a server. Write `mcp add NAME -- COMMAND ARGS` or `mcp add NAME --url URL`."""
    place = here()
    definition = install.added(
        _own(place),
        name,
        command=command or (),
        url=url,
        env=env or (),
        headers=header or (),
        wire=wire,
        replace=replace,
    )
    _store(place, name, definition)
    say(f"{name} is attached from the next session on; `hermes-lite mcp test {name}` tries it now")


@app.command()
def remove(name: Name) -> None:
    """Take a server out of your configuration."""
    place = here()
    install.existing(_own(place), name)
    unset_value(place.home, join(("mcp_servers", name)))
    say(f"{name} is removed")


@app.command()
def enable(name: Name) -> None:
    """Switch a server on. A project's server may start from then on, as it is defined now."""
    place = here()
    project = next((s for s in configured_servers(place, demo=False).servers if s.key == name and s.project), None)
    if project is not None:
        trust_store(place).allow(project)
        say(f"{name} of this folder may start: {written(project)}")
        return
    _store(place, name, install.enabled(_own(place), name, on=True))
    say(f"{name} is on")


@app.command()
def disable(name: Name) -> None:
    """Switch a server off and keep its definition."""
    place = here()
    project = next((s for s in configured_servers(place, demo=False).servers if s.key == name and s.project), None)
    if project is not None:
        trust_store(place).forget(name)
    else:
        _store(place, name, install.enabled(_own(place), name, on=False))
    say(f"{name} is off")


@app.command()
def test(name: Name, as_json: JsonOption = False) -> None:
    """Try a server. Starts it the way the chat does; prints tools, tokens, time and its last words."""
    place = here()
    server = _configured(place, name)
    report = anyio.run(_probe, place, server)
    if as_json:
        say(json.dumps(_reported(report), ensure_ascii=False, indent=2))
    else:
        _print_report(name, report)
    if report.status.state != "ready":
        mend = "Its last words are above." if report.words else "Check the command or the address, then test again."
        raise ServerError(f"{name}: {report.status.state}: {report.status.detail}", mend=mend)


@app.command()
def login(name: Name) -> None:
    """Sign in to a remote server. Uses your browser; running sessions need `/mcp reload` then."""
    from hermes_lite.cli.mcp_login import sign_in

    place = here()
    anyio.run(sign_in, place, _configured(place, name))
    say(f"{name}: signed in")


@app.command()
def logout(name: Name) -> None:
    """Forget the sign-in to a remote server."""
    forgotten = GrantStore(here().home.tokens).forget(name)
    say(f"{name}: " + ("the sign-in is forgotten" if forgotten else "there was no sign-in"))


@app.command("import")
def import_(
    file: Annotated[Path | None, typer.Argument(help="Another client's file; without it, the known ones.")] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Overwrite servers of the same name.")] = False,
) -> None:
    """Take over the servers from the files of other clients."""
    place = here()
    own, new, told = _own(place), {}, []
    for client, path in [(file.name, file)] if file else other_clients.client_files(Path.home()):
        for name, definition in _found(client, path, place, is_named=file is not None).items():
            if (name in own and not replace) or name in new:
                told.append(f"{name}: kept as it is" + ("" if name in new else " (--replace overwrites it)"))
            else:
                new[name] = definition
                told.append(f"{name}: taken over from {client}")
    if new:
        set_members(place.home, "mcp_servers", new)
    say("\n".join(told if new else [*told, "nothing was taken over"]))


def _found(client: str, path: Path, place: Place, *, is_named: bool) -> Mapping[str, Mapping[str, Any]]:
    """The servers in a file, once the person has been told of its others.

    A file that the person did not name is passed over when it cannot be read.
    """
    try:
        found = other_clients.import_servers(path, place.project.root)
    except ConfigError as error:
        if is_named:
            raise
        warn(f"hermes-lite: {error}")
        return {}
    if is_named and not found.servers and not found.problems and not found.elsewhere:
        raise ConfigError(f"{path}: no servers in it", mend="Name the file that holds `mcpServers`.")
    for problem in found.problems:
        warn(f"{problem.key}: {'left out: ' if problem.fatal else ''}{problem.text}")
    if found.elsewhere:
        warn(f"{client}: {found.elsewhere} servers of other folders; run this in them to take those over")
    return found.servers


def _own(place: Place) -> Mapping[str, Any]:
    return place.config.section("mcp_servers")


def _store(place: Place, name: str, definition: Mapping[str, Any]) -> None:
    set_value(place.home, join(("mcp_servers", name)), dict(definition))


def _configured(place: Place, name: str) -> ServerSettings:
    servers = configured_servers(place, demo=True)
    for problem in servers.problems:
        if problem.key == name and problem.fatal:
            raise ServerError(f"{name}: {problem.text}")
    found = next((server for server in servers.servers if server.key == name), None)
    if found is None:
        known = ", ".join(server.key for server in servers.servers) or "none"
        raise UsageError(f"there is no server {name!r}", mend=f"Configured: {known}.")
    return found


async def _probe(place: Place, server: ServerSettings) -> ProbeReport:
    limits = Limits.read(place.config.section("mcp"))
    return await probe(server, limits=limits, logs=place.home.logs, cwd=place.project.root, tokens=place.home.tokens)


def _print_report(name: str, report: ProbeReport) -> None:
    say(f"{name}: {report.status.state} after {report.seconds:.1f} s · {report.address}")
    counter = o200k()
    for row in report.rows:
        say(f"  {row.short_name}  {counter.count(to_json(entry(row)))} tokens")
    for dropped in report.dropped:
        say(f"  dropped {dropped.name}: {dropped.reason}")
    if report.rows:
        total = sum(counter.count(to_json(entry(row))) for row in report.rows)
        say(f"  {len(report.rows)} tools, {total:,} tokens ({counter.method})")
    for line in report.words:
        warn(f"  {line}" if line.startswith(STDOUT) else f"  stderr: {line}")


def _reported(report: ProbeReport) -> dict[str, Any]:
    counter = o200k()
    return {
        "state": report.status.state,
        "detail": report.status.detail,
        "seconds": round(report.seconds, 3),
        "address": report.address,
        "tools": [{"name": row.name, "tokens": counter.count(to_json(entry(row)))} for row in report.rows],
        "dropped": [{"name": dropped.name, "reason": dropped.reason} for dropped in report.dropped],
        "instructions": report.instructions,
        "stderr": list(report.words),
    }


def _shown(server: ServerSettings) -> dict[str, Any]:
    return {
        "name": server.key,
        "enabled": server.enabled,
        "held": server.hold or None,
        "transport": server.wire,
        "origin": server.origin,
        **shown(server.definition),
    }
