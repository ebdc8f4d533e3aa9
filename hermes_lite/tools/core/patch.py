"""`patch`: exact replacement of text in a file, on its bytes, so that all the rest stays as it is.

When the old text does not fit, the answer says why as precisely as it can, for the next try to succeed.
"""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import islice
from pathlib import Path
from typing import Any

import anyio.to_thread

from hermes_lite.config.source import opened
from hermes_lite.text import utf8
from hermes_lite.tools.core.differences import describe
from hermes_lite.tools.core.files import is_binary
from hermes_lite.tools.core.paths import failing_clearly, located, shown
from hermes_lite.tools.core.workspace import change_file
from hermes_lite.tools.spec import ToolContext, ToolResult

PLACES_SHOWN = 10
NEAR_ENOUGH = 0.5
COMPARED_LINES = 5000
CONTEXT_LINES = 1

_NUMBERED = re.compile(r"\s*\d+\t")


@failing_clearly
async def patch(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
    path = located(context.cwd, arguments["path"])
    old, new = arguments["old_text"], arguments["new_text"]
    return await anyio.to_thread.run_sync(_patch, context, path, old, new, arguments.get("replace_all", False))


def _patch(context: ToolContext, path: Path, old: str, new: str, replace_all: bool) -> ToolResult:
    with opened(path) as file:
        content = file.read()
    name = shown(path, context.cwd)
    before, after = _line_ends_of(content, old), _line_ends_of(content, new)
    refusal = _refusal(content, old, new) or _misfit(content, before, old, replace_all)
    if refusal:
        return ToolResult(f"{name} was NOT changed: {refusal}", is_error=True)
    changed = content.replace(before, after)
    change_file(context, path, changed)
    return ToolResult(describe(name, content, changed))


def _line_ends_of(content: bytes, text: str) -> bytes:
    """`text` as bytes with the line ends that `content` uses throughout."""
    data = utf8(text)
    uniform = b"\r\n" in content and content.count(b"\r\n") == content.count(b"\n")
    return data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n") if uniform else data


def _refusal(content: bytes, old: str, new: str) -> str:
    if is_binary(content):
        return "it is not a text file."
    if not old:
        return "old_text is empty. Give the text to replace, or use write_file for the whole file."
    if old == new:
        return "old_text and new_text are the same."
    return ""


def _misfit(content: bytes, wanted: bytes, old: str, replace_all: bool) -> str:
    places = list(islice(_places(content, wanted), PLACES_SHOWN + 1))
    if not places:
        return _not_found(content.decode("utf-8", "replace").replace("\r\n", "\n"), old)
    if len(places) == 1 or replace_all:
        return ""
    lines = ", ".join(str(content.count(b"\n", 0, place) + 1) for place in places[:PLACES_SHOWN])
    more = ", ..." if len(places) > PLACES_SHOWN else ""
    return f"old_text is not unique; it stands at lines {lines}{more}. Add lines around it, or set replace_all."


def _places(content: bytes, wanted: bytes) -> Iterator[int]:
    """Where `wanted` starts in `content`; places that overlap count too, for then it is not clear which is meant."""
    place = content.find(wanted)
    while place >= 0:
        yield place
        place = content.find(wanted, place + 1)


def _not_found(text: str, old: str) -> str:
    if all(_NUMBERED.match(line) for line in old.splitlines()):
        return "old_text carries the line numbers of read_file. Leave them out."
    lines = text.split("\n")
    wanted = old.strip("\n").split("\n")
    start = _nearest(lines, wanted)
    if start is None:
        return "old_text is not in it, nor anything like it. Read the file again; another may be meant."
    there = lines[start : start + len(wanted)]
    same_words = "".join("".join(there).split()) == "".join("".join(wanted).split())
    why = "It differs in white space only" if same_words else "The nearest"
    return f"old_text is not in it. {why}; this is what stands there:\n{_window(lines, start, len(wanted))}"


def _nearest(lines: list[str], wanted: list[str]) -> int | None:
    """Where the run of lines starts that is most like `wanted`; `None` when nothing is."""
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2("\n".join(line.strip() for line in wanted))
    stripped = [line.strip() for line in lines[:COMPARED_LINES]]
    best, place = NEAR_ENOUGH, None
    for start in range(max(1, len(stripped) - len(wanted) + 1)):
        matcher.set_seq1("\n".join(stripped[start : start + len(wanted)]))
        if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best and (ratio := matcher.ratio()) > best:
            best, place = ratio, start
    return place


def _window(lines: list[str], start: int, count: int) -> str:
    first = max(0, start - CONTEXT_LINES)
    return "\n".join(
        f"{number:>5}\t{line}" for number, line in enumerate(lines[first : start + count + CONTEXT_LINES], first + 1)
    )
