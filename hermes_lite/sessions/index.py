"""Full-text search over all sessions: an SQLite FTS5 index beside the files, brought up to date before each search.

The files are the truth; the index may be deleted, be damaged or be impossible to write, and the search still answers.
Scripts that do not put spaces between words are indexed character by character and searched as phrases, so that one
Chinese character is found as well as ten. The index file is only ever opened through SQLite, which needs that for its
locks.
"""

import contextlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG

import regex

from hermes_lite.messages import Message, ToolMessage, from_record
from hermes_lite.paths import make_private
from hermes_lite.sessions.records import Lines, Record, decode
from hermes_lite.text import clean_surrogates, one_line

FILE = "sessions-1.sqlite"
LOCK_SECONDS = 5.0
EXCERPT = 240
PER_SESSION = 3
RESULT_MOST = 2000

_SCHEMA = """
CREATE TABLE IF NOT EXISTS files (
    session TEXT PRIMARY KEY, size INTEGER NOT NULL, changed INTEGER NOT NULL, first INTEGER, last INTEGER
);
CREATE VIRTUAL TABLE IF NOT EXISTS said USING fts5(
    words, text UNINDEXED, session UNINDEXED, role UNINDEXED, at UNINDEXED,
    tokenize = 'unicode61 remove_diacritics 2'
);
"""
_FIND = """
SELECT session, role, at, text FROM (
    SELECT session, role, at, text, rank, row_number() OVER (PARTITION BY session ORDER BY rank) AS place
    FROM said WHERE said MATCH ? AND session != ?
) WHERE place <= ? ORDER BY rank, session DESC LIMIT ?
"""
_UNSPACED = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]",
)
_TERM = regex.compile(r'"([^"]+)"|(\S+)')
_WORD = regex.compile(r"[\p{L}\p{N}\p{M}]+")


@dataclass(frozen=True, slots=True)
class Hit:
    """One message that matches: whose session, when (ISO 8601), who said it, and the words around the match."""

    session_id: str
    at: str
    role: str
    excerpt: str


@dataclass(frozen=True, slots=True)
class Index:
    """The index in `cache` of the session files in `folder`."""

    cache: Path
    folder: Path

    def search(self, query: str, limit: int, *, leave_out: str = "") -> tuple[Hit, ...]:
        """The best messages that hold every term of `query`, at most three a session. No terms, no hits."""
        match = match_expression(query)
        if not match:
            return ()
        try:
            return self._search(str(self._file()), match, limit, leave_out, query)
        except (sqlite3.OperationalError, OSError):
            return self._search(":memory:", match, limit, leave_out, query)
        except sqlite3.DatabaseError:
            self._file().unlink(missing_ok=True)
            return self._search(str(self._file()), match, limit, leave_out, query)

    def _search(self, database: str, match: str, limit: int, leave_out: str, query: str) -> tuple[Hit, ...]:
        with closing(sqlite3.connect(database, timeout=LOCK_SECONDS)) as connection:
            connection.executescript(_SCHEMA)
            with connection:
                self._catch_up(connection)
            rows = connection.execute(_FIND, (match, leave_out, PER_SESSION, limit)).fetchall()
        return tuple(Hit(session, at, role, excerpt(text, query)) for session, role, at, text in rows)

    def _file(self) -> Path:
        file = make_private(self.cache) / FILE
        if not file.exists():
            file.touch(mode=0o600)
        return file

    def _catch_up(self, connection: sqlite3.Connection) -> None:
        connection.execute("BEGIN IMMEDIATE")
        known = {row[0]: row[1:3] for row in connection.execute("SELECT session, size, changed FROM files")}
        present = dict(_states(self.folder))
        for session, state in known.items():
            if present.get(session) != state:
                _forget(connection, session)
        for session, state in present.items():
            if known.get(session) != state:
                _learn(connection, self.folder / f"{session}.jsonl", state)


def _states(folder: Path) -> Iterator[tuple[str, tuple[int, int]]]:
    for path in folder.glob("*.jsonl"):
        with contextlib.suppress(OSError):
            state = path.stat()
            if S_ISREG(state.st_mode):
                yield path.stem, (state.st_size, state.st_mtime_ns)


def _forget(connection: sqlite3.Connection, session: str) -> None:
    span = connection.execute("SELECT first, last FROM files WHERE session = ?", (session,)).fetchone()
    connection.execute("DELETE FROM said WHERE rowid BETWEEN ? AND ?", span)
    connection.execute("DELETE FROM files WHERE session = ?", (session,))


def _learn(connection: sqlite3.Connection, path: Path, state: tuple[int, int]) -> None:
    (before,) = connection.execute("SELECT coalesce(max(rowid), 0) FROM said").fetchone()
    connection.executemany("INSERT INTO said VALUES (?, ?, ?, ?, ?)", _rows(path))
    (after,) = connection.execute("SELECT coalesce(max(rowid), 0) FROM said").fetchone()
    connection.execute("INSERT INTO files VALUES (?, ?, ?, ?, ?)", (path.stem, *state, before + 1, after))


def _rows(path: Path) -> Iterator[tuple[str, str, str, str, str]]:
    for line in _lines(path):
        record = decode(line)
        message = _message(record) if record else None
        if record and message and message.text.strip():
            text = clean_surrogates(message.text[:RESULT_MOST] if isinstance(message, ToolMessage) else message.text)
            yield spaced(text), text, path.stem, record["message"]["role"], str(record.get("at", ""))


def _lines(path: Path) -> tuple[bytes, ...]:
    try:
        return Lines.of(path.read_bytes()).lines
    except OSError:
        return ()


def _message(record: Record) -> Message | None:
    try:
        return from_record(record["message"]) if record["type"] == "message" else None
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def spaced(text: str) -> str:
    """`text` with every character of an unspaced script standing alone."""
    return _UNSPACED.sub(r" \g<0> ", text)


def match_expression(query: str) -> str:
    """`query` as an FTS5 expression: all terms; a word also finds longer ones, a quoted phrase stands together."""
    terms = []
    for quoted, plain in _TERM.findall(clean_surrogates(query)):
        words = _WORD.findall(spaced(quoted or plain))
        if words:
            terms.append(f'"{" ".join(words)}"' + ("" if quoted else "*"))
    return " ".join(terms)


def excerpt(text: str, query: str) -> str:
    """One line of `text` around the first word of `query` that is found in it."""
    line = one_line(text)
    folded = line.casefold()
    places = [folded.find(word.casefold()) for word in _WORD.findall(query)]
    first = min((place for place in places if place >= 0), default=0)
    start = max(0, min(first - EXCERPT // 3, len(line) - EXCERPT))
    shown = line[start : start + EXCERPT]
    return f"{'…' * (start > 0)}{shown}{'…' * (start + EXCERPT < len(line))}"
