"""Which calls of one reply may run side by side: a pure function over rows and arguments.

The plan looks at the real tool behind the bridge, never at the envelope. A call that may not share its moment is a
barrier: everything before it ends first, everything after it waits.
"""

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from posixpath import normpath
from typing import Any, TypeAlias

from hermes_lite.tool_search.unwrap import CallError, RealCall

Item: TypeAlias = RealCall | CallError
PATH_ARGUMENTS = ("path", "file", "file_path", "filename")


def plan(items: Sequence[Item], cwd: PurePath) -> tuple[tuple[Item, ...], ...]:
    """Split `items` into runs, in order; the calls of one run may overlap in time. Relative paths start at `cwd`."""
    runs: list[list[Item]] = []
    for item in items:
        if runs and all(_may_overlap(item, other, cwd) for other in runs[-1]):
            runs[-1].append(item)
        else:
            runs.append([item])
    return tuple(tuple(run) for run in runs)


def _may_overlap(one: Item, other: Item, cwd: PurePath) -> bool:
    if isinstance(one, CallError) or isinstance(other, CallError):
        return True
    kinds = {one.row.parallel, other.row.parallel}
    if "never" in kinds:
        return False
    if kinds == {"safe"}:
        return True
    return not _paths_meet(_path(one.arguments, cwd), _path(other.arguments, cwd))


def _path(arguments: Mapping[str, Any], cwd: PurePath) -> PurePath | None:
    """What a call works on, as an absolute path; `None` when its arguments do not say."""
    named = (value for key in PATH_ARGUMENTS if isinstance(value := arguments.get(key), str))
    return next((PurePath(normpath(cwd / value)) for value in named), None)


def _paths_meet(one: PurePath | None, other: PurePath | None) -> bool:
    """Whether a call on `one` could touch `other`: the same file, or one inside the other; unknown meets all."""
    if one is None or other is None:
        return True
    return one.is_relative_to(other) or other.is_relative_to(one)
