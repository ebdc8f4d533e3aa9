"""The right to append to one session file: an exclusive lock on the file itself, held as long as it is open.

Nothing is ever changed in the file but a torn last line, which goes when the next whole line is written.
"""

import contextlib
import io
import os
from dataclasses import dataclass
from pathlib import Path

import portalocker

from hermes_lite.errors import SessionError
from hermes_lite.paths import make_private
from hermes_lite.sessions.records import Lines


@dataclass(slots=True)
class Writer:
    """Appends whole lines. `sound` is how many bytes are whole records; `torn` tells that others follow them."""

    path: Path
    file: io.FileIO
    sound: int = 0
    torn: bool = False
    closed_line: bool = True

    @classmethod
    def create(cls, path: Path) -> "Writer":
        """Start a new file of mode 0600. Raises `SessionError` when that cannot be done."""
        try:
            make_private(path.parent)
            return cls(path, _locked(path, os.O_CREAT | os.O_EXCL))
        except OSError as error:
            raise _unwritable(path, error) from error

    @classmethod
    def attach(cls, path: Path) -> "tuple[Writer, tuple[bytes, ...]]":
        """Take over an existing file; also its whole lines. Raises `SessionError`, also when it is in use."""
        try:
            file = _locked(path, 0)
            file.seek(0)
            data = file.readall()
            lines = Lines.of(data)
        except OSError as error:
            raise _unwritable(path, error) from error
        return cls(path, file, lines.sound, lines.sound < len(data), lines.closed), lines.lines

    def append(self, line: bytes) -> None:
        """Write one whole line in one write, or leave the file as it was. Raises `SessionError`."""
        data = line if self.closed_line else b"\n" + line
        try:
            if self.torn:
                self.file.truncate(self.sound)
            self.torn = True
            if self.file.write(data) != len(data):
                raise OSError(0, "no space left")
        except OSError as error:
            self._take_back()
            raise _unwritable(self.path, error) from error
        self.sound += len(data)
        self.torn, self.closed_line = False, True

    def sync(self) -> None:
        """Make what was written outlive a loss of power. Raises `SessionError`."""
        try:
            os.fsync(self.file.fileno())
        except OSError as error:
            raise _unwritable(self.path, error) from error

    def close(self) -> None:
        """Give the lock back."""
        self.file.close()

    def _take_back(self) -> None:
        with contextlib.suppress(OSError):
            self.file.truncate(self.sound)
            self.torn = False


def is_in_use(path: Path) -> bool:
    """Whether a live process, this one included, may append to the file."""
    try:
        _locked(path, 0).close()
    except SessionError:
        return True
    except OSError:
        return False
    return False


def _locked(path: Path, flags: int) -> io.FileIO:
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | flags, 0o600)
    file = io.FileIO(descriptor, "a+b")
    try:
        portalocker.lock(file, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING)
    except portalocker.AlreadyLocked as error:
        file.close()
        raise SessionError(
            f"session {path.stem} is already open, here or in another process",
            mend=f"Close it there, or work on a copy: hermes-lite sessions fork {path.stem}",
        ) from error
    except portalocker.LockException:
        return file  # a file system without locks: better unguarded than unusable
    return file


def _unwritable(path: Path, error: OSError) -> SessionError:
    return SessionError(
        f"cannot write the session file {path}: {error.strerror}",
        mend="Make room or give this user write permission; everything written before is kept.",
    )
