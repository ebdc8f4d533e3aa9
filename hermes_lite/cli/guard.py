"""The top of the command line: what an error looks like, and which exit code it leaves."""

import os
import sys
import traceback
from collections.abc import Callable
from textwrap import indent

from hermes_lite.errors import HermesError
from hermes_lite.paths import home


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
    except Exception as error:  # noqa: BLE001 - the top of the command line
        return _crashed(error)
    return 0


def _report(error: HermesError) -> int:
    sys.stderr.write(f"hermes-lite: {error.message}\n")
    if error.mend:
        sys.stderr.write(indent(error.mend, "  ") + "\n")
    return error.exit_code


def _quiet_pipe() -> int:
    """Whoever read our output is gone: leave without a word, and keep the interpreter from flushing into the void."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 141


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
