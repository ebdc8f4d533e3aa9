"""Rows as a key: the same row objects in the same order are the same catalogue.

A row is a frozen value that the registry keeps, so identity is the cheapest proof that nothing changed: a changed
description comes as another row. What is cached under `Rows` holds the rows, so their identities are never reused.
"""

from collections.abc import Iterable
from typing import Any

from hermes_lite.tools.spec import ToolSpec


class Rows(tuple[ToolSpec, ...]):
    """A tuple of rows that is hashed and compared by the identity of its members."""

    def __new__(cls, rows: Iterable[ToolSpec] = ()) -> "Rows":
        made = super().__new__(cls, rows)
        made._ids = tuple(map(id, made))
        return made

    _ids: tuple[int, ...]

    def __hash__(self) -> int:
        return hash(self._ids)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Rows) and self._ids == other._ids

    def __ne__(self, other: Any) -> bool:
        return not self == other
