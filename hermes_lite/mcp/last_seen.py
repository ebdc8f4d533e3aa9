"""The tool lists as servers last gave them, one JSON file a server: for measuring offline and for telling changes."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hermes_lite.config.atomic import write_atomically
from hermes_lite.config.source import content_of
from hermes_lite.mcp.rows import Tool, tool_rows
from hermes_lite.mcp.server_log import file_name
from hermes_lite.mcp.settings import ServerSettings
from hermes_lite.text import one_line
from hermes_lite.tools.naming import server_prefixes
from hermes_lite.tools.spec import ToolContext, ToolResult, ToolSpec

_MOST = 512_000_000


@dataclass(frozen=True, slots=True)
class Change:
    """What is new about a tool since the list was last seen; `before` and `after` are one line each."""

    tool: str
    part: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.tool}: {self.part} was “{self.before}”, is now “{self.after}”"


class LastSeen:
    """The folder `cache`/mcp. A file that cannot be read counts as never seen."""

    def __init__(self, cache: Path) -> None:
        self._folder = cache / "mcp"

    def tools(self, key: str) -> tuple[Tool, ...] | None:
        with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
            kept = json.loads(content_of(self._file(key), _MOST))
            return tuple(tool for tool in kept["tools"] if isinstance(tool["name"], str))
        return None

    def keep(self, key: str, tools: Sequence[Tool]) -> None:
        """Write the list, whole or not at all; a folder that cannot be written costs only the memory. Blocks."""
        with suppress(OSError):
            write_atomically(self._file(key), json.dumps({"key": key, "tools": list(tools)}, ensure_ascii=False))

    def rows(self, servers: Sequence[ServerSettings]) -> tuple[ToolSpec, ...]:
        """Rows as `servers` last gave them, for measuring; calling one answers that the server is not running."""
        prefixes = server_prefixes([server.key for server in servers])
        found: list[ToolSpec] = []
        for server in servers:
            found += tool_rows(server, self.tools(server.key) or (), prefixes[server.key], _not_running)[0]
        return tuple(found)

    def _file(self, key: str) -> Path:
        return self._folder / f"{file_name(key)}.json"


def changes(before: Sequence[Tool], after: Sequence[Tool]) -> tuple[Change, ...]:
    """The tools of both lists whose description, schema or claims differ."""
    old = {tool["name"]: tool for tool in before}
    return tuple(
        Change(one_line(tool["name"]), label, *_around(_text(old[tool["name"]], part), _text(tool, part)))
        for tool in after
        if tool["name"] in old and tool != old[tool["name"]]
        for part, label in (("description", "description"), ("inputSchema", "parameters"), ("annotations", "claims"))
        if _text(old[tool["name"]], part) != _text(tool, part)
    )


def _text(tool: Tool, part: str) -> str:
    """One part of a tool as a line to compare. Plain defaults stay out: some servers make them from a set."""
    value: Any = _without_defaults(tool.get(part))
    return one_line(value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False))


def _without_defaults(value: Any) -> Any:
    match value:
        case dict():
            return {
                key: _without_defaults(item)
                for key, item in value.items()
                if key != "default" or isinstance(item, dict)
            }
        case list():
            return [_without_defaults(item) for item in value]
        case _:
            return value


def _around(before: str, after: str, room: int = 60) -> tuple[str, str]:
    """The two texts from shortly before where they part, cut to `room` characters each."""
    parted = next((at for at, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), None)
    start = max(0, (min(len(before), len(after)) if parted is None else parted) - 12)
    return before[start : start + room], after[start : start + room]


async def _not_running(target: object, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
    return ToolResult("NOT RUN: this list is from memory; the server is not running.", is_error=True)
