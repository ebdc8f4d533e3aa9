"""Servers in the files of other clients, taken over as definitions of our own.

Where in its file a client keeps servers, how it writes a variable and what it calls a field is evened out here, once.
A server that could not be used is left out with a reason. Nothing is started, and nobody's file is changed.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hermes_lite.config.document import parse
from hermes_lite.config.nodes import BrokenYaml, plain
from hermes_lite.config.schema import SERVER_ALIASES, SERVER_FIELDS
from hermes_lite.errors import ConfigError
from hermes_lite.mcp.install import server_name
from hermes_lite.mcp.lenient import read_json, text_of
from hermes_lite.mcp.settings import Problem, faults
from hermes_lite.text import one_line

_CLIENT_FILES = (
    ("Claude Code", ".claude.json"),
    ("Claude Desktop", ".config/Claude/claude_desktop_config.json"),
    ("Claude Desktop", "Library/Application Support/Claude/claude_desktop_config.json"),
    ("Cursor", ".cursor/mcp.json"),
    ("VS Code", ".config/Code/User/mcp.json"),
    ("VS Code", "Library/Application Support/Code/User/mcp.json"),
    ("Windsurf", ".codeium/windsurf/mcp_config.json"),
    ("Zed", ".config/zed/settings.json"),
    ("Gemini CLI", ".gemini/settings.json"),
    ("opencode", ".config/opencode/opencode.json"),
    ("opencode", ".config/opencode/opencode.jsonc"),
    ("Codex", ".codex/config.toml"),
    ("Hermes", ".hermes/config.yaml"),
)
_BLOCKS = (
    *(("mcpServers",), ("servers",), ("mcp_servers",), ("context_servers",)),
    *(("mcp", "servers"), ("mcp",)),
)
_NOT_TAKEN = ("trusted", "sampling")
_DISTRUST = "untrusted"
_MILLISECONDS = 1000
_INPUT = re.compile(r"\$\{input:([^}]*)\}")
_VARIABLES = (
    (re.compile(r"(?<!\$)\{env:(\w+)\}"), r"${\1}"),
    (re.compile(r"(?<!\$)\$([A-Z_][A-Z0-9_]*)\b"), r"${\1}"),
)


@dataclass(frozen=True, slots=True)
class Found:
    """What a file holds: usable definitions by name, why others are left out, how many stand under other folders."""

    servers: Mapping[str, Mapping[str, Any]]
    problems: tuple[Problem, ...] = ()
    elsewhere: int = 0


def client_files(user: Path) -> tuple[tuple[str, Path], ...]:
    """The files of other clients that exist under the folder `user`, with the client's name."""
    return tuple((client, user / path) for client, path in _CLIENT_FILES if (user / path).is_file())


def import_servers(path: Path, folder: Path) -> Found:
    """The servers in one file of another client; of those that it keeps by folder the ones of `folder` only.

    Raises `ConfigError` when the file cannot be read.
    """
    try:
        parsed = _READERS.get(path.suffix, read_json)(path)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}", mend="Check the name and your rights.") from error
    except RecursionError:
        raise ConfigError(f"{path}: it is nested too deeply", mend="Check the file.") from None
    except (ValueError, BrokenYaml) as error:
        raise ConfigError(f"{path}: {error}", mend="Check the file.") from error
    by_folder = {str(key): _block(section) for key, section in _mapping(_mapping(parsed).get("projects")).items()}
    own = by_folder.pop(str(folder), {})
    servers: dict[str, Mapping[str, Any]] = {}
    problems: list[Problem] = []
    for written, item in {**_block(parsed), **own}.items():
        try:
            name, definition = _taken(str(written), item, servers)
        except ValueError as error:
            problems.append(Problem(one_line(str(written)), str(error)))
        else:
            servers[name] = definition
            problems.extend(Problem(one_line(str(written)), note, False) for note in _notes(str(written), name, item))
    return Found(servers, tuple(problems), sum(map(len, by_folder.values())))


def _toml(path: Path) -> Any:
    return tomllib.loads(text_of(path))


def _yaml(path: Path) -> Any:
    return plain(parse(text_of(path)))


