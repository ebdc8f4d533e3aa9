"""Reads a file that a person keeps: what stands at its path may be anything, and may never end."""

import os
from errno import EFBIG, EINVAL, EISDIR
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import BinaryIO

_MOST = 8_000_000


def opened(file: Path) -> BinaryIO:
    """`file` to be read, without waiting for the other end of a pipe. Raises `OSError`, also for what is no file."""
    mode = file.stat().st_mode
    if S_ISDIR(mode):
        raise IsADirectoryError(EISDIR, "it is a folder, not a file", str(file))
    if not S_ISREG(mode):
        raise OSError(EINVAL, "it is a device or a pipe, not a file", str(file))
    return os.fdopen(os.open(file, os.O_RDONLY | os.O_NONBLOCK), "rb")


def content_of(file: Path, most: int = _MOST) -> bytes:
    """What `file` holds. Raises `OSError`, also for what is no file or holds more than `most` bytes."""
    with opened(file) as stream:
        content = stream.read(most + 1)
    if len(content) > most:
        raise OSError(EFBIG, f"it is larger than {most // 1_000_000} MB", str(file))
    return content


def source_of(file: Path) -> str | None:
    """The text of `file`, a mark of its byte order included; `None` when there is none.

    Raises what `content_of` raises, and `UnicodeDecodeError`.
    """
    return content_of(file).decode("utf-8") if file.exists() else None


def text_of(file: Path) -> str | None:
    """`source_of(file)` without that mark."""
    source = source_of(file)
    return None if source is None else source.removeprefix("\ufeff")
