"""Runs one hook command: JSON in, exit code and output back. Nothing it starts outlives it, however it ends."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import anyio
import anyio.abc

from hermes_lite.errors import reason
from hermes_lite.hooks.answers import HookAnswer, read_answer
from hermes_lite.text import cut, one_line, utf8
from hermes_lite.tools.core import process_group

_BLOCK = 2
_NOT_STARTED = (126, 127)
_MOST_OUTPUT = 1_000_000
_REASON_LENGTH = 2000
# Under the further names, hooks written for other shells find the folder.
_FOLDER_NAMES = ("HERMES_LITE_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR")


class CannotStart(Exception):
    """The command is not there, or is no program."""


class Crashed(Exception):
    """The hook ran and failed; its opinion is unknown."""


@dataclass(frozen=True, slots=True)
class CommandHook:
    """`timeout` is in seconds; the command runs in `cwd`, the session's folder."""

    command: str
    timeout: float
    cwd: Path
    session_id: str

    def __str__(self) -> str:
        return f"`{cut(one_line(self.command), 60)}`"

    async def run(self, stdin: str) -> HookAnswer:
        """Raises `TimeoutError`, `CannotStart` and `Crashed`; the process group is gone in every case."""
        try:
            with anyio.CancelScope(shield=True):  # a process half started could not be ended
                process = await self._start()
        except (OSError, ValueError) as error:
            raise CannotStart(reason(error)) from None
        try:
            with anyio.fail_after(self.timeout):
                output, errors = await _converse(process, utf8(stdin))
        finally:
            await _end(process)
        return _answer(process.returncode or 0, output, errors)

    async def _start(self) -> anyio.abc.Process:
        return await anyio.open_process(
            process_group.argv(self.command),
            cwd=self.cwd,
            env={**process_group.environment(self.session_id), **dict.fromkeys(_FOLDER_NAMES, str(self.cwd))},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )


async def _converse(process: anyio.abc.Process, stdin: bytes) -> tuple[str, str]:
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    output, errors = bytearray(), bytearray()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_collect, process.stdout, output)
        tasks.start_soon(_collect, process.stderr, errors)
        tasks.start_soon(_feed, process.stdin, stdin)
        await process.wait()
        await process_group.end(process.pid)  # closes the pipes that a background child would hold open
    return output.decode("utf-8", "replace"), errors.decode("utf-8", "replace")


async def _feed(stream: anyio.abc.ByteSendStream, data: bytes) -> None:
    try:
        await stream.send(data)
    except (anyio.BrokenResourceError, anyio.ClosedResourceError):
        return  # a hook need not read what it is told
    finally:
        with anyio.CancelScope(shield=True):
            await stream.aclose()


async def _collect(stream: anyio.abc.ByteReceiveStream, into: bytearray) -> None:
    async for chunk in stream:
        into += chunk[: max(0, _MOST_OUTPUT - len(into))]


async def _end(process: anyio.abc.Process) -> None:
    with anyio.CancelScope(shield=True):
        await process_group.end(process.pid)
        await process.aclose()


def _answer(code: int, output: str, errors: str) -> HookAnswer:
    said = cut(one_line(errors) or one_line(output), _REASON_LENGTH)
    if code == _BLOCK:
        return HookAnswer(block=said or "it gave no reason")
    if code in _NOT_STARTED:
        raise CannotStart(said or f"exit code {code}")
    if code:
        raise Crashed(f"exit code {code}{': ' + said if said else ''}")
    try:
        return read_answer(output)
    except ValueError as error:
        raise Crashed(str(error)) from None
