"""One server tried out by itself, along the very path that a session takes: what `hermes-lite mcp test` prints."""

import os
import time
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hermes_lite.events import Event
from hermes_lite.mcp.limits import Limits
from hermes_lite.mcp.pool import McpPool
from hermes_lite.mcp.process import CannotStart, environment, resolved
from hermes_lite.mcp.settings import Servers, ServerSettings, written_address, written_command
from hermes_lite.tools.registry import Dropped, Registry
from hermes_lite.tools.spec import SourceStatus, ToolSpec


@dataclass(frozen=True, slots=True)
class ProbeReport:
    """How a server answered. `address` is the resolved command line or the URL; `words` its last lines on stderr."""

    status: SourceStatus
    address: str
    seconds: float
    rows: tuple[ToolSpec, ...]
    dropped: tuple[Dropped, ...]
    instructions: str
    words: tuple[str, ...]


async def probe(
    server: ServerSettings, *, limits: Limits, logs: Path, cwd: Path, tokens: Path | None = None
) -> ProbeReport:
    """Start `server`, list its tools and end it again. Takes at most its connect timeout and its time to leave.

    Loads the SDK. Nothing is remembered of the list.
    """
    registry = Registry()
    started = time.monotonic()
    with TemporaryDirectory() as cache:
        pool = McpPool(
            Servers((server,)),
            registry,
            _ignore,
            limits=replace(limits, reconnect_tries=0),
            logs=logs,
            cache=Path(cache),
            cwd=cwd,
            tokens=tokens,
        )
        async with pool:
            (status,) = await pool.wait_settled()
            seconds = time.monotonic() - started
            instructions = pool.instructions().get(server.key, "")
            words = pool.last_words(server.key)
            rows = registry.scope().rows
    return ProbeReport(status, address(server, cwd), seconds, rows, registry.dropped(), instructions, words)


def address(server: ServerSettings, cwd: Path) -> str:
    """The program as it is found and its arguments, or the URL, as they are written: variables stay unexpanded."""
    if server.wire != "stdio":
        return written_address(server)
    try:
        return " ".join((resolved(server, environment(server, os.environ), cwd)[0], *written_command(server)[1:]))
    except CannotStart:
        return " ".join(written_command(server))


def _ignore(event: Event) -> None:
    """The report says everything; there is nobody to tell it to as it happens."""
