"""One open conversation: what it holds, and the only way to add to it.

Every method that changes something appends one line to the file first and the memory after it, so that the two never
differ. The file comes into being with the first line.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from hermes_lite.errors import SessionError
from hermes_lite.messages import Message, UserMessage, to_record
from hermes_lite.sessions.history import KINDS, History, fold, last_turn
from hermes_lite.sessions.records import VERSION, decode, encode, is_header
from hermes_lite.sessions.writer import Writer

ACTIVITY = "activity"


class Session:
    """A conversation that this process writes. Use `SessionStore` to get one; close it to let others write.

    `messages` is the conversation as the model may be sent it: compacted, undone, repaired. Do not change the list.
    Methods that write raise `SessionError`.
    """

    def __init__(self, path: Path, history: History, writer: Writer | None, now: Callable[[], str]) -> None:
        self.path = path
        self._history = history
        self._writer = writer
        self._now = now
        self._saved_info: Mapping[str, Any] | None = None

    @classmethod
    def new(cls, path: Path, header: Mapping[str, Any], now: Callable[[], str]) -> "Session":
        """A conversation without a file yet."""
        return cls(path, fold({"type": "session", "at": now(), **header}, ()), None, now)

    @classmethod
    def attach(cls, path: Path, now: Callable[[], str]) -> "Session":
        """The conversation in the file `path`, repaired. Raises `SessionError`."""
        writer, lines = Writer.attach(path)
        try:
            history = read(path, lines)
        except SessionError:
            writer.close()
            raise
        return cls(path, history, writer, now)

    @property
    def id(self) -> str:
        return self.path.stem

    @property
    def cwd(self) -> Path:
        """The folder it was started in; it may be gone."""
        return Path(str(self._history.header["cwd"]))

    @property
    def messages(self) -> list[Message]:
        return self._history.messages

    @property
    def notes(self) -> Sequence[str]:
        """What was mended or passed over to read the file, one line each, for people."""
        return self._history.notes

    @property
    def title(self) -> str:
        """As the person named it, else how their first message begins."""
        return self._history.tally.title

    @property
    def model(self) -> str:
        return self._history.tally.model

    @property
    def turns(self) -> int:
        """Turns so far, those undone not counted: the number of the next turn is one more."""
        return self._history.tally.turns

    @property
    def side_folder(self) -> Path:
        """Where files that belong to this session go: full outputs, checkpoints. Deleted with it."""
        return self.path.with_suffix("")

    @property
    def activity(self) -> Mapping[str, Any]:
        """The last saved facts of assembly; empty when none were saved."""
        saved = self.facts(ACTIVITY)
        return saved[-1] if saved else {}

    def facts(self, kind: str) -> Sequence[Mapping[str, Any]]:
        """Every fact of `kind`, oldest first."""
        return self._history.facts.get(kind, ())

    def append(self, message: Message) -> None:
        self._write("message", {"message": to_record(message)})

    def append_fact(self, kind: str, fact: Mapping[str, Any]) -> None:
        """Keep a JSON-able fact beside the messages. Raises `ValueError` for a kind that the file itself uses."""
        if kind in KINDS:
            raise ValueError(f"{kind!r} is a record of the session file itself")
        self._write(kind, {"fact": dict(fact)})

    def save_activity(self, facts: Mapping[str, Any]) -> None:
        self.append_fact(ACTIVITY, facts)

    def rename(self, title: str) -> None:
        self._write("title", {"title": title})

    def switch_model(self, model: str) -> None:
        self._write("model", {"model": model})

    def replace_history(self, messages: Sequence[Message]) -> None:
        """Go on with `messages` in place of all before (compaction). What was before stays in the file."""
        self._write("compaction", {"messages": [to_record(message) for message in messages]})

    def drop_last_turn(self) -> str | None:
        """Forget the last message of the person and all after it; its text, or `None` when there is no turn left."""
        start = last_turn(self.messages)
        if start == len(self.messages):
            return None
        first = self.messages[start]
        self._write("undo", {"dropped": len(self.messages) - start})
        return first.text if isinstance(first, UserMessage) else None

    def sync(self) -> None:
        """End of a turn: note how the session stands, for quick lists, and put all on the disk."""
        if self._writer is None:
            return
        info = self._history.tally.snapshot()
        if info != self._saved_info:
            self._write("info", info)
            self._saved_info = info
        self._writer.sync()

    def close(self) -> None:
        """Put all on the disk and let other processes write. May be called twice; writing after it is an error."""
        if self._writer is None:
            return
        try:
            self.sync()
        finally:
            self._writer.close()
            self._writer = None

    def __enter__(self) -> "Session":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()

    def _write(self, kind: str, body: Mapping[str, Any]) -> None:
        if self._writer is None:
            self._writer = self._start()
        at = self._now()
        self._writer.append(encode(kind, at, body))
        self._history.take({"type": kind, "at": at, **body})

    def _start(self) -> Writer:
        header = dict(self._history.header)
        writer = Writer.create(self.path)
        writer.append(encode(header.pop("type"), header.pop("at"), header))
        return writer


def read(path: Path, lines: Sequence[bytes]) -> History:
    """The conversation on the lines of the file `path`. Raises `SessionError` when its header is not one."""
    header = decode(lines[0]) if lines else None
    if header is None or not is_header(header):
        raise SessionError(f"{path} is not a session file", mend="Move it out of the sessions folder.")
    if header["version"] > VERSION:
        raise SessionError(
            f"session {path.stem} was written by a newer hermes-lite",
            mend="Update hermes-lite to open it.",
        )
    return fold(header, map(decode, lines[1:]))
