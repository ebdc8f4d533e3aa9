"""`read_file` and `write_file`: text files by lines, whatever their size."""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import anyio.to_thread

from hermes_lite.config.source import opened
from hermes_lite.text import utf8
from hermes_lite.tools.core.differences import describe
from hermes_lite.tools.core.paths import failing_clearly, located, shown
from hermes_lite.tools.core.workspace import change_file
from hermes_lite.tools.spec import ToolContext, ToolResult

DEFAULT_LINES = 1000
READ_MOST = 40_000
LINE_MOST = 2000
SNIFFED = 8192


@failing_clearly
async def read_file(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
    path = located(context.cwd, arguments["path"])
    first, limit = arguments.get("offset", 1), arguments.get("limit", DEFAULT_LINES)
    return await anyio.to_thread.run_sync(_read, path, first, limit, abandon_on_cancel=True)


@failing_clearly
async def write_file(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
    path, content = located(context.cwd, arguments["path"]), utf8(arguments["content"])
    before = await anyio.to_thread.run_sync(change_file, context, path, content)
    return ToolResult(describe(shown(path, context.cwd), before, content))


def is_binary(start: bytes) -> bool:
    """Whether bytes from the start of a file are no text that line tools can work with."""
    return b"\0" in start


def _read(path: Path, first: int, limit: int) -> ToolResult:
    with opened(path) as file:
        start = file.read(SNIFFED)
        if is_binary(start):
            return ToolResult(
                f"{path} is not a text file ({os.fstat(file.fileno()).st_size:,} bytes). Look at it with terminal: "
                "file, xxd | head, strings.",
                is_error=True,
            )
        file.seek(0)
        return _numbered(_short_lines(file), first, limit)


def _short_lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines of `file`, without line ends, each cut at `LINE_MOST` bytes; never more than that in memory."""
    while line := file.readline(LINE_MOST):
        if line.endswith(b"\n") or len(line) < LINE_MOST:
            yield line.rstrip(b"\r\n")
            continue
        cut = False
        while (rest := file.readline(LINE_MOST)) and not rest.endswith(b"\n"):
            cut = True
        yield line + b" [line cut]" * (cut or bool(rest))


def _numbered(lines: Iterator[bytes], first: int, limit: int) -> ToolResult:
    skipped = sum(1 for _ in islice(lines, first - 1))
    taken: list[str] = []
    size = 0
    for number, line in enumerate(islice(lines, limit), first):
        taken.append(f"{number:>5}\t{line.decode('utf-8', 'replace')}")
        size += len(taken[-1])
        if size > READ_MOST:
            break
    if not taken:
        return _nothing(skipped, first)
    if next(lines, None) is not None:
        taken.append(f"[more follows: read on with offset {first + len(taken)}]")
    return ToolResult("\n".join(taken))


def _nothing(lines: int, first: int) -> ToolResult:
    if first == 1:
        return ToolResult("(the file is empty)")
    return ToolResult(f"The file has only {lines} lines; offset {first} is behind its end.", is_error=True)
