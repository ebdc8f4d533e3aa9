"""A server's tool list, as parsed JSON, made into tool rows; a list kept on disk does as well as a fresh one.

The toolset of a row is the server's key: that is what `tools.toolsets` grants and what the registry's sources are
called. Names are given by `hermes_lite.tools.naming`; filters compare the names that the server itself uses.
Annotations are the server's own claims: `readOnlyHint` lowers the risk of a call only where the person trusts the
server, but it allows a call that was cut to be made again unless the person distrusts the server.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from typing import Any, TypeAlias

from hermes_lite.mcp.settings import ServerSettings
from hermes_lite.text import harmless, one_line
from hermes_lite.tools.naming import tool_names
from hermes_lite.tools.registry import Dropped
from hermes_lite.tools.spec import Display, Source, ToolContext, ToolResult, ToolSpec

Tool: TypeAlias = Mapping[str, Any]
Call: TypeAlias = Callable[["Target", dict[str, Any], ToolContext], Awaitable[ToolResult]]

_LONGEST_NAME = 128
_ICON = "◆"


@dataclass(frozen=True, slots=True)
class Target:
    """Which tool of a server a row calls, whether the same call may be made twice, and whether we added the tool."""

    name: str
    repeatable: bool
    is_extra: bool = False


def source(key: str) -> Source:
    return Source("mcp", key)


def tool_rows(
    server: ServerSettings, tools: Sequence[Tool], prefix: str, call: Call
) -> tuple[tuple[ToolSpec, ...], tuple[Dropped, ...]]:
    """Rows for the tools that the filters let through, in the server's order, and what had to be left out and why.

    Of two tools with one name the first stays.
    """
    wanted = [tool for tool in tools if _is_wanted(server, tool["name"])]
    refused = [
        Dropped(source(server.key), one_line(tool["name"])[:_LONGEST_NAME], reason)
        for tool in wanted
        if (reason := _refusal(tool)) is not None
    ]
    usable = [tool for tool in wanted if _refusal(tool) is None]
    naming = tool_names(source(server.key), prefix, [tool["name"] for tool in usable])
    first = {tool["name"]: tool for tool in reversed(usable)}
    order = dict.fromkeys(tool["name"] for tool in usable)
    rows = tuple(_row(server, first[name], naming.names[name], call) for name in order if name in naming.names)
    return rows, (*refused, *naming.dropped)


def _is_wanted(server: ServerSettings, name: str) -> bool:
    included = not server.include or any(fnmatchcase(name, pattern) for pattern in server.include)
    return included and not any(fnmatchcase(name, pattern) for pattern in server.exclude)


def _refusal(tool: Tool) -> str | None:
    """Why `tool` gets no row although the person wants it; `None` when it gets one."""
    name = tool["name"]
    if len(name) > 4 * _LONGEST_NAME or name != harmless(name) or "\n" in name:
        return "the name holds control characters or is too long"
    if tool.get("execution", {}).get("taskSupport") == "required":
        return "it runs only as a background task, which is not supported"
    return None


def _row(server: ServerSettings, tool: Tool, name: str, call: Call) -> ToolSpec:
    hints = {} if server.untrusted else tool.get("annotations", {})
    read_only = hints.get("readOnlyHint") is True
    only_looks = server.trusted and read_only and hints.get("destructiveHint") is not True
    repeatable = read_only or hints.get("idempotentHint") is True
    title = tool.get("title") or ""
    return ToolSpec(
        name=name,
        description=clean(tool.get("description") or title),
        parameters=_clean_schema(tool["inputSchema"]),
        handler=partial(call, Target(tool["name"], repeatable, tool.get("extra") is True)),
        source=source(server.key),
        toolset=server.key,
        original_name=tool["name"],
        deferrable=not server.always_load,
        keywords=(one_line(title),) if title else (),
        parallel="safe" if (read_only if server.parallel is None else server.parallel) else "never",
        tier="silent" if only_looks else "gated",
        risk="read" if only_looks else "external",
        idempotent=repeatable,
        self_bounded=True,
        untrusted=server.untrusted,
        display=Display(_ICON, _key_argument(tool["inputSchema"])),
    )


def clean(text: str) -> str:
    """`harmless(text)`, trimmed, without the work where the text is plain already."""
    return text.strip() if text.replace("\n", "").isprintable() else harmless(text).strip()


def _clean_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """`schema` with its words for readers made harmless; names, defaults and enums stay what the server checks."""
    return {key: _clean_part(key, value) for key, value in schema.items()}


def _clean_part(key: str, value: Any) -> Any:
    match value:
        case str():
            return clean(value) if key in ("description", "title", "$comment") else value
        case dict():
            return _clean_schema(value)
        case list() if key in ("anyOf", "oneOf", "allOf", "prefixItems"):
            return [_clean_part("", item) for item in value]
        case _:
            return value


def _key_argument(schema: Mapping[str, Any]) -> str | None:
    """The argument that says most in the feed: the first required one, else the first."""
    properties = schema.get("properties") or {}
    required = [name for name in schema.get("required") or () if name in properties]
    return next(iter(required or properties), None)
