"""`process_manage`: commands that run in the background while the conversation goes on, until the shell ends.

Each process has two threads, for it must be read from and waited for whether or not anyone asks: the reader keeps the
last output that was not yet polled, the waiter ends what the process leaves behind.
"""

import os
import signal
import subprocess
from collections.abc import Awaitable, Callable, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Condition, Thread
from typing import Any

import anyio
import anyio.to_thread

from hermes_lite.errors import reason
from hermes_lite.text import cut, one_line, utf8
from hermes_lite.tools.core import process_group
from hermes_lite.tools.core.output import readable
from hermes_lite.tools.spec import ToolContext, ToolResult

RUNNING_MOST = 20
UNREAD_MOST = 30_000
CHUNK = 65536
READER_GRACE = 1.0
DEFAULT_WAIT = 1
COMMAND_SHOWN = 80

_SUBJECTS = ("command", "process", "input")


class Background:
    """One command in the background. Made by `ProcessTable.start`."""

    def __init__(self, name: str, command: str, folder: Path, session_id: str) -> None:
        """Start it. Raises `OSError` or `ValueError`."""
        self.name = name
        self.command = command
        self.code: int | None = None
        self._unread = bytearray()
        self._missed = 0
        self._news = Condition()
        self._process = subprocess.Popen(
            process_group.argv(command),
            cwd=folder,
            env=process_group.environment(session_id),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self._reader = Thread(target=self._read, name=f"{name} reader", daemon=True)
        self._waiter = Thread(target=self._wait, name=f"{name} waiter", daemon=True)
        self._reader.start()
        self._waiter.start()

    @property
    def state(self) -> str:
        if self.code is None:
            return "running"
        return f"ended with exit code {self.code}" if self.code >= 0 else f"killed by signal {-self.code}"

    def wait_for_news(self, seconds: float) -> None:
        """Block until there is output to take, the process has ended, or `seconds` have passed."""
        with self._news:
            self._news.wait_for(lambda: self._unread or self.code is not None, seconds)

    def wait_for_end(self, seconds: float) -> bool:
        with self._news:
            return self._news.wait_for(lambda: self.code is not None, seconds)

    def take(self) -> str:
        """The output since the last time, at most `UNREAD_MOST` bytes of its end."""
        with self._news:
            data, missed = bytes(self._unread), self._missed
            self._unread.clear()
            self._missed = 0
        return (f"[{missed:,} bytes before this were not kept]\n" if missed else "") + readable(data).rstrip()

    def write(self, text: str) -> None:
        """Send `text` to its input. May block. Raises `OSError` when it takes no more."""
        stdin = self._process.stdin
        if stdin is None or self.code is not None:
            raise BrokenPipeError
        stdin.write(utf8(text))
        stdin.flush()

    def signal(self, number: int) -> None:
        """Signal it and all that it started; nothing happens once it has ended."""
        if self.code is None:
            process_group.send(self._process.pid, number)

    def _read(self) -> None:
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        while chunk := os.read(descriptor, CHUNK):
            with self._news:
                self._unread += chunk
                surplus = max(0, len(self._unread) - UNREAD_MOST)
                del self._unread[:surplus]
                self._missed += surplus
                self._news.notify_all()

    def _wait(self) -> None:
        code = self._process.wait()
        process_group.kill(self._process.pid)
        self._reader.join(READER_GRACE)
        if not self._reader.is_alive() and self._process.stdout is not None:
            self._process.stdout.close()
        with suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        with self._news:
            self.code = code
            self._news.notify_all()


@dataclass(slots=True)
class ProcessTable:
    """The background processes of a session. Close it when the session ends: nothing may outlive it."""

    _processes: dict[str, Background] = field(default_factory=dict)

    def start(self, command: str, folder: Path, session_id: str) -> Background:
        """Start `command`. Raises `OSError` or `ValueError` when it cannot be started."""
        name = f"p{len(self._processes) + 1}"
        self._processes[name] = process = Background(name, command, folder, session_id)
        return process

    def find(self, name: str) -> Background | None:
        return self._processes.get(name)

    def all(self) -> tuple[Background, ...]:
        return tuple(self._processes.values())

    def running(self) -> tuple[Background, ...]:
        return tuple(process for process in self.all() if process.code is None)

    async def close(self) -> None:
        """End every process with all it started, within about a second, whatever is cancelled meanwhile."""
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(_end, self.running())


def _end(processes: tuple[Background, ...]) -> None:
    for process in processes:
        process.signal(signal.SIGTERM)
    for process in processes:
        if not process.wait_for_end(process_group.GRACE):
            process.signal(signal.SIGKILL)
    for process in processes:
        process.wait_for_end(2 * READER_GRACE)


async def process_manage(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
    action = _ACTIONS[arguments["action"]]
    given = {name for name in _SUBJECTS if arguments.get(name)}
    if given != action.needs:
        needed = " and ".join(sorted(action.needs)) or "nothing else"
        return ToolResult(f"NOT DONE: {arguments['action']} takes {needed}.", is_error=True)
    return await action.run(arguments, context)


async def _start(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
    table = context.resource(ProcessTable)
    if len(table.running()) >= RUNNING_MOST:
        return ToolResult(f"NOT STARTED: {RUNNING_MOST} processes run already. Kill one first.", is_error=True)
    try:
        process = table.start(arguments["command"], context.cwd, context.session_id)
    except (OSError, ValueError) as error:
        return ToolResult(f"NOT STARTED: {reason(error)}", is_error=True)
    return await _news(process, arguments)


async def _list(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
    lines = [_line(process) for process in context.resource(ProcessTable).all()]
    return ToolResult("\n".join(lines) or "No process was started.")


async def _poll(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
    process = context.resource(ProcessTable).find(arguments["process"])
    return _unknown(arguments, context) if process is None else await _news(process, arguments)


async def _write(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
    process = context.resource(ProcessTable).find(arguments["process"])
    if process is None:
        return _unknown(arguments, context)
    try:
        await anyio.to_thread.run_sync(process.write, arguments["input"], abandon_on_cancel=True)
    except (OSError, ValueError):
        return ToolResult(f"NOT SENT: {process.name} takes no input; it is {process.state}.", is_error=True)
    return await _news(process, arguments)


async def _kill(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
    process = context.resource(ProcessTable).find(arguments["process"])
    if process is None:
        return _unknown(arguments, context)
    with anyio.CancelScope(shield=True):
        await anyio.to_thread.run_sync(_end, (process,))
    return _report(process)


async def _news(process: Background, arguments: dict[str, Any]) -> ToolResult:
    seconds = arguments.get("wait", DEFAULT_WAIT)
    await anyio.to_thread.run_sync(process.wait_for_news, seconds, abandon_on_cancel=True)
    return _report(process)


def _report(process: Background) -> ToolResult:
    return ToolResult(f"{_line(process)}\n{process.take() or '(no new output)'}")


def _line(process: Background) -> str:
    return f"{process.name} is {process.state}: {cut(one_line(process.command), COMMAND_SHOWN)}"


def _unknown(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
    names = ", ".join(process.name for process in context.resource(ProcessTable).all()) or "none"
    return ToolResult(f"There is no process {arguments['process']}. Known: {names}.", is_error=True)


@dataclass(frozen=True, slots=True)
class _Action:
    """What an action does and the arguments it takes: no more, for an approval judges by what a call carries."""

    run: Callable[[dict[str, Any], ToolContext], Awaitable[ToolResult]]
    needs: Set[str] = frozenset()


_ACTIONS: Mapping[str, _Action] = {
    "start": _Action(_start, {"command"}),
    "list": _Action(_list),
    "poll": _Action(_poll, {"process"}),
    "write": _Action(_write, {"process", "input"}),
    "kill": _Action(_kill, {"process"}),
}
