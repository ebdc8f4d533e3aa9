"""Dotted keys: taken apart, put together, and the nearest one that exists.

A segment that itself holds a dot is quoted: `mcp_servers."my.server".command`.
"""

import re
from collections.abc import Iterable
from difflib import get_close_matches

from hermes_lite.errors import ConfigError

KeyPath = tuple[str, ...]
_MOST_SHOWN = 8
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
    """The known key, or section of keys, that `key` was probably meant to be."""
    names = sorted(known)
    sections = {name[:end] for name in names for end, char in enumerate(name) if char == "."}
    by_tail = [name for name in (*names, *sorted(sections)) if name.endswith("." + key)]
    if by_tail:
        return min(by_tail, key=len)
    close = get_close_matches(key, names, n=1, cutoff=0.75)
    if close and not _is_section_alone_alike(key, close[0]):
        return close[0]
    section, _, last = key.rpartition(".")
    if section in sections:
        return _by_last(last, (name for name in names if name.rpartition(".")[0] == section), 0.5)
    return _by_last(last, names, 0.7) or next(iter(get_close_matches(key, names, n=1, cutoff=0.5)), None)


def suggestion(key: str, known: Iterable[str]) -> str:
    """What to say to someone who wrote `key`, which does not exist: the nearest one, or what there is beside it."""
    names = tuple(known)
    close = nearest(key, names)
    return f"did you mean {close}?" if close else members(key.rpartition(".")[0], names)


def members(section: str, known: Iterable[str]) -> str:
    """The keys of `section`, as a hint; empty when it is none."""
    inside = [name.removeprefix(f"{section}.") for name in known if name.startswith(f"{section}.")]
    return f"its keys: {', '.join(inside[:_MOST_SHOWN])}{' …' if len(inside) > _MOST_SHOWN else ''}" if inside else ""


def _is_section_alone_alike(key: str, name: str) -> bool:
    (section, _, last), (its_section, _, its_last) = key.rpartition("."), name.rpartition(".")
    return section == its_section != "" and not get_close_matches(last, [its_last], cutoff=0.5)


def _by_last(last: str, names: Iterable[str], cutoff: float) -> str | None:
    """The name whose last segment is most like `last`."""
    by_segment: dict[str, str] = {}
    for name in names:
        by_segment.setdefault(name.rpartition(".")[2], name)
    close = get_close_matches(last, list(by_segment), n=1, cutoff=cutoff)
    return by_segment[close[0]] if close else None
