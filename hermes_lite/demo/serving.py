"""Plain functions served as MCP tools over stdio."""

import logging
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
DESTROYS = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)


def serve(name: str, tools: Iterable[tuple[Callable[..., Any], ToolAnnotations]], *, instructions: str = "") -> None:
    """Serve until the client goes. A `ValueError` of a tool is its answer, marked as an error."""
    logging.disable(logging.INFO)
    server = MCPServer(name, instructions=instructions or None, log_level="WARNING")
    for function, annotations in tools:
        server.add_tool(_frank(function), annotations=annotations, structured_output=False)
    server.run("stdio")


def _frank(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` with the words of its `ValueError` kept; those of any other exception stay with the server."""

    @wraps(function)
    def frank(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except ValueError as error:
            raise ToolError(str(error)) from error

    return frank
