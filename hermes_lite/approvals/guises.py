"""What a command may turn out to be when it runs, as far as its script gives that away: for refusing, never for
allowing.

Variables that the script sets, defaults, `$'\\x72m'`, braces, globs over the program's name and `$(echo ...)` are
filled in; operands are laid behind the folder that the script moved to; the words of whatever may start another
program are read as a command, and those of an interpreter or of what is fed to a shell as a script.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase

from hermes_lite.approvals.harmless import is_harmless
from hermes_lite.approvals.launchers import Part
from hermes_lite.approvals.moves import MOVES
from hermes_lite.approvals.shell import Command, Word, crude_commands
from hermes_lite.text import utf8

_INTERPRETERS = re.compile(r"(?:python|perl|ruby|node|php|lua|deno|bun|g?awk|osascript|tclsh)[\d.]*")
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)(?::?[-=]([^}]*)|[^}]*)?\})")
_QUOTED_CODES = re.compile(r"\$'((?:[^'\\]|\\.)*)'")
_ECHOED = re.compile(r"\$\((?:echo|printf)\s+(?:-\w+\s+)?([^()$`]*)\)|`(?:echo|printf)\s+([^()$`]*)`")
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_BETWEEN = re.compile(r"[^\S\n]*[,\[\]{}][^\S\n]*")


def guises(parts: Collection[Part], programs: Collection[str]) -> Iterator[Command]:
    """Every command that a script of these parts may run; `programs` are the names that a glob may stand for."""
    is_fed = any(part.is_unseen for part in parts)
    forms = [form for part in parts for form in part.forms]
    hidden = [each for part in parts for each in _hidden(part.command, is_fed)]
    values = {name: value for form in forms for name, value in _values(form)}
    filled = [each for form in forms for each in _named(_filled(form, values), programs)]
    filled += [_filled(each, values) for each in hidden]
    yield from (*forms, *hidden, *filled)
    for folder in {_destination(command) for command in filled if command.name in MOVES}:
        yield from (_moved(command, folder) for command in filled)


def crude_guises(source: str) -> Iterator[Command]:
    """What might be commands in a text that cannot be read, or that is none of the shell's."""
    yield from crude_commands(source)
    yield from crude_commands(_BETWEEN.sub(" ", source))


def _hidden(command: Command, is_fed: bool) -> Iterator[Command]:
    """What stands in the words of a command that may start others; `is_fed`: a shell reads what the script prints."""
    if not is_harmless(command):
        yield from (replace(command, words=command.words[start:]) for start in range(1, len(command.words)))
    if is_fed or _INTERPRETERS.fullmatch(command.name):
        for text in (*(word.text for word in command.words[1:]), command.stdin or ""):
            yield from crude_guises(text)


def _values(command: Command) -> Iterator[tuple[str, str]]:
    for word in command.assigned:
        name, _, value = word.text.partition("=")
        if word.known and value:
            yield name, value


def _filled(command: Command, values: Mapping[str, str]) -> Command:
    return replace(command, words=tuple(Word(text) for word in command.words for text in _texts(word, values)))


def _texts(word: Word, values: Mapping[str, str]) -> list[str]:
    """What `word` becomes, if it is open perhaps several; what is not given away stays as it is written."""
    if word.known:
        return [word.text]

    def value(match: re.Match[str]) -> str:
        known = values.get(match[1] or match[2], match[3])
        return match[0] if known is None else known

    text = _QUOTED_CODES.sub(lambda match: utf8(match[1]).decode("unicode_escape", "replace"), word.text)
    text = _VARIABLE.sub(value, _ECHOED.sub(lambda match: match[1] or match[2] or "", text))
    text = re.sub(r"[\"'\\]", "", text)
    return [each for piece in text.split() or [""] for each in _alternatives(piece)]


def _alternatives(text: str) -> list[str]:
    braces = _BRACES.search(text)
    if braces is None:
        return [text]
    return [text[: braces.start()] + each + text[braces.end() :] for each in braces[1].split(",")]


def _named(command: Command, programs: Collection[str]) -> Iterator[Command]:
    yield command
    if re.search(r"[*?\[]", command.name):
        found = (name for name in programs if fnmatchcase(name, command.name))
        yield from (replace(command, words=(Word(name), *command.words[1:])) for name in found)


def _destination(command: Command) -> str:
    """Where a move leads; home where nothing says."""
    return next((word.text for word in command.words[1:] if not word.text.startswith("-")), "~")


def _moved(command: Command, folder: str) -> Command:
    def place(word: Word) -> Word:
        return word if word.text[:1] in ("/", "~", "-", "$", "") else Word(f"{folder}/{word.text}")

    return replace(command, words=(*command.words[:1], *map(place, command.words[1:])))
