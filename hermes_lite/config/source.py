"""Reads a file that a person keeps: what stands at its path may be anything, and may never end."""

from errno import EFBIG, EINVAL
from pathlib import Path

_MOST = 8_000_000


def source_of(file: Path) -> str | None:
    """The text of `file`, a mark of its byte order included; `None` when there is none.

    Raises `OSError`, also for what is not a regular file or is far too large, and `UnicodeDecodeError`.
    """
    if not file.exists():
        return None
    if not file.is_file():
        raise OSError(EINVAL, "it is not a regular file", str(file))
    if file.stat().st_size > _MOST:
        raise OSError(EFBIG, f"it is larger than {_MOST // 1_000_000} MB", str(file))
    return file.read_bytes().decode("utf-8")
