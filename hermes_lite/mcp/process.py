"""Server processes: how they are started, what they inherit, and how none of them outlives us.

Each server leads a process group of its own, so that its children go with it. It is asked to leave (its input
closes), then signalled, then killed, every wait bounded. A `Watchdog` does the same for all of them when we are
killed outright and cannot.
"""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO
from uuid import uuid4

import anyio
from anyio.abc import Process

from hermes_lite.errors import reason
from hermes_lite.mcp.settings import ServerSettings
from hermes_lite.text import utf8
from hermes_lite.tools.core.process_group import is_alive, is_gone, send

_INHERITED = re.compile(
    r"PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TEMP|TMP|XDG_\w+_(HOME|DIR)"
    r"|(HTTPS?|NO|ALL|FTP)_PROXY|(https?|no|all|ftp)_proxy|SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE"
    r"|NODE_EXTRA_CA_CERTS|CURL_CA_BUNDLE|APPDATA|LOCALAPPDATA|PROGRAM\w+|SYSTEMROOT|SYSTEMDRIVE|USERPROFILE|PATHEXT"
    r"|COMSPEC|HOMEDRIVE|HOMEPATH|USERNAME|PROCESSOR_ARCHITECTURE"
)
_POLL = 0.02
_MARK = "HERMES_LITE_WATCHED"
_WATCH = """
groups=" "
while read -r verb group; do
  case $verb in
    add) groups="$groups$group " ;;
    drop) groups="${groups%% $group *} ${groups#* $group }" ;;
    bye) [ "$groups" = " " ] && exit 0 ;;
  esac
done
for sign in TERM KILL; do
  for group in $groups; do kill -s $sign -- "-$group"; done
  for left in $(grep -lzxF -- "$1" /proc/[0-9]*/environ | tr -dc '0-9\\n'); do
    kill -s $sign -- "-$left" "$left"
  done
  [ $sign = KILL ] || sleep 1
done
"""


class CannotStart(Exception):
    """A server's program cannot be run; trying again later will not help. `str(error)` says why."""


def environment(server: ServerSettings, environ: Mapping[str, str]) -> dict[str, str]:
    """What the server's process sees: a safe part of `environ` (all of it with `inherit_env`), then its own `env`."""
    kept = {
        name: value
        for name, value in environ.items()
        if server.inherit_env or (_INHERITED.fullmatch(name) and not value.startswith("()"))
    }
    return {**kept, "HERMES_LITE": "1", **server.env}


def resolved(server: ServerSettings, env: Mapping[str, str], cwd: Path) -> tuple[str, ...]:
    """The argument vector with the program's real path. Raises `CannotStart` when there is no such program."""
    name, *rest = server.command
    program = str(Path(name).expanduser()) if name.startswith("~") else name
    base = server.cwd or cwd
    found = shutil.which(str(base / program) if "/" in program else program, path=env.get("PATH", os.defpath))
    if found is None:
        where = f"in {base}" if "/" in program else "on PATH"
        raise CannotStart(f"no program {name!r} {where}")
    if not base.is_dir():
        raise CannotStart(f"no folder {base}")
    return (found, *rest)


async def start(command: tuple[str, ...], env: Mapping[str, str], cwd: Path, log: IO[bytes]) -> Process:
    """The running process, leader of a new session and group. Raises `CannotStart`."""
    try:
        return await anyio.open_process(command, env=env, cwd=cwd, stderr=log, start_new_session=True)
    except (OSError, ValueError) as error:
        raise CannotStart(f"{command[0]}: {reason(error)}") from error


async def stop(process: Process, grace: float) -> bool:
    """End `process` and its group: `grace` seconds after its input closed, `grace` more after SIGTERM, then kill.

    Whether the process left by itself. Must run shielded; it takes at most three times `grace`.
    """
    if process.stdin is not None:
        with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            await process.stdin.aclose()
    left = await _left(process, grace)
    for sign in (signal.SIGTERM, signal.SIGKILL):
        if not is_alive(process.pid) or not send(process.pid, sign) or await is_gone(process.pid, grace):
            break
    await _left(process, grace)
    await _release(process)
    return left


def ending(code: int) -> str:
    """How a process with the return code `code` ended, in words: negative codes are signals."""
    if code >= 0:
        return f"exited with code {code}"
    known = {int(sign): sign.name for sign in signal.Signals}
    return f"killed by {known.get(-code, f'signal {-code}')}"


async def _left(process: Process, seconds: float) -> bool:
    """Whether the leader has ended within `seconds`.

    Polled, because waiting for the process also waits for pipes that a grandchild may hold open.
    """
    end = anyio.current_time() + seconds
    while process.returncode is None:
        if anyio.current_time() >= end:
            return False
        await anyio.sleep(_POLL)
    return True


async def _release(process: Process) -> None:
    """Close our ends of the pipes, even where a survivor of the kill still holds the others."""
    if process.stdout is not None:
        with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            await process.stdout.aclose()
    transport = getattr(getattr(process, "_process", None), "_transport", None)
    if transport is not None:
        with suppress(PermissionError):
            transport.close()


class Watchdog:
    """One small shell that ends the groups it was told of once our end of its pipe closes, however that happens.

    When that is before it was told of a server which had just been started, the server's environment gives it away,
    where the system shows that of a process.
    """

    def __init__(self) -> None:
        self._shell: subprocess.Popen[bytes] | None = None
        self._name = uuid4().hex

    def mark(self) -> Mapping[str, str]:
        """The variable that every server has to be started with; from here on there is somebody watching."""
        self._tell("")
        return {_MARK: self._name}

    def add(self, group: int) -> None:
        self._tell(f"add {group}\n")

    def drop(self, group: int) -> None:
        self._tell(f"drop {group}\n")

    def close(self) -> None:
        """Let the shell go. It ends whatever was added and not dropped."""
        if self._shell is not None and self._shell.stdin is not None:
            self._tell("bye\n")
            with suppress(OSError):
                self._shell.stdin.close()
            self._shell.wait()
            self._shell = None

    def _tell(self, line: str) -> None:
        with suppress(OSError):
            shell = self._shell = self._shell or subprocess.Popen(
                ["/bin/sh", "-c", _WATCH, "watchdog", f"{_MARK}={self._name}"],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            if shell.stdin is not None:
                shell.stdin.write(utf8(line))
                shell.stdin.flush()
