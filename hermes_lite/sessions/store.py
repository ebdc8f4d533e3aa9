"""The folder of sessions: making, finding, opening, copying and deleting them."""

import re
import secrets
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from hermes_lite.errors import SessionError
from hermes_lite.paths import Home
from hermes_lite.sessions.export import FORMATS, Format
from hermes_lite.sessions.history import History
from hermes_lite.sessions.index import Hit, Index
from hermes_lite.sessions.listing import SessionInfo, read_info
from hermes_lite.sessions.records import VERSION, Lines, encode
from hermes_lite.sessions.session import Session, read
from hermes_lite.sessions.writer import Writer, is_in_use

__all__ = ["Hit", "Session", "SessionInfo", "SessionStore"]

_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,99}")
_LIST = "Show them: hermes-lite sessions list"


def clock() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class SessionStore:
    """Sessions in `folder`, one `<id>.jsonl` each. `cache` holds the search index, which may be deleted any time.

    Methods that need a session raise `SessionError` when it is not there, is ambiguous or cannot be read. An id may
    be shortened to any beginning that no other session shares.
    """

    folder: Path
    cache: Path
    now: Callable[[], datetime] = clock

    @classmethod
    def of(cls, home: Home) -> "SessionStore":
        return cls(home.sessions, home.cache)

    def create(self, cwd: Path, model: str) -> Session:
        """A new session started in `cwd`. Its file is made with the first line, so an unused one leaves no trace."""
        path = self._path(self._new_id())
        return Session.new(path, self._header(path, cwd, model), self._time)

    def open(self, session_id: str) -> Session:
        """Go on with a session, repaired. Raises `SessionError` when another process has it open; see `fork`."""
        return Session.attach(self.find(session_id), self._time)

    def read(self, session_id: str) -> History:
        """A session as it stands, without the right to write; works while another process has it open."""
        path = self.find(session_id)
        return read(path, self._lines(path))

    def fork(self, session_id: str) -> Session:
        """A copy under a new id, open for writing; the original may be open elsewhere. Side files are not copied."""
        source = self.find(session_id)
        lines = self._lines(source)
        origin = read(source, lines)
        path = self._path(self._new_id())
        header = self._header(path, Path(str(origin.header["cwd"])), origin.tally.model)
        copy = Writer.create(path)
        try:
            start = encode("session", self._time(), header | {"forked_from": source.stem})
            copy.append(start + b"".join(line + b"\n" for line in lines[1:]))
        finally:
            copy.close()
        return Session.attach(path, self._time)

    def delete(self, session_id: str) -> str:
        """Remove a session with its side files; its full id. Raises `SessionError` while a process has it open."""
        path = self.find(session_id)
        if is_in_use(path):
            raise SessionError(
                f"session {path.stem} is already open, here or in another process", mend="Close it there first."
            )
        shutil.rmtree(path.with_suffix(""), ignore_errors=True)
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise SessionError(f"cannot delete {path}: {error.strerror}") from error
        return path.stem

    def list(self) -> tuple[SessionInfo, ...]:
        """Every session, the one changed last first. Files that are no sessions are passed over."""
        found = (read_info(path) for path in self.folder.glob("*.jsonl"))
        return tuple(sorted((info for info in found if info), key=lambda info: (info.updated, info.id), reverse=True))

    def latest(self, cwd: Path) -> SessionInfo | None:
        """The session of exactly this folder that was changed last."""
        return next((info for info in self.list() if info.cwd == cwd), None)

    def search(self, query: str, limit: int, *, leave_out: str = "") -> tuple[Hit, ...]:
        """The best `limit` messages of all sessions but `leave_out`; what was compacted away counts too."""
        return Index(self.cache, self.folder).search(query, limit, leave_out=leave_out)

    def export(self, session_id: str, form: Format) -> str:
        """The whole conversation as a text: for people (Markdown, HTML) or for programs (JSON Lines)."""
        return FORMATS[form](self.read(session_id))

    def find(self, session_id: str) -> Path:
        """The file of the session whose id is, or begins with, `session_id`."""
        if not _ID.fullmatch(session_id):
            raise SessionError(f"{session_id!r} is not the id of a session", mend=_LIST)
        exact = self._path(session_id)
        if exact.is_file():
            return exact
        matching = sorted(filter(Path.is_file, self.folder.glob(f"{session_id}*.jsonl")))
        if not matching:
            raise SessionError(f"there is no session {session_id}", mend=_LIST)
        if len(matching) > 1:
            names = ", ".join(path.stem for path in matching[:5])
            raise SessionError(
                f"{len(matching)} sessions begin with {session_id}: {names}", mend="Give more of the id."
            )
        return matching[0]

    def _path(self, session_id: str) -> Path:
        return self.folder / f"{session_id}.jsonl"

    def _lines(self, path: Path) -> tuple[bytes, ...]:
        try:
            return Lines.of(path.read_bytes()).lines
        except OSError as error:
            raise SessionError(f"cannot read {path}: {error.strerror}") from error

    def _new_id(self) -> str:
        return f"{self.now():%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"

    def _header(self, path: Path, cwd: Path, model: str) -> dict[str, object]:
        return {"version": VERSION, "id": path.stem, "cwd": str(cwd), "model": model}

    def _time(self) -> str:
        return self.now().isoformat(timespec="milliseconds")
