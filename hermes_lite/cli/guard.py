"""The top of the command line: what an error looks like, and which exit code it leaves."""

import os
import sys
import traceback
from collections.abc import Callable
from errno import EBADF, EIO, ENOSPC
from io import TextIOWrapper
from pathlib import Path
from textwrap import indent

from hermes_lite.errors import HermesError
from hermes_lite.paths import home
from hermes_lite.text import harmless


def prepare_streams() -> None:
    """Make the standard streams usable: closed ones read and write nothing, and no encoding refuses a character."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def guarded(command: Callable[[], object]) -> int:
    """Run `command`. A `HermesError` becomes one clear line with its mend and its exit code; a fault of ours
    becomes one line and a traceback in the log folder."""
    try:
        command()
    except HermesError as error:
        return _report(error)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return _quiet_pipe()
    except OSError as error:
        return _refused(error)
    except Exception as error:  # noqa: BLE001 - the top of the command line
        return _crashed(error)
    return 0


def _report(error: HermesError) -> int:
    sys.stderr.write(f"hermes-lite: {harmless(error.message)}\n")
    if error.mend:
        sys.stderr.write(indent(harmless(error.mend), "  ") + "\n")
    return error.exit_code


def _refused(error: OSError) -> int:
    """The system refused a file, the working folder or the output; anything else is a fault of ours."""
    what = error.strerror or str(error)
    if error.filename is not None:
        return _report(HermesError(f"{error.filename}: {what}", mend="Check the path and its permissions."))
    if isinstance(error, FileNotFoundError):
        return _report(HermesError("the working folder is gone", mend="Change to a folder that exists."))
    if error.errno not in (ENOSPC, EIO, EBADF):
        return _crashed(error)
    _silence_output()
    return _report(HermesError(f"the output could not be written: {what}", mend="Make room, then try again."))


def _quiet_pipe() -> int:
    """Whoever read our output is gone: leave without a word."""
    _silence_output()
    return 141


def _silence_output() -> None:
    """Keep the interpreter from flushing, as it ends, into what takes nothing any more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
