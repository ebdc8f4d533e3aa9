"""Changes to the configured servers, as values to store: nothing here reads or writes the configuration itself.

Each function takes the `mcp_servers` mapping as it stands and gives the new definition of one server; the caller
stores it under `mcp_servers.NAME` (or removes that key). What other clients have is read by `other_clients`.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hermes_lite.errors import UsageError
from hermes_lite.mcp.settings import faults

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


def server_name(text: str) -> str:
    """`text` made into a name that a server may have; empty when nothing of it can stay."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip("-_.")


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
    for word in (name, *command[:1]):
        if word.startswith("-"):
            raise UsageError(
                f"there is no option {word}",
                mend="Write mcp add NAME [--url URL] -- COMMAND ARGS; the rest is set afterwards: "
                "hermes-lite config set mcp_servers.NAME.timeout 60",
            )
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot be a server's name", mend="Use letters, digits, - and _.")
    if name in servers and not replace:
        raise UsageError(f"there is a server {name!r} already", mend="Add --replace, or choose another name.")
    if bool(command) == bool(url):
        raise UsageError(
            f"a server is a command or an address, and {'both were' if url else 'neither was'} given",
            mend="mcp add NAME -- COMMAND..., or mcp add NAME --url URL",
        )
    if url and not re.match(r"https?://[^/\s]", url):
        raise UsageError(f"{url!r} is not an http address", mend="Write https://HOST/PATH or http://HOST/PATH.")
    definition: dict[str, Any] = {"url": url} if url else {"command": command[0], "args": list(command[1:])}
    if env:
        definition["env"] = dict(_pair(item, "=") for item in env)
    if headers:
        definition["headers"] = dict(_pair(item, ":") for item in headers)
    definition |= {"type": wire} if wire else {}
    for problem in faults(definition):
        raise UsageError(problem.text, mend="`hermes-lite mcp add --help`")
    return definition


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


def _pair(text: str, sign: str) -> tuple[str, str]:
    name, found, value = text.partition(sign)
    if not found or not name.strip():
        raise UsageError(f"{text!r} has no {sign!r}", mend=f"Write NAME{sign}VALUE.")
    return name.strip(), value.strip()
