"""The output of a process: bounded in memory, whole in a file, and fit to read."""

import codecs
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from hermes_lite.events import CallProgress
from hermes_lite.text import harmless
from hermes_lite.tools.spec import ToolContext

HEAD_SHARE = 0.4
FILE_MOST = 50_000_000
PROGRESS_MOST = 20_000

_OVERWRITTEN = re.compile(r"[^\n]*\r(?!\n)")


def readable(data: bytes) -> str:
    """Output as a terminal would leave it standing: decoded, overwritten progress lines and escape codes gone."""
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    return harmless(_OVERWRITTEN.sub("", text))


@dataclass(slots=True)
class Capture:
    """Takes any number of bytes. Keeps the first and the last of them, `limit` in all; `file` gets the whole."""

    limit: int
    file: Path
    total: int = 0
    _kept: bytearray = field(default_factory=bytearray)
    _tail: bytearray = field(default_factory=bytearray)
    _spool: BinaryIO | None = None
    _trouble: str = ""

    def feed(self, chunk: bytes) -> None:
        if self.total + len(chunk) <= self.limit:
            self._kept += chunk
        else:
            self._spill(chunk)
        self.total += len(chunk)

    def _spill(self, chunk: bytes) -> None:
        head = int(self.limit * HEAD_SHARE)
        if not self._tail:
            chunk = bytes(self._kept) + chunk
            self._kept = bytearray(chunk[:head])
            self._tail = bytearray(chunk[head:])
        else:
            self._tail += chunk
        del self._tail[: -(self.limit - head)]
        self._write(chunk)

    def _write(self, data: bytes) -> None:
        if self._trouble or self.total > FILE_MOST:
            return
        try:
            self._spool = self._spool or self.file.open("wb")
            self._spool.write(data)
        except OSError as error:
            self._trouble = error.strerror or "unknown reason"

    def close(self) -> None:
        if self._spool is not None:
            self._spool.close()

    def text(self) -> str:
        """What was put out, its middle replaced by one line that says where the whole is."""
        if self.total <= self.limit:
            return readable(bytes(self._kept)).rstrip()
        missing = self.total - len(self._kept) - len(self._tail)
        mark = f"[... {missing:,} bytes left out; {self._whereabouts()} ...]"
        return f"{readable(bytes(self._kept))}\n{mark}\n{readable(bytes(self._tail)).rstrip()}"

    def _whereabouts(self) -> str:
        if self._trouble:
            return f"the whole could not be kept: {self._trouble}"
        part = "the whole is" if self.total <= FILE_MOST else f"the first {FILE_MOST:,} bytes are"
        return f"{part} in {self.file}"


class Progress:
    """Passes the first part of a call's output on to the screen while the call runs."""

    def __init__(self, context: ToolContext) -> None:
        self._context = context
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._room = PROGRESS_MOST

    def feed(self, chunk: bytes) -> None:
        if self._room <= 0:
            return
        text = self._decoder.decode(chunk)[: self._room]
        self._room -= len(text)
        if text:
            self._context.sink(CallProgress(self._context.call_id, text))
