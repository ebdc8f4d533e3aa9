"""What a configuration file says, before anything is judged: scalars with their text, lists and mappings, with lines.

A scalar keeps the text that was written beside the value that YAML makes of it, because the type of a key is the
schema's business: the `4.10` of a text key stays "4.10", the `off` of a choice stays a word.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

Atom: TypeAlias = bool | int | float | str | None


class BrokenYaml(ValueError):
    """The text is not YAML, or not the YAML of a configuration. `line` and `column` count from 1."""

    def __init__(self, reason: str, line: int = 1, column: int = 1) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.column = column


@dataclass(frozen=True, slots=True)
class Scalar:
    text: str
    value: Atom
    line: int = 0


@dataclass(frozen=True, slots=True)
class Listing:
    items: tuple["Node", ...]
    line: int = 0


@dataclass(frozen=True, slots=True)
class Mapped:
    entries: Mapping[str, "Node"]
    line: int = 0


Node: TypeAlias = Scalar | Listing | Mapped


def plain(node: Node) -> Any:
    """The Python value of `node`, typed as YAML 1.2 types it."""
    match node:
        case Scalar(value=value):
            return value
        case Listing(items=items):
            return [plain(item) for item in items]
        case Mapped(entries=entries):
            return {key: plain(entry) for key, entry in entries.items()}


def node_of(value: Any) -> Node:
    """The node that stands for a Python value. Raises `ValueError` for what no configuration file can hold."""
    match value:
        case bool():
            return Scalar("true" if value else "false", value)
        case None:
            return Scalar("null", None)
        case int() | float():
            return Scalar(str(value), value)
        case str():
            return Scalar(value, value)
        case list() | tuple():
            return Listing(tuple(node_of(item) for item in value))
        case Mapping():
            return Mapped({str(key): node_of(entry) for key, entry in value.items()})
        case _:
            raise ValueError(f"a {type(value).__name__} cannot stand in a configuration file")


def encode(node: Node) -> list[Any]:
    """`node` as JSON; `decode` reads it back equal."""
    match node:
        case Scalar(text, value, line):
            return [line, text, value]
        case Listing(items, line):
            return [line, [encode(item) for item in items]]
        case Mapped(entries, line):
            return [line, {key: encode(entry) for key, entry in entries.items()}]


def decode(record: list[Any]) -> Node:
    """Raises `ValueError` for anything that `encode` does not write."""
    match record:
        case [int(line), str(text), value]:
            return Scalar(text, value, line)
        case [int(line), list(items)]:
            return Listing(tuple(decode(item) for item in items), line)
        case [int(line), dict(entries)]:
            return Mapped({key: decode(entry) for key, entry in entries.items()}, line)
        case _:
            raise ValueError("not an encoded node")
