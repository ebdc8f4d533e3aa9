"""The standard streams as they are: perhaps closed, full, or without anybody who reads them.

What is said beside an answer (standard error) can never fail a command; an answer that cannot be written does.
"""

import os
import sys
from io import BufferedWriter, RawIOBase, TextIOWrapper
from pathlib import Path
from typing import Any, TextIO


class _Unfailing(RawIOBase):
    """Takes whatever is written, also what nothing can be done with."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return os.isatty(self._descriptor)

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        try:
            return os.write(self._descriptor, data)
        except OSError:
            return memoryview(data).nbytes


def prepare() -> None:
    """Make the streams usable: closed ones read and write nothing, and no encoding refuses a character."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115
    if sys.stderr is sys.__stderr__ and isinstance(sys.stderr, TextIOWrapper):
        unfailing = BufferedWriter(_Unfailing(sys.stderr.fileno()))
        sys.stderr = TextIOWrapper(unfailing, encoding=sys.stderr.encoding, line_buffering=True)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def silence(stream: TextIO) -> None:
    """Send what is still written to `stream` nowhere: the interpreter flushes once more as it ends, and would
    complain."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
