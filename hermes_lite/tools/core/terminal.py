"""`terminal`: one shell command from start to end. Nothing it starts outlives the call, however the call ends."""

import os
import subprocess
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import anyio
import anyio.abc

from hermes_lite.errors import reason
from hermes_lite.tools.core import process_group
from hermes_lite.tools.core.output import Capture, Progress
from hermes_lite.tools.core.paths import located
from hermes_lite.tools.core.settings import CoreSettings, SideFolder
from hermes_lite.tools.spec import ToolContext, ToolResult

CHUNK = 65536
DRAIN_MOST = 16
LINGER = 0.2
NOT_FOUND = 127

Feed: TypeAlias = Callable[[bytes], None]


@dataclass(frozen=True, slots=True)
class ToolNames:
    """The names of the session's tools right now, to tell a model that types one into the shell what to do."""

    direct: Callable[[], Collection[str]]
    deferred: Callable[[], Collection[str]]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended. `code` is negative for a signal; `left` tells that something ran on in the background."""

    code: int
    timed_out: bool
    left: bool


async def terminal(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
    settings = context.resource(CoreSettings)
    command, folder = arguments["command"], located(context.cwd, arguments.get("folder", "."))
    if not folder.is_dir():
        return ToolResult(f"NOT RUN: there is no folder {folder}.", is_error=True)
    seconds = arguments.get("timeout", settings.terminal_timeout)
    capture = Capture(settings.output_bytes, context.resource(SideFolder).file("outputs", context.call_id))
    progress = Progress(context)

    def feed(chunk: bytes) -> None:
        capture.feed(chunk)
        progress.feed(chunk)

    try:
        ended = await run(command, folder, context.session_id, seconds, feed)
    except (OSError, ValueError) as error:
        return ToolResult(f"NOT RUN: the shell could not be started: {reason(error)}", is_error=True)
    finally:
        capture.close()
    notes = [note for note in (_end_note(ended, seconds), _tool_hint(command, ended, context)) if note]
    text = "\n".join([capture.text() or "(no output)", *notes])
    return ToolResult(text, is_error=ended.code != 0 or ended.timed_out, data={"exit_code": ended.code})


async def run(command: str, folder: Path, session_id: str, seconds: float, feed: Feed) -> Ended:
    """Run `command`, giving its output to `feed`. Raises `OSError` or `ValueError` when it cannot be started."""
    read_end, write_end = os.pipe()
    os.set_blocking(read_end, False)
    try:
        process = await _start(command, folder, session_id, write_end)
        try:
            with anyio.move_on_after(seconds) as limit:
                await _until_exit(process, read_end, feed)
            left = not limit.cancelled_caught and process_group.is_alive(process.pid)
        finally:
            await _end(process)
            _drain(read_end, feed)
    finally:
        os.close(read_end)
    return Ended(process.returncode or 0, limit.cancelled_caught, left)


async def _start(command: str, folder: Path, session_id: str, output: int) -> anyio.abc.Process:
    try:
        with anyio.CancelScope(shield=True):
            process = await anyio.open_process(
                process_group.argv(command),
                cwd=folder,
                env=process_group.environment(session_id),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
    finally:
        os.close(output)
    return process


async def _until_exit(process: anyio.abc.Process, output: int, feed: Feed) -> None:
    """Pump output until the shell has exited, and a moment longer for what it did not wait for."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_pump, output, feed)
        await process.wait()
        await process_group.is_gone(process.pid, LINGER)
        tasks.cancel_scope.cancel()


async def _pump(output: int, feed: Feed) -> None:
    while True:
        await anyio.wait_readable(output)
        chunk = os.read(output, CHUNK)
        if not chunk:
            return
        feed(chunk)


async def _end(process: anyio.abc.Process) -> None:
    await process_group.end(process.pid)
    with anyio.CancelScope(shield=True):
        await process.wait()


def _drain(output: int, feed: Feed) -> None:
    """Take what the ended processes had still written; bounded, for one that escaped may go on writing."""
    for _ in range(DRAIN_MOST):
        try:
            chunk = os.read(output, CHUNK)
        except BlockingIOError:
            return
        if not chunk:
            return
        feed(chunk)


def _end_note(ended: Ended, seconds: float) -> str:
    if ended.timed_out:
        return (
            f"[killed after {seconds:g} seconds; give a longer timeout, or run it with process_manage if it is meant "
            "to go on]"
        )
    code = f"[exit code {ended.code}]" if ended.code >= 0 else f"[killed by signal {-ended.code}]"
    left = "[what it left running in the background was ended; use process_manage for that]" if ended.left else ""
    return "\n".join(part for part in (code if ended.code else "", left) if part)


def _tool_hint(command: str, ended: Ended, context: ToolContext) -> str:
    """A word to a model that took a tool for a command. Source: T-A09 of the robustness list."""
    names = context.resources.get(ToolNames)
    if ended.code != NOT_FOUND or not isinstance(names, ToolNames):
        return ""
    word = (command.split() or [""])[0]
    if word in names.deferred():
        return f"[{word} is a tool, not a command: call it with tool_call]"
    return f"[{word} is a tool, not a command: call it as a tool]" if word in names.direct() else ""
