"""The names under which the tools of attached servers are known: `mcp__<server>__<tool>`, for providers and people.

A name is made from the *configured* server keys and the server's own tool names and from nothing else, so it is the
same in every session, whichever server answers first. The server part never holds `__` nor ends with `_`; therefore
two names are equal only if their server parts and their tool parts both are.
Source: section 8 of the tool-search design; T-F01 to T-F12, S-M6 and S-M7 of the robustness page.
"""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass

from hermes_lite.text import utf8
from hermes_lite.tools.registry import Dropped
from hermes_lite.tools.spec import Source

MAX_NAME = 64
_MAX_SERVER = 28
_DIGEST = 8
_ILLEGAL = re.compile(r"[^A-Za-z0-9_-]+")
_PREFIX = re.compile(r"mcp__.+?__(?=.)")
_RUN = re.compile(r"_{2,}")


@dataclass(frozen=True, slots=True)
class Naming:
    """Names by original tool name, and the tools that cannot have one."""

    names: Mapping[str, str]
    dropped: tuple[Dropped, ...] = ()


def server_prefixes(keys: Iterable[str]) -> dict[str, str]:
    """The prefix, `mcp__<server>__`, of each configured server key; distinct keys have distinct prefixes."""
    parts = _distinct({key: _RUN.sub("_", _legal(key)).strip("_") for key in keys}, "server", _MAX_SERVER)
    return {key: f"mcp__{part}__" for key, part in parts.items()}


def tool_names(source: Source, prefix: str, originals: Iterable[str]) -> Naming:
    """A name of at most 64 characters out of `[A-Za-z0-9_-]` for each tool of one server.

    A name that is legal as it stands is kept; one that had to be changed gets a hash of its original when another
    tool of the server would read the same, when it was cut, or when nothing of it was legal. A blank name is dropped,
    and so is the second of two equal ones.
    """
    declared = Counter(iter(originals))
    parts = _distinct({name: _legal(name) for name in declared if name.strip()}, "tool", MAX_NAME - len(prefix))
    blank = [Dropped(source, name, "its name is blank") for name in declared if not name.strip()]
    twice = [Dropped(source, name, "declared more than once") for name in parts if declared[name] > 1]
    return Naming(
        {name: prefix + part for name, part in parts.items()},
        tuple(sorted(blank + twice, key=lambda drop: drop.name)),
    )


def split(name: str) -> tuple[str, str]:
    """A name of an attached tool as prefix and the rest; the prefix of any other name is blank."""
    found = _PREFIX.match(name)
    return (found[0], name[found.end() :]) if found else ("", name)


def _legal(name: str) -> str:
    """`name` without accents and with `_` for whatever else no provider takes; blank when no letter is left."""
    plain = "".join(char for char in unicodedata.normalize("NFKD", name.strip()) if not unicodedata.combining(char))
    legal = _ILLEGAL.sub("_", plain)
    return legal if legal.strip("_-") else ""


def _distinct(wanted: Mapping[str, str], stem: str, room: int) -> dict[str, str]:
    """A part of at most `room` characters for each key of `wanted`: the wanted one, or one told apart by a hash."""
    shared = Counter(wanted.values())
    parts: dict[str, str] = {}
    taken: set[str] = set()
    for name, part in sorted(wanted.items(), key=lambda item: (item[0] != item[1], item[0])):
        as_it_is = part and len(part) <= room and part not in taken and (shared[part] == 1 or part == name)
        parts[name] = part if as_it_is else _hashed(name, part or stem, room, taken)
        taken.add(parts[name])
    return parts


def _hashed(name: str, part: str, room: int, taken: Set[str]) -> str:
    digest = hashlib.sha256(utf8(name)).hexdigest()
    candidates = (f"{part[: room - length - 1].rstrip('_')}_{digest[:length]}" for length in range(_DIGEST, room - 1))
    return next(candidate for candidate in candidates if candidate not in taken)
