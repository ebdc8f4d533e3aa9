"""Log files: each server's standard error and stray output, and what the SDK says; none of it reaches the screen."""

import logging
import os
import re
from hashlib import sha256
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import IO

from hermes_lite.text import utf8

STDOUT = "stdout: "
_NOISE_LINES = 100
_SDK_LOGGERS = ("mcp", "client")


def file_name(key: str) -> str:
    """A server key as part of a file name: kept when it is plain, else made plain and told apart by a hash."""
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", key)[:60]
    return plain if plain == key else f"{plain}-{sha256(utf8(key)).hexdigest()[:8]}"


class Log:
    """Opened at each start of a server, nowhere when the folder cannot be written.

    `tail` and `first_noise` are of this run only.
    """

    def __init__(self, folder: Path, key: str, limit: int) -> None:
        self._limit = limit
        self._noise = 0
        self.first_noise = ""
        self.path = folder / f"mcp-{file_name(key)}.log"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.file: IO[bytes] = self.path.open("ab")
        except OSError:
            self.path = Path(os.devnull)
            self.file = self.path.open("ab")
        self.trim()
        self._start = self.path.stat().st_size

    def trim(self) -> None:
        """Begin the file afresh when it has grown over the limit; the server goes on writing at its new end."""
        if self.path.stat().st_size > self._limit:
            os.truncate(self.path, 0)
            self._start = 0

    def noise(self, line: bytes) -> None:
        """Keep a line that was no message, up to a bound."""
        self._noise += 1
        self.first_noise = self.first_noise or line[:2000].decode("utf-8", "replace").strip()
        if self._noise <= _NOISE_LINES:
            self.file.write(utf8(STDOUT) + line[:2000] + b"\n")
            self.file.flush()

    def tail(self, lines: int) -> tuple[str, ...]:
        """The last lines of this run that are not blank."""
        with self.path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(self._start, size - 16_384))
            text = file.read().decode("utf-8", "replace")
        return tuple(line.strip() for line in text.splitlines() if line.strip())[-lines:]

    def close(self) -> None:
        self.file.close()


class SdkLog:
    """Keeps the SDK's log records in `mcp.log`. Unhandled, Python would print them over the prompt."""

    def __init__(self, folder: Path, limit: int) -> None:
        self._handler = _file_handler(folder / "mcp.log", limit)
        self._handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
        for name in _SDK_LOGGERS:
            logging.getLogger(name).addHandler(self._handler)

    def close(self) -> None:
        for name in _SDK_LOGGERS:
            logging.getLogger(name).removeHandler(self._handler)
        self._handler.close()


def _file_handler(path: Path, limit: int) -> logging.Handler:
    """A handler for a file of at most `limit` bytes; one that keeps nothing where the file cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return RotatingFileHandler(path, maxBytes=limit, backupCount=1)
    except OSError:
        return logging.NullHandler()
