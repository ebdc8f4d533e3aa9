"""How the file tools read a path that a model gave, and what they say when it does not lead anywhere."""

import functools
from collections.abc import Awaitable, Callable
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from hermes_lite.tools.spec import Handler, ToolContext, ToolResult

SHOWN_ENTRIES = 50


def located(cwd: Path, given: str) -> Path:
    """`given` as an absolute path: `~` is the home of the person, anything relative starts at `cwd`."""
    path = Path(given)
    if given.startswith("~"):
        try:
            path = path.expanduser()
        except RuntimeError:
            return cwd / given
    return cwd / path


def shown(path: Path, cwd: Path) -> str:
    """`path` as short as it can be said from `cwd`."""
    return str(path.relative_to(cwd)) if path.is_relative_to(cwd) else str(path)


def failing_clearly(handler: Callable[[dict[str, Any], ToolContext], Awaitable[ToolResult]]) -> Handler:
    """`handler` with every failure of the file system made a result that names the path and the next step."""

    @functools.wraps(handler)
    async def wrapped(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        try:
            return await handler(arguments, context)
        except (OSError, ValueError) as error:
            return ToolResult(_explained(error, located(context.cwd, arguments.get("path", "."))), is_error=True)

    return wrapped


def _explained(error: OSError | ValueError, path: Path) -> str:
    match error:
        case FileNotFoundError():
            return f"There is no {path}.{_neighbours(path)}"
        case IsADirectoryError():
            return f"{path} is a folder.{_entries(path)}"
        case NotADirectoryError():
            return f"A part of {path} is a file, not a folder."
        case PermissionError():
            return f"No permission for {path}. Ask the person, or choose another path."
        case OSError():
            return f"{path}: {error.strerror or error}"
        case _:
            return f"{str(path)!r} is not a path: {error}"


def _neighbours(path: Path) -> str:
    if not path.parent.is_dir():
        return f" Nor is there a folder {path.parent}."
    near = get_close_matches(path.name, [entry.name for entry in path.parent.iterdir()], n=3)
    return f" Did you mean {' or '.join(near)}?" if near else " Find it with search_files."


def _entries(path: Path) -> str:
    names = sorted(f"{entry.name}/" if entry.is_dir() else entry.name for entry in path.iterdir())
    more = f"\n... and {len(names) - SHOWN_ENTRIES} more" if len(names) > SHOWN_ENTRIES else ""
    return " It holds:\n" + "\n".join(names[:SHOWN_ENTRIES]) + more if names else " It is empty."
