"""The shell commands that run unasked because they can only look: they write, start and send nothing.

A program stands in `_FREE` when that holds for every option and operand, so that operands may be open (`$x`, `*.py`);
in `_GUARDED` when it holds for the listed options only, and then every word must be known. Secrets in what a command
prints are none of this module's business: output is redacted like any other result. `git` reads the repository of the
working folder; after a `cd` it might be another one, whose settings can start programs, so it is then not free.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from hermes_lite.approvals.shell import Command

_FREE = frozenset(
    (
        *("pwd", "echo", "true", "false", ":", "ls", "cat", "head", "tail", "wc", "cut", "tr", "nl", "tac", "rev"),
        *("stat", "basename", "dirname", "realpath", "readlink", "du", "df", "cmp", "comm", "md5sum", "sha1sum"),
        *("sha256sum", "which", "uptime", "seq", "whoami", "id", "uname", "grep", "egrep", "fgrep", "cd", "sleep"),
        *("fold", "expand", "column", "paste", "join", "od", "hexdump", "strings"),
    )
)


@dataclass(frozen=True, slots=True)
class _Guarded:
    """`options` that may be given, as one pattern; `operands` at most that many."""

    options: re.Pattern[str]
    operands: int = 1000


def _guarded(options: str, operands: int = 1000) -> _Guarded:
    return _Guarded(re.compile(options), operands)


_DIFF = r"|--(?:stat|shortstat|numstat|name-only|name-status|summary|no-color|color(?:=\w+)?|word-diff|cached|staged)"
_LOG = _DIFF + r"|-[pnqsuz]|-\d+|-n\d+|--(?:oneline|graph|decorate|all|no-merges|merges|reverse|follow|no-patch|patch"
_LOG += r"|(?:pretty|format|since|until|after|before|author|grep|max-count|date)=.*)"
_GUARDED: Mapping[str, _Guarded] = {
    "test": _guarded(r"-[fedrwxsLhnzao]|-nt|-ot"),
    "sort": _guarded(r"-[bdfghinMRrsuVz]+|-k[\d.,a-z]+|-t."),
    "uniq": _guarded(r"-[cdiuz]+", operands=1),
    "date": _guarded(r"-[uR]|-I\w*|--utc|--iso-8601(?:=\w+)?|-d.*|--date=.*|\+.*", operands=0),
    "diff": _guarded(r"-[abBEiNpqrstTuwy]+|-[UC]\d+|--(?:brief|unified|recursive|ignore-\w+(?:-\w+)*|no-color)"),
    "file": _guarded(r"-[bhikLNrz]+|--mime(?:-type|-encoding)?"),
    "tree": _guarded(r"-[adfhsDFCpugi]+|-L|-I"),
    "rg": _guarded(
        r"-[ilnwvcFSsuoUHNL]+|-[ABCgtTem]|-[ABCm]\d+|--(?:files|hidden|no-ignore|files-with-matches|count)"
    ),
    "find": _guarded(
        r"-(?:name|iname|path|ipath|type|maxdepth|mindepth|size|mtime|newer|empty|not|o|a|or|and|print|print0|prune)"
    ),
    "command": _guarded(r"-[vV]+"),
    "type": _guarded(r"-[afptP]+"),
    "git status": _guarded(r"-[sbuvz]+|--(?:short|branch|porcelain(?:=\w+)?|long|ignored|untracked-files(?:=\w+)?)"),
    "git log": _guarded(_LOG.removeprefix("|")),
    "git show": _guarded(_LOG.removeprefix("|")),
    "git diff": _guarded(_LOG.removeprefix("|")),
    "git blame": _guarded(r"-[lsewbf]+|-L\d*,?\d*"),
    "git rev-parse": _guarded(r"--(?:show-toplevel|abbrev-ref|short|verify|is-inside-work-tree|git-dir|show-prefix)"),
    "git ls-files": _guarded(r"-[cdmoiskz]+|--(?:others|cached|modified|deleted|exclude-standard)"),
    "git branch": _guarded(r"-[avr]+|-vv|--(?:list|all|remotes|show-current)", operands=0),
    "git remote": _guarded(r"-v|--verbose", operands=0),
    "git describe": _guarded(r"--(?:tags|always|dirty|all|long)"),
}


def is_harmless(command: Command, moves: bool = False) -> bool:
    """True when `command` can only look; `moves`: it may run in another folder than the session's."""
    if command.settings or (moves and command.name == "git"):
        return False
    if not command.words:
        return True
    first = command.words[0]
    return first.known and (first.text in _FREE or _keeps_guard(command))


def _keeps_guard(command: Command) -> bool:
    if not all(word.known for word in command.words):
        return False
    texts = [word.text for word in command.words]
    for length in (2, 1):
        guard = _GUARDED.get(" ".join(texts[:length]))
        if guard is not None:
            return _fits(texts[length:], guard)
    return False


def _fits(texts: list[str], guard: _Guarded) -> bool:
    end = texts.index("--") if "--" in texts else len(texts)
    options = [text for text in texts[:end] if text[:1] in ("-", "+") and text != "-"]
    operands = len(texts) - len(options) - ("--" in texts)
    return operands <= guard.operands and all(guard.options.fullmatch(option) for option in options)
