"""`hermes-lite config`: read and change the configuration from the shell.

Values go to standard output, everything said about them to standard error. What only a change needs (the YAML
parser, the file lock) is imported by the commands that change something, so that reading stays quick.
"""

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hermes_lite.cli.place import here
from hermes_lite.cli.saying import say, warn
from hermes_lite.config import Config, load
from hermes_lite.config.keys import split
from hermes_lite.config.literals import one_json_line, printed, written
from hermes_lite.config.place import Place
from hermes_lite.config.secrets import environment, is_secret_variable, mask, masked, read_env
from hermes_lite.config.trust import trust
from hermes_lite.errors import ConfigError, HermesError
from hermes_lite.paths import Project, home

if TYPE_CHECKING:
    from hermes_lite.config.change import Change

_NAMING_TOOLS = (
    *(f"tools.tool_search.{key}" for key in ("pin", "defer")),
    *(f"agent.approvals.{verb}" for verb in ("allow", "ask", "deny")),
)

app = typer.Typer(
    add_completion=False, no_args_is_help=True, rich_markup_mode=None, help="Read and change the configuration."
)

KeyArgument = Annotated[str, typer.Argument(metavar="KEY", help="A dotted key, such as tools.tool_search.enabled.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON on one line.")]
RawOption = Annotated[bool, typer.Option("--raw", help="Print secrets as they are.")]


@app.command()
def get(
    key: KeyArgument,
    as_json: JsonOption = False,
    raw: RawOption = False,
    default: Annotated[
        str | None, typer.Option(metavar="VALUE", help="Print this when the key is not there.")
    ] = None,
) -> None:
    """Print the value that holds for KEY."""
    try:
        value = _secret(key, raw) if is_secret_variable(key) else _value(key, raw)
    except ConfigError as error:
        if default is None:
            raise HermesError(error.message, mend=error.mend) from None
        value = default
    say(one_json_line(value) if as_json else printed(value))


@app.command("set", context_settings={"ignore_unknown_options": True})
def set_(
    key: KeyArgument,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="A word, a number, or a YAML list or mapping.")],
    force: Annotated[bool, typer.Option("--force", help="Write a key that does not exist in the defaults.")] = False,
    append: Annotated[bool, typer.Option("--append", help="Add VALUE to the list KEY.")] = False,
) -> None:
    """Set KEY in your own file. Comments and everything else in it stay as they are."""
    from hermes_lite.config import change

    _report(change.append_item(home(), key, value) if append else change.set_value(home(), key, value, force))


@app.command()
def unset(key: KeyArgument) -> None:
    """Take KEY out of your own file. The default holds again."""
    from hermes_lite.config.change import unset_value

    change = unset_value(home(), key)
    warn(f"{change.key} is no longer set; this takes effect {change.takes_effect}")


@app.command("list")
def list_(as_json: JsonOption = False, raw: RawOption = False) -> None:
    """Print every key, its value and its origin."""
    config = _load()
    rows = [
        (key, value if raw else masked(value, split(key)), str(config.origin(key))) for key, value in config.items()
    ]
    rows += [
        (name, value if raw else mask(value), f"user ({home().env})") for name, value in read_env(home()).items()
    ]
    if as_json:
        say(one_json_line({key: {"value": value, "origin": origin} for key, value, origin in rows}))
        return
    for key, value, origin in rows:
        say(f"{key} = {written(value)}" + ("" if origin == "defaults" else f"  # {origin}"))


@app.command()
def path() -> None:
    """Print the path of your own configuration file."""
    say(str(home().config))


@app.command()
def edit() -> None:
    """Edit your own file. Uses $VISUAL or $EDITOR, and checks the file afterwards."""
    file = home().config
    _ensure(file)
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ("vi" if sys.stdin.isatty() else "")
    if not editor:
        raise HermesError("there is no terminal to edit in", mend=f"Set EDITOR, or change {file} in an editor.")
    try:
        code = subprocess.run([*shlex.split(editor), str(file)], check=False).returncode
    except OSError as error:
        raise HermesError(
            f"{editor} cannot be started ({error.strerror})", mend="Set EDITOR to your editor."
        ) from None
    if code:
        raise HermesError(f"{editor} ended with {code}")
    check()


@app.command()
def check() -> None:
    """Name everything that has no effect. Ends with 1 when there is something."""
    from hermes_lite.mcp.settings import read_servers

    place = here(quiet=True)
    config = place.config
    for problem in config.problems:
        warn(f"hermes-lite: {problem}")
    for file in config.untrusted:
        warn(f"hermes-lite: {file}: not used, this folder is not trusted (`hermes-lite config trust`)")
    servers = read_servers(config.section("mcp_servers"), environ=place.environ, origin="", cwd=Path())
    for trouble in servers.problems:
        warn(f"hermes-lite: mcp_servers.{trouble.key}: {trouble.text}")
    lines = _nameless(place)
    for line in lines:
        warn(f"hermes-lite: {line}")
    if config.problems or servers.problems or lines:
        raise typer.Exit(1)
    warn("The configuration has no problems.")


def _nameless(place: Place) -> tuple[str, ...]:
    if all(place.config.origin(key).layer == "defaults" for key in _NAMING_TOOLS):
        return ()
    from hermes_lite.cli.effects import nameless

    return nameless(place)


@app.command("trust")
def trust_() -> None:
    """Allow this folder's configuration. It holds as it stands now; a change is asked for anew."""
    project = Project(Path.cwd())
    if not project.config.is_file():
        raise HermesError(f"there is no {project.config}")
    trust(home(), project)
    warn(f"{project.config} is used from now on, until it changes")


def _load() -> Config:
    return load(home(), Project(Path.cwd()), os.environ)


def _value(key: str, raw: bool) -> Any:
    config = _load()
    for problem in config.problems:
        if not problem.key or problem.key == key:
            warn(f"hermes-lite: {problem}")
    value = config.get(key)
    return value if raw else masked(value, split(key))


def _secret(name: str, raw: bool) -> str:
    value = environment(home(), os.environ).get(name)
    if value is None:
        raise ConfigError(f"{name} is not set", mend=f"Set it with `hermes-lite config set {name} VALUE`.")
    return value if raw else mask(value)


def _report(change: "Change") -> None:
    value = mask(change.new) if change.secret else masked(change.new, split(change.key))
    say(f"{change.key} = {written(value)}")
    winner = _winner(change)
    warn(f"no effect yet: {winner} says otherwise and wins" if winner else f"takes effect {change.takes_effect}")


def _winner(change: "Change") -> str:
    """What is laid over the user's own file and holds another value than the one that was set; empty when nothing."""
    if change.secret:
        other = os.environ.get(change.key, change.new) != change.new
        return f"{change.key} in the environment" if other else ""
    config = _load()
    if config.schema.owner(split(change.key)) is None:
        return ""
    origin = config.origin(change.key)
    return str(origin) if origin.layer not in ("defaults", "user") and config.get(change.key) != change.new else ""


def _ensure(file: Path) -> None:
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.touch(mode=0o600)
    except OSError as error:
        raise ConfigError(f"{file} cannot be created ({error.strerror})") from None
