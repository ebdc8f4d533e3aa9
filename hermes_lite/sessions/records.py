"""One line of a session file: a JSON object with a `type` as its first key, in UTF-8, ended by one line feed.

A line is written whole or not at all, so whatever follows the last line feed is either a whole record whose line
feed was lost, or the torn rest of a write that never ended.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from hermes_lite.text import clean_surrogates, utf8

Record: TypeAlias = dict[str, Any]

VERSION = 1
SNAPSHOT_START = b'\n{"type":"info"'


def encode(kind: str, at: str, body: Mapping[str, Any]) -> bytes:
    """One whole line. Text stays readable; a record with lone surrogates is escaped, so that it reads back equal."""
    record = {"type": kind, "at": at, **body}
    text = _dump(record, ascii_only=False)
    if clean_surrogates(text) != text:
        text = _dump(record, ascii_only=True)
    return utf8(text) + b"\n"


def _dump(record: Mapping[str, Any], *, ascii_only: bool) -> str:
    return json.dumps(record, ensure_ascii=ascii_only, separators=(",", ":"))


def decode(line: bytes) -> Record | None:
    """The record on `line`, or `None` when there is none."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and isinstance(record.get("type"), str) else None


def is_header(record: Record) -> bool:
    """Whether `record` may be the first of a session file."""
    return record["type"] == "session" and "cwd" in record and isinstance(record.get("version"), int)


@dataclass(frozen=True, slots=True)
class Lines:
    """A file's lines. The first `sound` bytes may stay; unless `closed`, the last line lacks its line feed."""

    lines: tuple[bytes, ...]
    sound: int
    closed: bool

    @classmethod
    def of(cls, data: bytes) -> "Lines":
        end = data.rfind(b"\n") + 1
        whole = tuple(line for line in data[:end].split(b"\n") if line)
        rest = data[end:]
        if rest and decode(rest) is not None:
            return cls((*whole, rest), len(data), closed=False)
        return cls(whole, end, closed=True)
