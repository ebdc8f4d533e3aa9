"""Takes a script apart down to the commands that do the work: behind `env`, `timeout`, `sh -c`, `xargs` and the like.

A *transparent* launcher (`timeout 5 git status`) is judged as what it starts. Any other (`sudo`, `xargs`,
`find -exec`) needs leave itself, and what it starts needs leave as well.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from hermes_lite.approvals.shell import Command, Unreadable, Word, crude_commands, parse

_DEEPEST = 8
_SHELLS = frozenset(("sh", "bash", "dash", "zsh", "ksh", "ash"))
_INTERPRETED = _SHELLS | {"eval"}
_SCRIPT_OPTION = re.compile(r"-[a-z]*c")
_PLAIN_OPTION = re.compile(r"-[a-z]+")
_ANYTHING = Word("{}", known=False)


@dataclass(frozen=True, slots=True)
class Part:
    """One command that needs leave. `forms` are all spellings under which it might be refused, its own first;
    `behind` is the launcher that starts it and needs leave itself. `is_unseen`: it runs a script that stands nowhere
    in the text (`echo ... | sh`, `eval "$x"`). `is_murky`: it starts something, and it cannot be told what."""

    command: Command
    forms: tuple[Command, ...]
    behind: Command | None = None
    is_unseen: bool = False
    is_murky: bool = False


@dataclass(frozen=True, slots=True)
class _Launcher:
    """`flags` stand alone, `valued` take the next word or what follows in their own; `operands` come before the
    command. `assigns`: `NAME=value` words before the command set its environment."""

    flags: frozenset[str] = frozenset()
    valued: frozenset[str] = frozenset()
    operands: int = 0
    assigns: bool = False


def _launcher(flags: str = "", valued: str = "", operands: int = 0, assigns: bool = False) -> _Launcher:
    return _Launcher(frozenset(flags.split()), frozenset(valued.split()), operands, assigns)


_TRANSPARENT: Mapping[str, _Launcher] = {
    "env": _launcher("-i - -0", "-u", assigns=True),
    "timeout": _launcher("--foreground --preserve-status -v --verbose", "-s -k --signal --kill-after", operands=1),
    "time": _launcher("-p -v"),
    "nice": _launcher("", "-n --adjustment"),
    "ionice": _launcher("-t", "-c -n"),
    "nohup": _launcher(),
    "setsid": _launcher("-w -f"),
    "stdbuf": _launcher("", "-i -o -e"),
    "command": _launcher("-p"),
    "builtin": _launcher(),
    "exec": _launcher("-c -l", "-a"),
    "coproc": _launcher(),
    "busybox": _launcher(),
}
_OPAQUE: Mapping[str, _Launcher] = {
    "sudo": _launcher("-n -E -H -S -k -b -i", "-u -g -p -C -h", assigns=True),
    "doas": _launcher("-n", "-u"),
    "xargs": _launcher(
        "-0 -r -t -p -x --null --no-run-if-empty --verbose",
        "-I -n -P -L -d -a -s -E --max-args --max-procs --delimiter",
    ),
    "watch": _launcher("-d -t -e -g -b -x", "-n --interval"),
    "chroot": _launcher(operands=1),
    "unshare": _launcher("-r -n -m -p -f"),
    "strace": _launcher("-f", "-e -o -p"),
}
_STARTERS = frozenset((*_TRANSPARENT, *_OPAQUE))
# Whatever starts what stands in its words, in ways that are not taken apart here.
_OTHER_STARTERS = frozenset(
    (
        *("at", "chrt", "direnv", "entr", "eval", "expect", "fakeroot", "find", "firejail", "flock", "gdb"),
        *("hyperfine", "ltrace", "nsenter", "parallel", "perf", "pkexec", "proot", "rlwrap", "runuser", "screen"),
        *("script", "setpriv", "ssh", "su", "systemd-run", "taskset", "tmux", "toybox", "trap", "unbuffer"),
        *("valgrind", "watchexec"),
    )
)
LAUNCHERS = frozenset((*_STARTERS, *_SHELLS, *_OTHER_STARTERS))


def parts(source: str) -> tuple[Part, ...]:
    """Every command of the script that needs leave. Raises `Unreadable`."""
    return tuple(part for command in parse(source) for part in _apart(command, (), 0))


def _apart(command: Command, outer: tuple[Command, ...], depth: int, behind: Command | None = None) -> Iterator[Part]:
    if depth > _DEEPEST:
        raise Unreadable("commands start each other too deeply")
    inside = [replace(each, assigned=(*command.settings, *each.assigned)) for each in _scripted(command)]
    is_own = _is_systems_own(command)
    started = _started(command, _TRANSPARENT) if is_own else None
    if started is not None:
        yield from _apart(started, (*outer, command), depth + 1, behind)
        return
    opaque = _started(command, _OPAQUE)
    if not (inside and is_own and command.name in _INTERPRETED):
        is_murky = opaque is None and len(command.words) > 1 and command.name in _STARTERS
        yield Part(command, (command, *outer, *_tails(command)), behind, _is_unseen(command), is_murky)
    for each in inside:
        yield from _apart(each, (*outer, command), depth + 1, behind)
    for each in (*_executed(command), *([opaque] if opaque else ())):
        yield from _apart(each, (), depth + 1, behind or command)


def _is_systems_own(command: Command) -> bool:
    """True when the first word means the program of that name that everyone has, not a file beside it."""
    name = command.name
    return bool(name) and command.words[0].text in (name, f"/bin/{name}", f"/usr/bin/{name}")


def _scripted(command: Command) -> tuple[Command, ...]:
    script = _script(command)
    return parse(script) if script is not None else ()


def _script(command: Command) -> str | None:
    """The script that a command runs, where it is written out in the command."""
    words = command.words
    if command.name == "eval" and all(word.known for word in words):
        return " ".join(word.text for word in words[1:])
    if command.name == "trap" and len(words) > 2 and words[1].known and not words[1].text.startswith("-"):
        return words[1].text
    return _shell_script(command) if command.name in _SHELLS else None


def _is_unseen(command: Command) -> bool:
    words = command.words[1:]
    if command.name in _SHELLS:
        takes_text = any(_SCRIPT_OPTION.fullmatch(word.text) for word in words)
        reads_file = any(word.known and not word.text.startswith("-") for word in words)
        return _script(command) is None and (takes_text or not reads_file)
    return command.name in ("eval", ".", "source") and not all(word.known for word in words)


def _shell_script(command: Command) -> str | None:
    words = command.words[1:]
    for index, word in enumerate(words):
        if not word.known:
            return None
        if _SCRIPT_OPTION.fullmatch(word.text):
            follows = words[index + 1 :]
            return follows[0].text if follows and follows[0].known else None
        if not _PLAIN_OPTION.fullmatch(word.text):
            return None
    return command.stdin


def _started(command: Command, launchers: Mapping[str, _Launcher]) -> Command | None:
    """What a launcher starts; `None` when it is none, or its options are not known."""
    launcher = launchers.get(command.name)
    if launcher is None:
        return None
    words = list(command.words[1:])
    while words and words[0].known and words[0].text.startswith("-"):
        option = words.pop(0).text
        if option == "--":
            break
        if option in launcher.valued and words:
            words.pop(0)
        elif option not in launcher.flags and not _has_value(option, launcher):
            return None
    assigned = list(command.assigned)
    while launcher.assigns and words and "=" in words[0].text:
        assigned.append(words.pop(0))
    words = words[launcher.operands :]
    if not words:
        return None
    extra = (_ANYTHING,) if command.name == "xargs" else ()
    return replace(command, words=(*words, *extra), assigned=tuple(assigned))


def _has_value(option: str, launcher: _Launcher) -> bool:
    name, equals, _ = option.partition("=")
    return (bool(equals) and name in launcher.valued) or (
        not option.startswith("--") and option[:2] in launcher.valued
    )


def _executed(command: Command) -> Iterator[Command]:
    """The commands behind `find -exec` and its kind."""
    if command.name != "find":
        return
    words: list[Word] | None = None
    for word in command.words[1:]:
        if word.text in ("-exec", "-execdir", "-ok", "-okdir"):
            words = []
        elif words is not None and word.text in (";", "+"):
            yield Command(tuple(words))
            words = None
        elif words is not None:
            words.append(_ANYTHING if "{}" in word.text else word)
    if words:
        yield Command(tuple(words))


def _tails(command: Command) -> Iterator[Command]:
    """Behind a launcher whatever follows might be a command, and each word a script of its own (`env -S`, `ssh`), so
    the rules that refuse look at every tail and into every word."""
    if command.name in LAUNCHERS:
        for start in range(1, len(command.words)):
            yield Command(command.words[start:])
            yield from crude_commands(command.words[start].text)
