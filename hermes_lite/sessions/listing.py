"""What a list shows of a session, read from the two ends of its file.

Every turn ends with an `info` record that sums up the file so far. A reader looks for the last one from the end, in
growing blocks, and counts in what follows it; so a title is found however long ago it was given.
"""

import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from hermes_lite.config.source import opened
from hermes_lite.sessions.history import Tally
from hermes_lite.sessions.records import SNAPSHOT_START, Lines, decode, is_header

FIRST_BLOCK = 16 * 1024
HEADER_MOST = 64 * 1024


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """One line of the list. `cwd` may be gone; times carry their zone; `messages` counts those still in force."""

    id: str
    title: str
    cwd: Path
    started: datetime
    updated: datetime
    messages: int
    model: str


def read_info(path: Path) -> SessionInfo | None:
    """The list entry of the file `path`, or `None` when it is no session or cannot be read."""
    try:
        with opened(path) as file:
            return _read(path.stem, file)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _read(session_id: str, file: BinaryIO) -> SessionInfo | None:
    header = decode(file.readline(HEADER_MOST))
    if header is None or not is_header(header):
        return None
    tally = Tally()
    tally.see(header)
    for line in Lines.of(_since_snapshot(file, file.tell())).lines:
        _count(tally, line)
    return SessionInfo(
        id=session_id,
        title=tally.title,
        cwd=Path(str(header["cwd"])),
        started=datetime.fromisoformat(header["at"]),
        updated=datetime.fromisoformat(tally.updated),
        messages=tally.messages,
        model=tally.model,
    )


def _since_snapshot(file: BinaryIO, start: int) -> bytes:
    """The bytes from the last `info` record on, or all from `start` when there is none."""
    end = file.seek(0, os.SEEK_END)
    block = FIRST_BLOCK
    while True:
        first = max(start - 1, end - block)
        file.seek(first)
        data = file.read(end - first)
        found = data.rfind(SNAPSHOT_START)
        if found >= 0:
            return data[found + 1 :]
        if first < start:
            return data[1:]
        block *= 8


def _count(tally: Tally, line: bytes) -> None:
    record = decode(line)
    if record is None:
        return
    try:
        tally.see(record)
    except (KeyError, TypeError, ValueError, AttributeError):
        return
