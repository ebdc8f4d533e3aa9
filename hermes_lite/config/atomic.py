"""Replaces a file as a whole or not at all."""

import os
from errno import EACCES, ELOOP
from pathlib import Path
from time import monotonic_ns

from hermes_lite.text import utf8

_NEW_FOLDER = 0o700
_NEW_FILE = 0o600


def write_atomically(file: Path, text: str, mode: int | None = None) -> None:
    """Write `text` as UTF-8 so that a crash leaves the old file or the new one, never a part.

    A symbolic link is followed; an existing file keeps its mode unless `mode` is given; a new one is private.
    Raises `OSError` that names `file`.
    """
    try:
        _replace(_resolved(file), text, mode)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(file)) from None


def _resolved(file: Path) -> Path:
    try:
        return file.resolve()
    except RuntimeError:  # what a circle of links raises
        raise OSError(ELOOP, os.strerror(ELOOP)) from None


def _replace(target: Path, text: str, mode: int | None) -> None:
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(EACCES, os.strerror(EACCES))
    target.parent.mkdir(mode=_NEW_FOLDER, parents=True, exist_ok=True)
    if mode is None:
        mode = target.stat().st_mode & 0o7777 if target.exists() else _NEW_FILE
    partial = target.with_name(f".{target.name}.{os.getpid()}-{monotonic_ns():x}")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _NEW_FILE)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(utf8(text))
            stream.flush()
            os.fsync(stream.fileno())
        partial.chmod(mode)
        partial.replace(target)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":  # a folder cannot be opened there; the rename itself is durable
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