_READERS: Mapping[str, Callable[[Path], Any]] = {".toml": _toml, ".yaml": _yaml, ".yml": _yaml}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _block(parsed: Any) -> Mapping[str, Any]:
    """The servers of a file or a section of it, under whichever key its client keeps them."""
    for path in _BLOCKS:
        block = parsed
        for key in path:
            block = _mapping(block).get(key)
        if isinstance(block, Mapping) and block:
            return block
    return {}


def _taken(written: str, item: Any, others: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The name and the definition that an entry becomes. Raises `ValueError` when it cannot be used."""
    name = server_name(written)
    if not name:
        raise ValueError("its name holds no letter or digit that we can use; rename it in the file")
    if name in others:
        raise ValueError(f"another server of the file is called {name} already")
    if not isinstance(item, Mapping):
        raise ValueError("a server is a mapping with `command` or `url`")
    definition = {key: value for key, value in _ours(item) if value not in (None, "", [], {})}
    for problem in faults(definition):
        if problem.fatal:
            raise ValueError(problem.text)
    return name, definition


def _notes(written: str, name: str, item: Mapping[str, Any]) -> Iterator[str]:
    """What is different about a server that was taken over, for the person to know."""
    if name != written:
        yield f"it is called {name} here"
    given = {SERVER_ALIASES.get(str(key), key): value for key, value in item.items()}
    if any(given.get(key) not in (None, False, _DISTRUST) for key in _NOT_TAKEN):
        yield "trust is not taken over; see `hermes-lite help mcp`"


def _ours(item: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The fields of a definition that mean something here, under our own names, in our own units and spellings."""
    flat = {**item, **_zed(item), **_codex(item)}
    for written, value in flat.items():
        key = SERVER_ALIASES.get(str(written), str(written))
        if key in ("timeout", "connect_timeout") and isinstance(value, int | float) and value >= _MILLISECONDS:
            yield key, value / _MILLISECONDS
        elif key in ("disabled", "enabled"):
            if bool(value) is (key == "disabled"):
                yield "enabled", False
        elif key in ("env", "headers") and isinstance(value, Mapping):
            yield key, {str(name): _expandable(part, _VARIABLES) for name, part in value.items()}
        elif key == "trusted" and value == _DISTRUST:
            yield "trust", value
        elif key in SERVER_FIELDS and key not in _NOT_TAKEN:
            yield key, _expandable(value, _VARIABLES[:1])


def _zed(item: Mapping[str, Any]) -> dict[str, Any]:
    """The older form of Zed: `command` is a mapping with `path`, `args` and `env`."""
    nested = item.get("command")
    if not isinstance(nested, Mapping):
        return {}
    return {"command": nested.get("path"), "args": nested.get("args"), "env": nested.get("env")}


def _codex(item: Mapping[str, Any]) -> dict[str, Any]:
    """Codex's own fields for headers, and for variables that are handed on."""
    headers = {
        **_mapping(item.get("headers")),
        **_mapping(item.get("http_headers")),
        **{header: f"${{{name}}}" for header, name in _mapping(item.get("env_http_headers")).items()},
    }
    if token := item.get("bearer_token_env_var"):
        headers["Authorization"] = f"Bearer ${{{token}}}"
    handed = item.get("env_vars") if isinstance(item.get("env_vars"), list) else []
    env = {**{str(name): f"${{{name}:-}}" for name in handed or ()}, **_mapping(item.get("env"))}
    return {**({"headers": headers} if headers else {}), **({"env": env} if handed else {})}


def _expandable(value: Any, forms: tuple[tuple[re.Pattern[str], str], ...]) -> Any:
    """`value` with other clients' ways to write a variable as `${NAME}`."""
    match value:
        case str():
            text = _INPUT.sub(lambda found: "${" + re.sub(r"\W", "_", found[1]).upper() + "}", value)
            for form, ours in forms:
                text = form.sub(ours, text)
            return text
        case list():
            return [_expandable(part, forms) for part in value]
        case Mapping():
            return {key: _expandable(part, forms) for key, part in value.items()}
        case _:
            return value
