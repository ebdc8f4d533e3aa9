"""Ids for calls: kept as the provider wrote them where they are unique, derived where they are not.

A derived id has the length and the kinds of character of the one it comes from (some providers take exactly nine
letters and digits), and is the same at every replay. Source: section 5.3 of the tool-search design, S-B14.
"""

import hashlib
import re
import string
from collections.abc import Iterable, Iterator

from hermes_lite.text import utf8

_PREFIX = re.compile(r"(?:[A-Za-z]+[_-])*")
_HEX = re.compile(r"[0-9a-f-]+")
MADE = "0a0a0a0a0"
_TRIES = 64


class CallIds:
    """The ids of one reply. `wire` are those that the model sent; nothing derived may take one of them.

    `taken` are ids that the conversation already holds: a provider may start from the same one in each reply.
    """

    def __init__(self, wire: Iterable[str] = (), taken: Iterable[str] = ()) -> None:
        self._wire = frozenset(wire)
        self._given = set(taken)

    def own(self, wire: str, position: int) -> str:
        """The id of the call that stands at `position` in the reply: its own, if it has one that is still free."""
        if wire and wire not in self._given:
            self._given.add(wire)
            return wire
        return self.derived(wire or MADE, f"call {position}")

    def derived(self, parent: str, part: str) -> str:
        """An id for `part` of the call `parent`."""
        fresh = next(made for made in _candidates(parent, part) if made not in self._given | self._wire)
        self._given.add(fresh)
        return fresh


def _candidates(parent: str, part: str) -> Iterator[str]:
    """Ids like `parent`; when its alphabet is too small for another one, longer ones."""
    prefix = _PREFIX.match(parent)[0]  # type: ignore[index]
    tail = parent[len(prefix) :]
    for attempt in range(_TRIES):
        yield prefix + _like(tail, f"{parent}\n{part}\n{attempt}")
    for attempt in range(1_000_000):
        yield parent + _like(MADE, f"{parent}\n{part}\n{attempt}")


def _like(tail: str, seed: str) -> str:
    alphabet = _alphabet(tail)
    digest = hashlib.shake_256(utf8(seed)).digest(max(1, len(tail)))
    return "".join(
        alphabet[byte % len(alphabet)] if char.isalnum() else char for byte, char in zip(digest, tail, strict=False)
    )


def _alphabet(tail: str) -> str:
    if _HEX.fullmatch(tail) and not tail.isdigit():
        return "0123456789abcdef"
    kinds = (string.digits, string.ascii_lowercase, string.ascii_uppercase)
    present = "".join(kind for kind in kinds if any(char in kind for char in tail))
    return present or string.digits + string.ascii_lowercase
