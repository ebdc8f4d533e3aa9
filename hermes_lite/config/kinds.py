"""The kinds of value a key can have: each says what it wants and makes a typed value of a node, or refuses it.

`accept(node)` raises `ValueError` with what was found and what is wanted; the caller adds key, file and line.
A kind that is `structured` is written as a YAML literal on the command line, any other as its bare text.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeGuard

from hermes_lite.config.nodes import Listing, Mapped, Node, Scalar, plain

_INTEGER = re.compile(r"[+-]?\d[\d_]*")
_TRUE = frozenset(("true", "on", "yes"))
_FALSE = frozenset(("false", "off", "no"))


class Kind(Protocol):
    @property
    def structured(self) -> bool: ...

    @property
    def wanted(self) -> str:
        """What a value has to be, to stand after "is not"."""

    def accept(self, node: Node) -> Any: ...


def refused(node: Node, kind: Kind) -> ValueError:
    return ValueError(f"{_shown(node)} is not {kind.wanted}")


def _shown(node: Node) -> str:
    match node:
        case Scalar(text=text, value=None) if text in ("", "~", "null"):
            return "an empty value"
        case Scalar(text=text):
            return f"`{text}`"
        case Listing():
            return "a list"
        case Mapped():
            return "a mapping"


@dataclass(frozen=True, slots=True)
class Flag:
    structured: ClassVar[bool] = False
    wanted: ClassVar[str] = "true or false"

    def accept(self, node: Node) -> bool:
        word = node.text.lower() if isinstance(node, Scalar) else ""
        if word in _TRUE or word in _FALSE:
            return word in _TRUE
        raise refused(node, self)


@dataclass(frozen=True, slots=True)
class Integer:
    low: int | None = None
    high: int | None = None
    structured: ClassVar[bool] = False

    @property
    def wanted(self) -> str:
        return "a whole number" + _range(self.low, self.high)

    def accept(self, node: Node) -> int:
        if isinstance(node, Scalar) and _INTEGER.fullmatch(node.text):
            number = int(node.text)
            if _within(number, self.low, self.high):
                return number
        raise refused(node, self)


@dataclass(frozen=True, slots=True)
class Number:
    low: float | None = None
    high: float | None = None
    structured: ClassVar[bool] = False

    @property
    def wanted(self) -> str:
        return "a number" + _range(self.low, self.high)

    def accept(self, node: Node) -> float:
        number = _number(node)
        if number is None or not _within(number, self.low, self.high):
            raise refused(node, self)
        return number


@dataclass(frozen=True, slots=True)
class Text:
    """Any text, to the letter. `optional`: an empty value or `null` is `None`."""

    optional: bool = False
    structured: ClassVar[bool] = False
    wanted: ClassVar[str] = "a text"

    def accept(self, node: Node) -> str | None:
        if not isinstance(node, Scalar):
            raise refused(node, self)
        if node.value is None or (self.optional and node.text == "null"):
            if self.optional:
                return None
            raise refused(node, self)
        return node.text


@dataclass(frozen=True, slots=True)
class Choice:
    """One of `words`. `true` and `false` name the word that a boolean in a file stands for."""

    words: tuple[str, ...]
    true: str | None = None
    false: str | None = None
    structured: ClassVar[bool] = False

    @property
    def wanted(self) -> str:
        return f"one of {', '.join(self.words)}" if len(self.words) > 1 else f"`{self.words[0]}`"

    def accept(self, node: Node) -> str:
        text = node.text if isinstance(node, Scalar) else ""
        word = {"true": self.true, "false": self.false}.get(text.lower()) or text
        if word in self.words:
            return word
        raise refused(node, self)


@dataclass(frozen=True, slots=True)
class Items:
    """A list whose items are all of one kind."""

    item: Kind
    structured: ClassVar[bool] = True

    @property
    def wanted(self) -> str:
        return "a list"

    def accept(self, node: Node) -> list[Any]:
        if isinstance(node, Listing):
            return [self.item.accept(item) for item in node.items]
        hint = f"; write [{node.text}]" if isinstance(node, Scalar) and node.text else ""
        raise ValueError(f"{refused(node, self)}{hint}")


@dataclass(frozen=True, slots=True)
class Table:
    """A mapping from names of the person's choice to values of one kind; `single`: exactly one of them."""

    entry: Kind
    single: bool = False
    structured: ClassVar[bool] = True

    @property
    def wanted(self) -> str:
        return "a mapping of one name to a value" if self.single else "a mapping of names to values"

    def accept(self, node: Node) -> dict[str, Any]:
        if not isinstance(node, Mapped) or (self.single and len(node.entries) != 1):
            raise refused(node, self)
        return {name: self.entry.accept(entry) for name, entry in node.entries.items()}


@dataclass(frozen=True, slots=True)
class Record:
    """A mapping with known fields; `extra` fields are kept as they are when `open`."""

    fields: Mapping[str, Kind]
    required: tuple[str, ...] = ()
    open: bool = False
    structured: ClassVar[bool] = True

    @property
    def wanted(self) -> str:
        return f"a mapping with {', '.join(self.required or tuple(self.fields))}"

    def is_meant(self, node: Node) -> TypeGuard[Mapped]:
        """Whether `node` has what makes it one of these, whatever else is wrong with it."""
        return isinstance(node, Mapped) and set(self.required) <= set(node.entries)

    def accept(self, node: Node) -> dict[str, Any]:
        if not self.is_meant(node):
            raise refused(node, self)
        unknown = sorted(set(node.entries) - set(self.fields))
        if unknown and not self.open:
            raise ValueError(f"`{unknown[0]}` is not one of {', '.join(self.fields)}")
        return {name: self._field(name, entry) for name, entry in node.entries.items()}

    def _field(self, name: str, entry: Node) -> Any:
        try:
            return self.fields.get(name, ANYTHING).accept(entry)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None


@dataclass(frozen=True, slots=True)
class Either:
    """The first of `kinds` that accepts the value. A record that was meant says what is wrong with it."""

    kinds: tuple[Kind, ...]

    @property
    def structured(self) -> bool:
        return any(kind.structured for kind in self.kinds)

    @property
    def wanted(self) -> str:
        return " or ".join(kind.wanted for kind in self.kinds)

    def accept(self, node: Node) -> Any:
        fault = refused(node, self)
        for kind in self.kinds:
            try:
                return kind.accept(node)
            except ValueError as error:
                fault = error if isinstance(kind, Record) and kind.is_meant(node) else fault
        raise fault


@dataclass(frozen=True, slots=True)
class Anything:
    structured: ClassVar[bool] = True
    wanted: ClassVar[str] = "any value"

    def accept(self, node: Node) -> Any:
        return plain(node)


ANYTHING = Anything()


def _number(node: Node) -> float | None:
    if not isinstance(node, Scalar):
        return None
    if _INTEGER.fullmatch(node.text):
        return int(node.text)
    try:
        number = float(node.text)
    except ValueError:
        return None
    return number if abs(number) != float("inf") and number == number else None


def _within(number: float, low: float | None, high: float | None) -> bool:
    return (low is None or number >= low) and (high is None or number <= high)


def _range(low: float | None, high: float | None) -> str:
    match low, high:
        case None, None:
            return ""
        case _, None:
            return f" of at least {low:g}"
        case None, _:
            return f" of at most {high:g}"
        case _:
            return f" from {low:g} to {high:g}"
