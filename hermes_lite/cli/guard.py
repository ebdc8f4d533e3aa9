"""The top of the command line: what an error looks like, and which exit code it leaves."""

import sys
import traceback
from collections.abc import Callable
from errno import EBADF, EIO, ENOSPC
from textwrap import indent

from hermes_lite.errors import HermesError, reason
from hermes_lite.paths import home
from hermes_lite.streams import silence
from hermes_lite.text import harmless

NO_READER = 141


def guarded(command: Callable[[], object]) -> int:
    """Run `command` to its exit code. A `HermesError` becomes one clear line with its mend; a fault of ours becomes
    one line and a traceback in the log folder."""
    try:
        code = _run(command)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # noqa: BLE001 - the top of the command line
        return _told(_alone(error))
    return code


def _run(command: Callable[[], object]) -> int:
    try:
        command()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return 0


def _alone(error: Exception) -> Exception:
    """What went wrong in a group of tasks, where it is one thing."""
    while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def _told(error: Exception) -> int:
    match error:
        case HermesError():
            return _report(error)
        case BrokenPipeError():
            return quiet_pipe()
        case OSError():
            return _refused(error)
        case _:
            return _crashed(error)


def _report(error: HermesError) -> int:
    sys.stderr.write(f"hermes-lite: {harmless(error.message)}\n")
    if error.mend:
        sys.stderr.write(indent(harmless(error.mend), "  ") + "\n")
    return error.exit_code


def _refused(error: OSError) -> int:
    """The system refused a file, the working folder or the output; anything else is a fault of ours."""
    what = reason(error)
    if error.filename is not None:
        return _report(HermesError(f"{error.filename}: {what}", mend="Check the path and its permissions."))
    if isinstance(error, FileNotFoundError):
        return _report(HermesError("the working folder is gone", mend="Change to a folder that exists."))
    if error.errno not in (ENOSPC, EIO, EBADF):
        return _crashed(error)
    silence(sys.stdout)
    return _report(HermesError(f"the output could not be written: {what}", mend="Make room, then try again."))


def quiet_pipe() -> int:
    """Whoever read our output is gone: leave without a word."""
    silence(sys.stdout)
    return NO_READER


def _crashed(error: Exception) -> int:
    log = home().logs / "crash.log"
    where = f"the traceback is in {log}"
    try:
        log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with log.open("a", encoding="utf-8") as file:
            file.write("".join(traceback.format_exception(error)) + "\n")
    except OSError as refusal:
        where = f"no traceback could be written ({refusal.strerror})"
    sys.stderr.write(
        f"hermes-lite: unexpected {type(error).__name__}: {error}\n  This is a fault of ours; {where}.\n"
    )
    return 1
