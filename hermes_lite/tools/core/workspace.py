"""The files that our tools change: written whole or not at all, and remembered so that a turn can be undone.

What a command in the terminal changes is not seen here. Turn numbers must not be used twice within a session, except
after `undo`, which forgets the turn.
"""

import contextlib
import hashlib
import json
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, Literal, TypeAlias

from hermes_lite.paths import make_private
from hermes_lite.tools.spec import ToolContext

Outcome: TypeAlias = Literal["restored", "removed", "unchanged", "conflict", "too large", "failed"]


@dataclass(frozen=True, slots=True)
class Undone:
    """What `undo` did with one file. "conflict": others changed it since, so it was left; "failed": no access."""

    path: Path
    outcome: Outcome


@dataclass(slots=True)
class Checkpoints:
    """Content of files before our tools changed them, by turn, under `folder`.

    The last `turns` turns are kept, the oldest going first while all together exceed `most_bytes`; a single file
    larger than that is noted but not kept.
    """

    folder: Path
    turns: int
    most_bytes: int
    _lock: Lock = field(default_factory=Lock)

    def before(self, turn: int, path: Path) -> None:
        """Call before `path` is changed. Only its first change in a turn is kept. Raises `OSError`."""
        with self._lock:
            if str(path) in self._entries(turn):
                return
            self._add(turn, {"path": str(path)} | self._kept(turn, path))
            self._forget_oldest(turn)

    def after(self, turn: int, path: Path, content: bytes) -> None:
        """Call after `content` was written to `path`, so that a later change by others can be told."""
        with self._lock:
            self._add(turn, {"path": str(path), "after": _digest(content)})

    def last(self) -> int | None:
        """The newest turn that changed a file."""
        return max(self._turns(), default=None)

    def undo(self, turn: int) -> tuple[Undone, ...]:
        """Put the files of `turn` back as they were, as far as that goes, and forget the turn."""
        with self._lock:
            entries = self._entries(turn)
            undone = tuple(Undone(Path(path), self._outcome(turn, entry)) for path, entry in entries.items())
            shutil.rmtree(self._turn(turn), ignore_errors=True)
            return undone

    def _outcome(self, turn: int, entry: dict[str, Any]) -> Outcome:
        try:
            return self._restore(turn, entry)
        except OSError:
            return "failed"

    def _restore(self, turn: int, entry: dict[str, Any]) -> Outcome:
        path = Path(entry["path"])
        current = _content(path)
        if entry["too_large"]:
            return "too large"
        before = None if entry["blob"] is None else (self._turn(turn) / entry["blob"]).read_bytes()
        if current == before:
            return "unchanged"
        if current is None or _digest(current) != entry.get("after"):
            return "conflict"
        if before is None:
            path.unlink()
            return "removed"
        replace_file(path, before)
        return "restored"

    def _kept(self, turn: int, path: Path) -> dict[str, Any]:
        if path.exists() and path.stat().st_size > self.most_bytes:
            return {"blob": None, "too_large": True}
        content = _content(path)
        if content is None:
            return {"blob": None, "too_large": False}
        folder = self._made(turn)
        blob = f"{sum(1 for _ in folder.iterdir())}.before"
        (folder / blob).write_bytes(content)
        return {"blob": blob, "too_large": False}

    def _add(self, turn: int, record: dict[str, Any]) -> None:
        with (self._made(turn) / "changes.jsonl").open("a", encoding="ascii") as file:
            file.write(json.dumps(record) + "\n")

    def _entries(self, turn: int) -> dict[str, dict[str, Any]]:
        entries: dict[str, dict[str, Any]] = {}
        file = self._turn(turn) / "changes.jsonl"
        for line in file.read_text(encoding="ascii").splitlines() if file.exists() else ():
            record = json.loads(line)
            entries.setdefault(record["path"], {}).update(record)
        return entries

    def _forget_oldest(self, current: int) -> None:
        turns = sorted(self._turns())
        sizes = {turn: sum(file.stat().st_size for file in self._turn(turn).iterdir()) for turn in turns}
        while turns and turns[0] != current and (len(turns) > self.turns or sum(sizes.values()) > self.most_bytes):
            oldest = turns.pop(0)
            del sizes[oldest]
            shutil.rmtree(self._turn(oldest), ignore_errors=True)

    def _turns(self) -> Iterator[int]:
        if self.folder.is_dir():
            yield from (int(entry.name) for entry in self.folder.iterdir() if entry.name.isdecimal())

    def _turn(self, turn: int) -> Path:
        return self.folder / str(turn)

    def _made(self, turn: int) -> Path:
        return make_private(self._turn(turn))


def change_file(context: ToolContext, path: Path, content: bytes) -> bytes | None:
    """Make `content` the whole of `path`, undoably; what it held before, `None` for a new file. Raises `OSError`."""
    checkpoints = context.resource(Checkpoints)
    real = Path(os.path.realpath(path))
    if real.is_dir():
        raise IsADirectoryError
    if real.exists() and not real.is_file():
        raise OSError(0, "is a device or a pipe, not a file")
    before = _content(real)
    checkpoints.before(context.turn, real)
    replace_file(real, content)
    checkpoints.after(context.turn, real, content)
    return before


def replace_file(path: Path, content: bytes) -> None:
    """Write `path` atomically: it holds either the old content or the new. Mode is kept, folders are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name[:40]}.{secrets.token_hex(4)}")
    try:
        with fresh.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            fresh.chmod(stat.S_IMODE(path.stat().st_mode))
        fresh.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
