"""What Tab offers: commands at the start of a line, their arguments, and paths in any word."""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from hermes_lite.text import one_line

_MOST = 200
_QUOTE = '"'
_MENTION = re.compile(r'(?:^|\s)@(?P<path>"[^"\n]*|[^\s"]*)\Z')
_WORD = re.compile(r'(?:^|\s)!?(?P<path>"[^"\n]*|[^\s"!]\S*)\Z')


class InputCompleter(Completer):
    """`commands` gives `(text, help)` for a prefix such as `/mo` or `/model gp`; paths come from the working folder.

    Words that begin with `@` are paths; any other word is one when Tab asks for it. A path with blanks is quoted, so
    that shell and model read it as one.
    """

    def __init__(self, commands: Callable[[str], Iterable[tuple[str, str]]], cwd: Path) -> None:
        self._commands = commands
        self._cwd = cwd

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        before = document.text_before_cursor
        if before.startswith("/") and "\n" not in before and not _is_path(before, self._cwd):
            name, space, rest = before.partition(" ")
            word = rest if space else name
            for text, help_text in self._commands(before):
                yield Completion(text, start_position=-len(word), display_meta=help_text)
            return
        found = mention(before) or (_WORD.search(before) if complete_event.completion_requested else None)
        if found:
            yield from self._paths(found["path"])

    def _paths(self, typed: str) -> Iterator[Completion]:
        path = typed.removeprefix(_QUOTE)
        folder, slash, begun = path.rpartition("/")
        base = self._cwd / Path(folder + "/").expanduser() if slash else self._cwd
        for name in _names(base, begun)[:_MOST]:
            yield Completion(_quoted(folder + slash + name), start_position=-len(typed), display=one_line(name))


def mention(text: str) -> re.Match[str] | None:
    """The `@path` that `text` ends in; a path with blanks in it begins with a quote."""
    return _MENTION.search(text)


def _quoted(path: str) -> str:
    """`path` so that its end can be told; a folder stays open, for more to follow."""
    if not re.search(r"\s", path):
        return path
    return _QUOTE + path + ("" if path.endswith("/") else _QUOTE)


def _names(folder: Path, begun: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            found = [entry.name + ("/" if entry.is_dir() else "") for entry in entries]
    except OSError:
        return []
    return sorted(
        name for name in found if name.startswith(begun) and (begun.startswith(".") or not name.startswith("."))
    )


def _is_path(text: str, cwd: Path) -> bool:
    first = text.split(" ", 1)[0]
    return "/" in first[1:] and (cwd / first).parent.is_dir()
