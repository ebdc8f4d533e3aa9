"""The product's own log: `logs/hermes-lite.log` in the home folder, at the level that the configuration names.

At `debug` it holds what `tools search --explain` shows, for every search of the model. What passes through a tool is
never logged.
"""

import logging
from contextlib import suppress
from logging.handlers import RotatingFileHandler
from types import TracebackType
from typing import Self

from hermes_lite.paths import Home, make_private

ROOT = "hermes_lite"
FILE = "hermes-lite.log"


class Log:
    """A context manager; a folder that cannot be written costs only the log. `most_bytes` bounds a file."""

    def __init__(self, home: Home, level: str, most_bytes: int) -> None:
        self._handler: logging.Handler = logging.NullHandler()
        self._logger = logging.getLogger(ROOT)
        self._level = level.upper()
        with suppress(OSError):
            make_private(home.logs)
            self._handler = RotatingFileHandler(
                home.logs / FILE, maxBytes=most_bytes, backupCount=1, delay=True, encoding="utf-8", errors="replace"
            )
        self._handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))

    def __enter__(self) -> Self:
        self._logger.addHandler(self._handler)
        self._logger.setLevel(self._level)
        self._logger.propagate = False
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._logger.removeHandler(self._handler)
        self._logger.setLevel(logging.NOTSET)
        self._logger.propagate = True
        self._handler.close()
