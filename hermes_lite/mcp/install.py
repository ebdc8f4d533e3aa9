"""Changes to the configured servers, as values to store: nothing here reads or writes the configuration itself.

Each function takes the `mcp_servers` mapping as it stands and gives the new definition of one server; the caller
stores it under `mcp_servers.NAME` (or removes that key). `import_servers` reads what other clients have.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hermes_lite.errors import ConfigError, UsageError
from hermes_lite.mcp.settings import definitions

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_CLIENT_FILES = (
    ("Claude Code", ".claude.json"),
    ("Claude Desktop", ".config/Claude/claude_desktop_config.json"),
    ("Claude Desktop", "Library/Application Support/Claude/claude_desktop_config.json"),
    ("Cursor", ".cursor/mcp.json"),
    ("VS Code", ".config/Code/User/mcp.json"),
    ("Windsurf", ".codeium/windsurf/mcp_config.json"),
    ("Gemini CLI", ".gemini/settings.json"),
    ("Codex", ".codex/config.toml"),
    ("Hermes", ".hermes/config.yaml"),
)


@dataclass(frozen=True, slots=True)
class Found:
    """The server block of another client's file, translated to our spelling."""

    client: str
    path: Path
    servers: Mapping[str, Mapping[str, Any]]


def added(
    servers: Mapping[str, Any],
    name: str,
    *,
    command: Sequence[str] = (),
    url: str = "",
    env: Sequence[str] = (),
    headers: Sequence[str] = (),
    wire: str = "",
    replace: bool = False,
) -> dict[str, Any]:
    """The definition for `mcp add NAME -- COMMAND...` or `--url URL`. Raises `UsageError`.

    `env` holds `NAME=VALUE`, `headers` hold `Name: value`; both may refer to `${VARIABLES}`.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot be a server's name", mend="Use letters, digits, - and _.")
    if name in servers and not replace:
        raise UsageError(f"there is a server {name!r} already", mend="Add --replace, or choose another name.")
    if bool(command) == bool(url):
        raise UsageError(
            f"a server is a command or an address, and {'both were' if url else 'neither was'} given",
            mend="mcp add NAME -- COMMAND..., or mcp add NAME --url URL",
        )
    if url and not re.match(r"https?://", url):
        raise UsageError(f"{url!r} is not an http address", mend="Start it with https:// or http://.")
    definition: dict[str, Any] = {"url": url} if url else {"command": command[0], "args": list(command[1:])}
    if env:
        definition["env"] = dict(_pair(item, "=") for item in env)
    if headers:
        definition["headers"] = dict(_pair(item, ":") for item in headers)
    return definition | ({"type": wire} if wire else {})


def enabled(servers: Mapping[str, Any], name: str, on: bool) -> dict[str, Any]:
    """The definition of `name` switched on or off. Raises `UsageError` when there is no such server."""
    definition = {key: value for key, value in existing(servers, name).items() if key not in ("enabled", "disabled")}
    return definition if on else {**definition, "enabled": False}


def existing(servers: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The definition of `name`. Raises `UsageError` that names the servers there are."""
    found = servers.get(name)
    if not isinstance(found, Mapping):
        known = ", ".join(sorted(map(str, servers))) or "none"
        raise UsageError(f"there is no server {name!r}", mend=f"Configured: {known}.")
    return found


def client_files(user: Path) -> tuple[tuple[str, Path], ...]:
    """The files of other clients that exist under the folder `user`, with the client's name."""
    return tuple((client, user / path) for client, path in _CLIENT_FILES if (user / path).is_file())


def import_servers(path: Path, client: str = "", *, parsed: Mapping[str, Any] | None = None) -> Found:
    """The servers in one file of another client. Raises `ConfigError` when it cannot be read or holds none.

    JSON and TOML are read here; of a YAML file the caller gives the `parsed` content.
    """
    if parsed is None and not path.is_file():
        raise ConfigError(f"there is no file {path}", mend="Name the file that holds `mcpServers`.")
    try:
        block = _block(path) if parsed is None else parsed.get("mcp_servers") or {}
        servers = {str(name): _ours(item) for name, item in block.items() if isinstance(item, Mapping)}
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {error}", mend="Check the file.") from error
    if not servers:
        raise ConfigError(f"{path}: no servers in it", mend="Name the file that holds `mcpServers`.")
    return Found(client or path.name, path, servers)


def _block(path: Path) -> Mapping[str, Any]:
    if path.suffix != ".toml":
        return definitions(path)
    block = tomllib.loads(path.read_text(encoding="utf-8")).get("mcp_servers", {})
    return block if isinstance(block, Mapping) else {}


def _ours(definition: Mapping[str, Any]) -> dict[str, Any]:
    """One server as we would write it: another client's `${env:X}`, `type` and times in our own form."""
    kept = {str(key): value for key, value in definition.items() if value not in (None, "", [], {})}
    if kept.pop("disabled", False):
        kept["enabled"] = False
    if isinstance(kept.get("timeout"), int | float) and kept["timeout"] >= 1000:
        kept["timeout"] = kept["timeout"] / 1000
    return kept


def _pair(text: str, sign: str) -> tuple[str, str]:
    name, found, value = text.partition(sign)
    if not found or not name.strip():
        raise UsageError(f"{text!r} has no {sign!r}", mend=f"Write NAME{sign}VALUE.")
    return name.strip(), value.strip()
