"""What a person writes about a server, read into `ServerSettings`.

The same inner object is accepted under `mcp_servers` in the configuration and under `mcpServers` (or VS Code's
`servers`) in a project's `.mcp.json`; the spellings of the common clients are folded into ours here, once.
A definition that cannot be used is a `Problem` of that server only; the others are unaffected.
Where both filters name a tool, `exclude` wins. Times are seconds in YAML and milliseconds in the JSON files.
A project's own files cannot make a server trusted or lend it the model: these count in the person's file only.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from hermes_lite.config.schema import SERVER_ALIASES, SERVER_FIELDS
from hermes_lite.errors import ConfigError, reason
from hermes_lite.mcp.expansion import Unset, expand_all, folders
from hermes_lite.mcp.lenient import read_json
from hermes_lite.text import cut

Wire: TypeAlias = Literal["stdio", "http", "sse"]

_WIRES: dict[str, Wire] = {
    "stdio": "stdio",
    "local": "stdio",
    "http": "http",
    "streamable-http": "http",
    "streamable_http": "http",
    "streamablehttp": "http",
    "remote": "http",
    "sse": "sse",
}
_OWN = ("trusted", "sampling")
_SECRET = "••••"
_NEVER = 1e12
_QUOTED = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """One server, ready to be started.

    `guessed`: nobody said which of the two wires an address speaks. `command` is the whole argument vector. `timeout`
    and `connect_timeout` are seconds, `None` for the pool's own. `hold` is why it must not be started although it is
    enabled (a project server that nobody has approved yet). `project` servers come with a folder that somebody else
    may have written. Of `trusted` servers claims about their tools are believed; of `untrusted` ones the names alone
    reach the model unasked. `definition` is the text as written, variables unexpanded: what is shown, hashed and
    stored.
    """

    key: str
    wire: Wire
    guessed: bool = False
    origin: str = ""
    project: bool = False
    command: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    inherit_env: bool = False
    cwd: Path | None = None
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    oauth: Mapping[str, Any] | None = None
    enabled: bool = True
    hold: str = ""
    timeout: float | None = None
    connect_timeout: float | None = None
    parallel: bool | None = None
    trusted: bool = False
    untrusted: bool = False
    sampling: bool = False
    always_load: bool = False
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    definition: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Problem:
    """Why the server `key` cannot be used (`fatal`), or what of its definition has no effect."""

    key: str
    text: str
    fatal: bool = True


@dataclass(frozen=True, slots=True)
class Servers:
    """What was read: usable servers, and the problems of the others, both in the order of the file."""

    servers: tuple[ServerSettings, ...] = ()
    problems: tuple[Problem, ...] = ()

    def __add__(self, other: "Servers") -> "Servers":
        """Both together; of two with the same key the one on the left stays."""
        taken = {s.key for s in self.servers} | {p.key for p in self.problems if p.fatal}
        return Servers(
            self.servers + tuple(s for s in other.servers if s.key not in taken),
            self.problems + tuple(p for p in other.problems if p.key not in taken),
        )


def read_servers(
    mapping: Mapping[str, Any],
    *,
    environ: Mapping[str, str],
    origin: str,
    cwd: Path,
    project: bool = False,
    milliseconds: bool = False,
) -> Servers:
    """The servers of one `mcp_servers` mapping. `environ` is what `${VAR}` may name (process and `.env` together)."""
    servers: list[ServerSettings] = []
    problems: list[Problem] = []
    for key, definition in mapping.items():
        try:
            server, notes = _read(str(key), definition, {**environ, **folders(cwd)}, milliseconds)
        except Unset as unset:
            problems.append(Problem(str(key), f"the variable {unset} is not set (needed by {origin})"))
        except ValueError as error:
            problems.append(Problem(str(key), f"{error} (in {origin})"))
        else:
            if project:
                notes += [f"`{name}` counts in your own configuration only" for name in _OWN if getattr(server, name)]
                server = replace(server, trusted=False, sampling=False)
            servers.append(replace(server, origin=origin, project=project))
            problems.extend(Problem(str(key), note, fatal=False) for note in notes)
    return Servers(tuple(servers), tuple(problems))


def faults(definition: Mapping[str, Any]) -> tuple[Problem, ...]:
    """What is wrong with one definition as it is written, its variables left alone."""
    try:
        _, notes = _read("", {**definition, "enabled": False}, {}, False)
    except ValueError as error:
        return (Problem("", str(error)),)
    return tuple(Problem("", note, fatal=False) for note in notes)


def read_mcp_json(path: Path, *, environ: Mapping[str, str], cwd: Path) -> Servers:
    """The servers of a `.mcp.json`; none when there is no such file. Raises `ConfigError` when it is not JSON."""
    return read_servers(
        definitions(path), environ=environ, origin=str(path), cwd=cwd, project=True, milliseconds=True
    )


def definitions(path: Path) -> Mapping[str, Any]:
    """The server block of a JSON file, under whichever key the client that wrote it uses."""
    try:
        parsed = read_json(path)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {reason(error)}", mend="Repair the file or remove it.") from error
    for name in ("mcpServers", "servers", "mcp_servers"):
        if isinstance(parsed, dict) and isinstance(parsed.get(name), dict):
            return dict(parsed[name])
    raise ConfigError(f"{path}: no mcpServers in it", mend='The file holds {"mcpServers": {NAME: {...}}}.')


def shown(definition: Mapping[str, Any]) -> dict[str, Any]:
    """`definition` for the screen: variables unexpanded, literal header and environment values masked."""
    masked = dict(definition)
    for name in ("headers", "env", "environment"):
        if isinstance(masked.get(name), Mapping):
            masked[name] = {key: value if "${" in str(value) else _SECRET for key, value in masked[name].items()}
    return masked


def written_command(server: ServerSettings) -> tuple[str, ...]:
    """The argument vector as the person wrote it: secrets that variables stand for are not in it."""
    head = server.definition.get("command", ())
    return (*([head] if isinstance(head, str) else map(str, head)), *map(str, server.definition.get("args") or ()))


def written_address(server: ServerSettings) -> str:
    """The URL as the person wrote it, under whichever key."""
    names = ("url", *(name for name, ours in SERVER_ALIASES.items() if ours == "url"))
    return next((str(server.definition[name]) for name in names if name in server.definition), "")


def written(server: ServerSettings) -> str:
    """The URL or the command line as the person wrote it, on one line."""
    return written_address(server) or " ".join(written_command(server))


def _read(
    key: str, definition: Any, names: Mapping[str, str], milliseconds: bool
) -> tuple[ServerSettings, list[str]]:
    if not isinstance(definition, Mapping):
        raise ValueError("a server is a mapping with `command` or `url`")
    plain = {SERVER_ALIASES.get(str(name), str(name)): value for name, value in definition.items()}
    notes = [f"`{name}` has no effect" for name in plain if name not in SERVER_FIELDS]
    enabled = bool(plain.get("enabled", not plain.get("disabled", False)))
    found = expand_all(plain, names) if enabled else plain
    wire = _wire(found)
    filters: Mapping[str, Any] = found["tools"] if isinstance(found.get("tools"), Mapping) else {}
    include = _strings("tools.include", filters.get("include", found.get("include")))
    exclude = _strings("tools.exclude", filters.get("exclude", found.get("exclude")))
    notes += [f"`{name}` is both included and excluded; it stays out" for name in include if name in exclude]
    scale = 0.001 if milliseconds else 1.0
    trust = _trust(found.get("trusted"))
    server = ServerSettings(
        key=key,
        wire=wire,
        guessed=not found.get("type"),
        command=_command(found) if wire == "stdio" else (),
        env=_table("env", found.get("env")),
        inherit_env=bool(found.get("inherit_env", False)),
        cwd=_folder(str(found["cwd"])) if found.get("cwd") else None,
        url=str(found.get("url") or ""),
        headers=_table("headers", found.get("headers")),
        oauth=_oauth(found),
        enabled=enabled,
        timeout=_seconds("timeout", found.get("timeout"), scale),
        connect_timeout=_seconds("connect_timeout", found.get("connect_timeout"), scale),
        parallel=_flag(found.get("supports_parallel_tool_calls")),
        trusted=trust is True,
        untrusted=trust is False,
        sampling=found.get("sampling") is True,
        always_load=found.get("always_load") is True,
        include=include,
        exclude=exclude,
        definition=dict(definition),
    )
    return server, notes


def _wire(found: Mapping[str, Any]) -> Wire:
    named = str(found.get("type") or "").lower()
    if named and named not in _WIRES:
        raise ValueError(f"unknown type {named!r}; use one of stdio, http, sse")
    if not found.get("url") and not found.get("command"):
        raise ValueError("a server needs `command` (a program) or `url`")
    wire = _WIRES[named] if named else "http" if found.get("url") else "stdio"
    needed = "command" if wire == "stdio" else "url"
    if not found.get(needed):
        raise ValueError(f"a server of type {named!r} needs `{needed}`")
    return wire


def _command(found: Mapping[str, Any]) -> tuple[str, ...]:
    command = found["command"]
    head = _strings("command", command) if isinstance(command, list) else (str(command),)
    return head + _strings("args", found.get("args"))


def _folder(written: str) -> Path:
    try:
        return Path(written).expanduser()
    except RuntimeError:
        raise ValueError(f"`cwd` begins in the home folder of nobody: {written}") from None


def _oauth(found: Mapping[str, Any]) -> Mapping[str, Any] | None:
    given = found.get("oauth", found.get("auth"))
    if isinstance(given, Mapping):
        return dict(given)
    return {} if given in ("oauth", True) else None


def _strings(name: str, value: Any) -> tuple[str, ...]:
    match value:
        case None:
            return ()
        case str():
            return (value,)
        case list():
            return tuple(_word(name, item) for item in value)
        case _:
            raise ValueError(f"`{name}` is a list of words")


def _word(name: str, item: Any) -> str:
    if isinstance(item, bool) or not isinstance(item, str | int | float):
        raise ValueError(f"`{name}` holds {item!r}, which is not a word")
    return str(item)


def _table(name: str, value: Any) -> dict[str, str]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ValueError(f"`{name}` is a mapping of names to words")
    return {str(key): _word(f"{name}.{key}", item) for key, item in value.items() if item is not None}


def _seconds(name: str, value: Any, scale: float) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < _NEVER:
        raise ValueError(f"`{name}` is a number above 0, not {cut(repr(value), _QUOTED)}")
    return float(value) * scale


def _trust(value: Any) -> bool | None:
    """Whether the server's words are believed (true), or are not even to be shown unmarked (false)."""
    for trust, spellings in ((True, (True, "trusted")), (False, ("untrusted",)), (None, (None, False))):
        if value in spellings:
            return trust
    raise ValueError(f"`trust` is true, false or untrusted, not {value!r}")


def _flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None
