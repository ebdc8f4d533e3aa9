"""The last line of a chat: the command that goes on with its session, as it can be typed or copied right there."""

import shutil
import sys
from pathlib import Path
from shlex import quote

from rich.cells import cell_len
from rich.text import Text

_NAME = "hermes-lite"
_TOLD = "To go on:"


def way_back(session: str, width: int) -> Text:
    """On a line of its own where it would not fit beside the words: a broken line cannot be copied."""
    how = f"{command_here()} -r {session}"
    beside = cell_len(f"{_TOLD} {how}") <= width
    return Text(f"{_TOLD} {how}" if beside else f"{_TOLD}\n{how}", style="faint")


def command_here() -> str:
    """What starts this very program in the working folder: by its name only where PATH leads to it."""
    script = Path(sys.argv[0])
    if script.name != _NAME:
        return f"{quote(sys.executable)} -m hermes_lite"
    found = shutil.which(_NAME)
    if found and Path(found).resolve() == script.resolve():
        return _NAME
    here = Path.cwd()
    place = script.absolute()
    return quote(str(place.relative_to(here) if place.is_relative_to(here) else place))
