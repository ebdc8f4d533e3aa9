"""What Tab offers: commands at the start of a line, their arguments, and paths in any word."""

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from hermes_lite.text import one_line

_MOST = 200


class InputCompleter(Completer):
    """`commands` gives `(text, help)` for a prefix such as `/mo` or `/model gp`; paths come from the working folder.

    Words that begin with `@` are paths; any other word is one when Tab asks for it.
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
        word = before.split()[-1] if before and not before[-1].isspace() else ""
        if word.startswith("@") or (word and complete_event.completion_requested):
            yield from self._paths(word.removeprefix("@"))

    def _paths(self, typed: str) -> Iterator[Completion]:
        folder, _, begun = typed.rpartition("/")
        base = self._cwd / Path(folder + "/").expanduser() if folder or typed.startswith("/") else self._cwd
        for name in _names(base, begun)[:_MOST]:
            yield Completion(name, start_position=-len(begun), display=one_line(name))


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
