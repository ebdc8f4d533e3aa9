"""`search_files`: lines by regular expression, files by name; bounded in time, size and number.

Git knows best what to leave out, so inside a work tree it is asked for the list of files; elsewhere the folders are
walked. The lines are always matched here, so that a pattern means the same on every machine.
"""

import fnmatch
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any

import anyio.to_thread
import regex

from hermes_lite.text import cut
from hermes_lite.tools.core.files import is_binary
from hermes_lite.tools.core.paths import failing_clearly, located, shown
from hermes_lite.tools.spec import ToolContext, ToolResult

DEFAULT_LIMIT = 100
SECONDS = 20.0
FILE_MOST = 5_000_000
PATTERN_MOST = 1000
LINE_SHOWN = 240
SNIFFED = 8192
UNWALKED = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", ".tox", ".mypy_cache"})


@dataclass(slots=True)
class Search:
    """One search under `root`. `left_out` gathers, for the model, why the answer may be incomplete."""

    root: Path
    cwd: Path
    pattern: "regex.Pattern[str] | None"
    glob: str
    limit: int
    stop: Event = field(default_factory=Event)
    deadline: float = 0.0
    late: bool = False
    large: int = 0
    left_out: list[str] = field(default_factory=list)

    def run(self) -> list[str]:
        """The lines of the answer. Raises `OSError` when `root` is not there."""
        self.deadline = monotonic() + SECONDS
        found: list[str] = []
        for line in self._results():
            if len(found) == self.limit:
                self.left_out.append(f"there is more than {self.limit}; narrow the search or raise limit")
                break
            found.append(line)
        if self.late:
            self.left_out.append(f"stopped after {SECONDS:g} seconds; narrow the search")
        if self.large:
            self.left_out.append(f"{self.large} files over {FILE_MOST:,} bytes were not searched")
        return found

    def _results(self) -> Iterator[str]:
        for path in self._files():
            if self._is_over():
                return
            if self.pattern is None:
                yield shown(path, self.cwd)
            else:
                yield from self._lines(path, self.pattern)

    def _files(self) -> Iterator[Path]:
        if self.root.is_file():
            yield self.root
            return
        if not self.root.is_dir():
            raise FileNotFoundError
        for name in sorted(_listed_by_git(self.root) or self._walked()):
            path = self.root / name
            if _fits(name, self.glob) and path.is_file():
                yield path

    def _walked(self) -> Iterator[str]:
        for folder, folders, files in os.walk(self.root):
            if self._is_over():
                return
            folders[:] = [name for name in folders if name not in UNWALKED]
            yield from (os.path.relpath(os.path.join(folder, name), self.root) for name in files)  # noqa: PTH118

    def _is_over(self) -> bool:
        self.late = self.late or self.stop.is_set() or monotonic() > self.deadline
        return self.late

    def _lines(self, path: Path, pattern: "regex.Pattern[str]") -> Iterator[str]:
        text = self._text(path)
        if text is None:
            return
        name, start, number = shown(path, self.cwd), 0, 1
        try:
            while start < len(text) and (match := self._next(text, start, pattern)):
                number += text.count("\n", start, match.start())
                yield f"{name}:{number}: {_line_around(text, match.start())}"
                start, number = text.find("\n", match.start()) + 1 or len(text), number + 1
        except TimeoutError:
            self.left_out.append(f"the pattern takes too long on {name}")

    def _next(self, text: str, start: int, pattern: "regex.Pattern[str]") -> "regex.Match[str] | None":
        """The first match from the line that begins at `start`. Raises `TimeoutError`. Lets other threads run."""
        return pattern.search(text, start, timeout=max(0.01, self.deadline - monotonic()), concurrent=True)

    def _text(self, path: Path) -> str | None:
        try:
            if path.stat().st_size > FILE_MOST:
                self.large += 1
                return None
            data = path.read_bytes()
        except OSError:
            return None
        return None if is_binary(data[:SNIFFED]) else data.decode("utf-8", "replace").removesuffix("\n")


@failing_clearly
async def search_files(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
    wanted, glob = arguments.get("pattern", ""), arguments.get("glob", "")
    if not wanted and not glob:
        return ToolResult("Give a pattern to find in lines, a glob to find files, or both.", is_error=True)
    try:
        pattern = _compiled(wanted, arguments.get("ignore_case", False)) if wanted else None
    except regex.error as error:
        return ToolResult(f"pattern is no regular expression: {error}. Escape what is meant as it is.", is_error=True)
    root = located(context.cwd, arguments.get("path", "."))
    search = Search(root, context.cwd, pattern, glob, arguments.get("limit", DEFAULT_LIMIT))
    try:
        found = await anyio.to_thread.run_sync(search.run, abandon_on_cancel=True)
    finally:
        search.stop.set()
    return ToolResult("\n".join([*(found or ["Nothing found."]), *(f"[{note}]" for note in search.left_out)]))


def _compiled(pattern: str, ignore_case: bool) -> "regex.Pattern[str]":
    if len(pattern) > PATTERN_MOST:
        raise regex.error(f"it is longer than {PATTERN_MOST} characters")
    return regex.compile(pattern, regex.MULTILINE | (regex.IGNORECASE if ignore_case else 0))


def _listed_by_git(root: Path) -> list[str]:
    """Paths below `root` that git tracks or does not ignore; none when git cannot tell, or ignores `root` itself."""
    command = ["git", "-c", "core.fsmonitor=false", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        done = subprocess.run(
            command, cwd=root, capture_output=True, timeout=SECONDS, stdin=subprocess.DEVNULL, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return [os.fsdecode(name) for name in set(done.stdout.split(b"\0")) if name]


def _fits(name: str, glob: str) -> bool:
    """Whether the path `name` matches: a glob without a slash by the last part, any other by the whole."""
    if not glob:
        return True
    if "/" not in glob:
        return fnmatch.fnmatchcase(name.rpartition("/")[2], glob)
    return fnmatch.fnmatchcase(name, glob) or ("**/" in glob and fnmatch.fnmatchcase(name, glob.replace("**/", "")))


def _line_around(text: str, place: int) -> str:
    start = text.rfind("\n", 0, place) + 1
    end = text.find("\n", place)
    line = text[start : len(text) if end < 0 else end].rstrip("\r")
    skipped = max(0, place - start - LINE_SHOWN // 2) if len(line) > LINE_SHOWN else 0
    return ("…" if skipped else "") + cut(line[skipped:], LINE_SHOWN)
