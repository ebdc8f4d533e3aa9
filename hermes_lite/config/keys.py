"""Dotted keys: taken apart, put together, and the nearest one that exists.

A segment that itself holds a dot is quoted: `mcp_servers."my.server".command`.
"""

import re
from collections.abc import Iterable
from difflib import get_close_matches

from hermes_lite.errors import ConfigError

KeyPath = tuple[str, ...]
_SEGMENT = re.compile(r'"([^"]*)"|([^."]*)')


def split(key: str) -> KeyPath:
    """The segments of `key`. Raises `ConfigError` when one is empty or a quote is left open."""
    segments: list[str] = []
    position = 0
    while match := _SEGMENT.match(key, position):
        segments.append(match[1] if match[1] is not None else match[2])
        position = match.end()
        if position == len(key) or key[position] != ".":
            break
        position += 1
    if position != len(key) or not all(segment.strip() for segment in segments):
        raise ConfigError(
            f"{key!r} is not a key: a segment is empty or wrongly quoted",
            mend="Write it like tools.tool_search.enabled.",
        )
    return tuple(segments)


def join(path: Iterable[str]) -> str:
    return ".".join(f'"{segment}"' if "." in segment else segment for segment in path)


def nearest(key: str, known: Iterable[str]) -> str | None:
    """The known key that `key` was probably meant to be."""
    names = sorted(known)
    by_tail = [name for name in names if name.endswith("." + key)]
    if by_tail:
        return min(by_tail, key=len)
    close = get_close_matches(key, names, n=1, cutoff=0.75)
    if close:
        return close[0]
    tails: dict[str, str] = {}
    for name in names:
        tails.setdefault(name.rsplit(".", 1)[-1], name)
    last = get_close_matches(key.rsplit(".", 1)[-1], list(tails), n=1, cutoff=0.7)
    return tails[last[0]] if last else next(iter(get_close_matches(key, names, n=1, cutoff=0.5)), None)
