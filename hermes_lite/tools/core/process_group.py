"""A shell command with everything it starts, as one group that can be ended whole.

The command leads a session of its own: it has no terminal to ask questions on, and one signal reaches all that it
started, backgrounded or not.
"""

import contextlib
import os
import shutil
import signal
from collections.abc import Mapping

import anyio

SHELL = shutil.which("bash") or "/bin/sh"
GRACE = 0.4
POLL = 0.02


def argv(command: str) -> list[str]:
    """The program and arguments that run `command`."""
    return [SHELL, "-c", command]


def environment(session_id: str) -> Mapping[str, str]:
    """What a child process is told: that it runs under us, and not to page or colour."""
    return {
        **os.environ,
        "HERMES_LITE": "1",
        "HERMES_LITE_SESSION": session_id,
        "TERM": "dumb",
        "PAGER": "cat",
        "GIT_PAGER": "cat",
    }


def send(group: int, number: int) -> bool:
    """Send a signal to the whole group; whether there was anyone to get it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
        return True
    return False


async def is_gone(group: int, seconds: float) -> bool:
    """Wait until the group is empty, `seconds` at most; whether it is."""
    with anyio.move_on_after(seconds):
        while send(group, 0):
            await anyio.sleep(POLL)
        return True
    return not send(group, 0)


async def end(group: int) -> None:
    """End the group: ask first, then kill. Takes `GRACE` seconds at most; not to be cancelled on the way."""
    with anyio.CancelScope(shield=True):
        if send(group, signal.SIGTERM) and not await is_gone(group, GRACE):
            send(group, signal.SIGKILL)
