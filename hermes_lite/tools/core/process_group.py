"""A shell command with everything it starts, as one group that can be ended whole.

The command leads a session of its own: it has no terminal to ask questions on, and one signal reaches all that it
started, backgrounded or not.
"""

import contextlib
import os
import shutil
import signal
from collections.abc import Mapping
from pathlib import Path
from time import monotonic, sleep

import anyio

SHELL = shutil.which("bash") or "/bin/sh"
GRACE = 0.4
POLL = 0.03
PROC = Path("/proc")


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
    """Wait until nothing of the group runs, `seconds` at most; whether that is so."""
    with anyio.move_on_after(seconds):
        while is_alive(group):
            await anyio.sleep(POLL)
        return True
    return not is_alive(group)


def is_alive(group: int) -> bool:
    """Whether a process of the group still runs. One that has ended but was not reaped yet does not.

    The leader is looked at first: to go through all processes is dear where forty groups are waited for.
    """
    if not send(group, 0):
        return False
    owner, state = _group_and_state(PROC / str(group) / "stat")
    if owner == group and state not in "ZX":
        return True
    members = [found for found in map(_group_and_state, PROC.glob("[0-9]*/stat")) if found[0] == group]
    return not members or any(state not in "ZX" for _, state in members)


def _group_and_state(stat: Path) -> tuple[int, str]:
    try:
        state, _, group = stat.read_text("utf-8", "replace").rpartition(")")[2].split()[:3]
    except (OSError, ValueError):
        return 0, ""
    return int(group), state


def kill(group: int) -> None:
    """Kill the group and block until nothing of it runs, `GRACE` seconds at most. For threads."""
    deadline = monotonic() + GRACE
    while send(group, signal.SIGKILL) and is_alive(group) and monotonic() < deadline:
        sleep(POLL)


async def end(group: int) -> None:
    """End the group: ask first, then kill. Takes `GRACE` seconds twice at most; not to be cancelled on the way."""
    with anyio.CancelScope(shield=True):
        for number in (signal.SIGTERM, signal.SIGKILL):
            if not send(group, number) or await is_gone(group, GRACE):
                return
