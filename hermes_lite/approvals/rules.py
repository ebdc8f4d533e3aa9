"""A rule of the person's: a tool, or a tool with what its main argument has to look like.

`read_file`, `mcp__git__*` (a glob over real tool names), `terminal: git status*` (also as the mapping
`{terminal: "git status*"}`). For a shell command the pattern is matched word by word: a `*` at its end after a word
means "and whatever follows", so `ls*` is `ls -la` and never `lsfoo`; inside a word `*` is any part of that word, and
in the program's own name it never crosses a `/`. For other tools the pattern is a glob over the whole argument.
"""

import glob
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from hermes_lite.approvals.reaches import reaches
from hermes_lite.approvals.shell import Command, Word

_GAP = "\x1f"
_OPEN = "\x1e"
_IN_WORD = "[^\x1f]*"
_SPECIAL = re.compile(r"([*?\[])")


@dataclass(frozen=True, slots=True)
class Rule:
    """`pattern` is `None` when the rule covers every call of the tool."""

    tool: str
    pattern: str | None = None

    @classmethod
    def of(cls, entry: str | Mapping[str, Any]) -> "Rule":
        """Read an entry of `agent.approvals`. Raises `ValueError` when it is none."""
        if isinstance(entry, Mapping):
            if len(entry) != 1:
                raise ValueError("a rule names one tool")
            [(tool, pattern)] = entry.items()
            return cls(str(tool), str(pattern))
        tool, separator, pattern = entry.partition(": ")
        return cls(tool.strip(), pattern.strip() if separator else None)

    @property
    def entry(self) -> str | dict[str, str]:
        """The rule as the configuration stores it."""
        return self.tool if self.pattern is None else {self.tool: self.pattern}

    def __str__(self) -> str:
        return self.tool if self.pattern is None else f"{self.tool}: {self.pattern}"

    @property
    def is_exact(self) -> bool:
        """Whether one command is covered and no other."""
        return self.pattern is not None and not re.search(r"[*?]", re.sub(r"\[[*?\[]\]", "", self.pattern))

    @property
    def is_boundless(self) -> bool:
        """Whether every call of the tool is covered, whatever it is."""
        return self.pattern in (None, "*")

    def names(self, tool: str) -> bool:
        return fnmatchcase(tool, self.tool)

    def fits_text(self, text: str) -> bool:
        """Whether the whole text of an argument is covered."""
        return self.pattern is None or fnmatchcase(text, self.pattern)

    def covers(self, command: Command) -> bool:
        """Whether this command is covered for certain, whatever its open words turn out to be."""
        return self.pattern is None or _expression(self.pattern).fullmatch(_line(command)) is not None

    def grants(self, command: Command) -> bool:
        """Whether this command may run by this rule: it is covered, and no word of it reaches further than the rule
        says."""
        if self.is_boundless:
            return True
        return self.covers(command) and all(self._spells(word) for word in reaches(command))

    def _spells(self, word: Word) -> bool:
        patterns = (pattern for pattern in _words_of(self.pattern or "") if pattern.strip("*?"))
        return word.known and any(
            re.fullmatch(_word_expression(each, _IN_WORD), word.text, re.DOTALL) for each in patterns
        )

    def hits(self, command: Command) -> bool:
        """Whether this command is covered under any spelling of its program: by its path, or without settings."""
        bare = Command(command.words)
        named = Command((Word(command.name), *command.words[1:])) if command.name else bare
        return any(self.covers(each) for each in (command, bare, named))

    def may_hit(self, command: Command) -> bool:
        """Whether an open word could make the command one that is covered."""
        if self.pattern is None or all(word.known for word in command.words):
            return False
        if not command.name:
            return not command.words[0].known
        head = _SPECIAL.split(_GAP.join(_words_of(self.pattern)), maxsplit=1)[0].rstrip(_GAP)
        known = _known_head(command)
        return head.startswith(known) or known.startswith(head)


def exactly(tool: str, command: Command) -> Rule:
    """The rule that covers this command and nothing else; its words must be known."""
    words = [*command.settings, *command.words]
    return Rule(tool, " ".join(shlex.quote(glob.escape(word.text)) for word in words))


def beginning(tool: str, words: Sequence[str]) -> Rule:
    """The rule that covers these words and whatever follows."""
    return Rule(tool, " ".join(words) + "*")


def _line(command: Command) -> str:
    words = [*command.settings, *command.words]
    return _GAP.join(word.text if word.known else _OPEN for word in words)


def _known_head(command: Command) -> str:
    texts = [command.name]
    for word in command.words[1:]:
        if not word.known:
            break
        texts.append(word.text)
    return _GAP.join(texts)


@lru_cache(maxsize=512)
def _words_of(pattern: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(pattern)) or ("",)
    except ValueError:
        return tuple(pattern.split())


@lru_cache(maxsize=512)
def _expression(pattern: str) -> re.Pattern[str]:
    words = list(_words_of(pattern))
    rest = ""
    if words[-1] == "*":
        words, rest = words[:-1], f"(?:{_GAP}.*)?"
    elif re.search(r"\w\*$", words[-1]):
        words[-1], rest = words[-1][:-1], f"(?:{_GAP}.*)?"
    elif words[-1].endswith("*"):
        rest = f"(?:{_GAP}.*)?"
    if not words:
        return re.compile(r".*", re.DOTALL)
    body = _GAP.join(
        _word_expression(word, "[^/\x1f\x1e]*" if index == 0 else _IN_WORD) for index, word in enumerate(words)
    )
    return re.compile(body + rest, re.DOTALL)


def _word_expression(word: str, star: str) -> str:
    """One word of a pattern: `*` any part of a word, `?` one character, `[*]` the character itself."""
    pieces = re.split(r"(\[[*?\[]\]|\*|\?)", word)
    table = {"*": star, "?": f"[^{_GAP}{_OPEN}]", "[*]": r"\*", "[?]": r"\?", "[[]": r"\["}
    return "".join(table.get(piece) or re.escape(piece) for piece in pieces)
