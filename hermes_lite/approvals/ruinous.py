"""The short list of commands that no mode and no rule lets through: they destroy a system, or all that a person has.

A floor, not a filter: whoever really wants one of these types it into a terminal of their own. Each command is judged
in every guise that its script gives away (`guises`); what is encoded, or inside a file, cannot be seen.
"""

import re
from collections.abc import Callable, Collection, Mapping
from fnmatch import fnmatchcase
from itertools import chain, pairwise
from posixpath import normpath

from hermes_lite.approvals.guises import crude_guises, guises
from hermes_lite.approvals.launchers import Part
from hermes_lite.approvals.shell import Command, Word

_SYSTEM = frozenset(
    (
        *("bin", "boot", "dev", "etc", "home", "lib", "lib64", "opt", "proc", "root", "sbin", "sys", "usr", "var"),
        *("System", "Users", "Library", "Applications"),
    )
)
_HOMES = frozenset(("home", "Users"))
_HOME = re.compile(r"^(?:\$HOME\b|\$\{HOME\b[^}]*\}|~root\b)")
_ALL = re.compile(r"[*?.\[\]!^]*[*?][*?.\[\]!^]*")
_DISK = re.compile(r"/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|mapper/|dm-|md\d)\w*")
_FORK_BOMBS = (
    re.compile(r"(\S+)\s*\(\)\s*[{(][^})]*\1\s*(?:\|&?|&)\s*\1\s*&?[^})]*[})]"),
    re.compile(r"function\s+(\S+)[\s()]*[{(][^})]*\1\s*(?:\|&?|&)\s*\1\s*&?[^})]*[})]"),
)
_FORK_LOOP = re.compile(r"fork\s*(?:\(\s*\))?\s*while\b|while\b[^;]*[:;{(\s]\s*(?:os\.)?fork\b")
_TREE_REMOVAL = re.compile(r"""(?:rmtree|remove_tree|rm_rf|rm_r|rmSync|rimraf)\W+["']([^"']+)["']""")
_FILTERS = frozenset(("-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-newer", "-user"))
_OFF_UNITS = re.compile(r"(?:poweroff|reboot|halt|kexec|emergency|shutdown|rescue)(?:\.target)?")
_DELETES = "it deletes the system or all of a person's files"
_SWITCHES_OFF = "it turns the machine off"


def ruin_in(parts: Collection[Part]) -> str:
    """Why the script of these parts is refused whatever anybody allows; empty when it is not."""
    texts = (word.text for part in parts for word in part.command.words)
    found = chain(map(ruin, guises(parts, _JUDGES)), [_ruin_by_list(parts)], map(_ruin_in_program, texts))
    return next(filter(None, found), "")


def ruin(command: Command) -> str:
    """The same for one command."""
    judge = _JUDGES.get(command.name) or _JUDGES.get(command.name.partition(".")[0])
    return judge(command) if judge else ""


def ruin_in_text(source: str) -> str:
    """The same for a script that cannot be read."""
    found = chain([_ruin_in_program(source)], map(ruin, crude_guises(source)))
    return next(filter(None, found), "")


def _ruin_in_program(source: str) -> str:
    """The same for a text in any language."""
    if any(bomb.search(source) for bomb in _FORK_BOMBS) or _FORK_LOOP.search(source):
        return "it starts itself without end"
    removed = _TREE_REMOVAL.search(source)
    return _DELETES if removed and _is_everything(removed[1]) else ""


def _ruin_by_list(parts: Collection[Part]) -> str:
    """`find / -exec rm`, and whatever lists everything for `xargs rm`."""
    for part in parts:
        if part.behind is None or part.command.name not in ("rm", "shred", "unlink", "chmod", "chown"):
            continue
        fed = Command(tuple(map(Word, ["", *(part.behind.stdin or "").split()])))
        listing = [part.behind] if part.behind.name == "find" else [fed, *(each.command for each in parts)]
        if any(_hits_everything(each) and not _filters(each) for each in listing):
            return _DELETES
    return ""


def _is_everything(text: str) -> bool:
    """Whether `text` names the system, a folder that it lives in, or all of a person's files."""
    path = _HOME.sub("~", re.sub(r"[\"'\\]", "", text))
    if path.startswith("~"):
        below = normpath(path[2:] or ".")
        return path[:2] in ("~", "~/") and (below == "." or _ALL.fullmatch(below) is not None)
    if not path.startswith("/"):
        return False
    first, *rest = normpath("/" + path.lstrip("/")).strip("/").split("/")
    is_system = not first or any(fnmatchcase(name, first) for name in _SYSTEM)
    inside = [part for part in rest if not _ALL.fullmatch(part)]
    return is_system and (not inside or (first in _HOMES and len(inside) == 1 and len(rest) <= 2))


def _texts(command: Command) -> list[str]:
    return [word.text for word in command.words[1:]]


def _has_option(command: Command, letters: str, *long: str) -> bool:
    """Whether one of the short options, or a long one however shortened, is given."""
    options = [text for text in _texts(command) if text.startswith("-")]
    return any(
        any(name.startswith(text) and len(text) > 2 for name in long)
        if text.startswith("--")
        else any(letter in text for letter in letters)
        for text in options
    )


def _hits_everything(command: Command) -> bool:
    return any(_is_everything(text) for text in _texts(command))


def _filters(command: Command) -> bool:
    """Whether `find` picks files by something other than `*`."""
    texts = _texts(command)
    return any(text in _FILTERS and value != "*" for text, value in pairwise(texts))


def _remove(command: Command) -> str:
    recursive = _has_option(command, "rR", "--recursive", "--no-preserve-root")
    return _DELETES if recursive and _hits_everything(command) else ""


def _recursive_change(command: Command) -> str:
    recursive = _has_option(command, "R", "--recursive")
    return "it changes who may use the whole system" if recursive and _hits_everything(command) else ""


def _find(command: Command) -> str:
    deletes = "-delete" in _texts(command) and not _filters(command)
    return _DELETES if deletes and _hits_everything(command) else ""


def _move(command: Command) -> str:
    if _hits_everything(Command(command.words[:-1])):
        return "it moves the system away"
    return _onto_disk(command)


def _mirror(command: Command) -> str:
    deletes = any(text.startswith("--del") for text in _texts(command))
    return _DELETES if deletes and _hits_everything(Command(command.words[-2:])) else ""


def _on_disk(command: Command) -> str:
    if any("sysrq-trigger" in text for text in _texts(command)):
        return _SWITCHES_OFF
    return "it overwrites a disk" if any(_DISK.search(text) for text in _texts(command)) else ""


def _onto_disk(command: Command) -> str:
    return "it overwrites a disk" if _DISK.search(command.words[-1].text) else ""


def _copy(command: Command) -> str:
    return _on_disk(Command((command.words[0], *(word for word in command.words if word.text[:3] == "of="))))


def _partition(command: Command) -> str:
    looks = {"-l", "--list", "-p", "--print", "print", "-d", "--dump", "-i", "--info"} & set(_texts(command))
    return "" if looks else _on_disk(command)


def _off(command: Command) -> str:
    return _SWITCHES_OFF


def _unit_off(command: Command) -> str:
    return _SWITCHES_OFF if any(_OFF_UNITS.fullmatch(text) for text in _texts(command)) else ""


def _init(command: Command) -> str:
    return _SWITCHES_OFF if _texts(command)[:1] in (["0"], ["6"]) else ""


def _kill(command: Command) -> str:
    return "it ends every process" if "-1" in _texts(command)[1:] else ""


def _kill_by_name(command: Command) -> str:
    everyone = any(text in ("", ".", ".*", "^", "*") for text in _texts(command))
    return "it ends every process" if everyone or command.name == "killall5" else ""


_JUDGES: Mapping[str, Callable[[Command], str]] = {
    **dict.fromkeys(("rm", "srm"), _remove),
    **dict.fromkeys(("chmod", "chown", "chgrp", "chattr", "setfacl"), _recursive_change),
    "find": _find,
    "mv": _move,
    "rsync": _mirror,
    "dd": _copy,
    **dict.fromkeys(
        (
            *("mkfs", "mke2fs", "mkswap", "wipefs", "blkdiscard", "tee", ">", "truncate", "badblocks"),
            *("shred", "pvcreate", "cryptsetup", "hdparm", "nvme"),
        ),
        _on_disk,
    ),
    **dict.fromkeys(("sgdisk", "sfdisk", "parted"), _partition),
    **dict.fromkeys(("cp", "install"), _onto_disk),
    **dict.fromkeys(("shutdown", "reboot", "halt", "poweroff"), _off),
    **dict.fromkeys(("systemctl", "loginctl"), _unit_off),
    **dict.fromkeys(("init", "telinit"), _init),
    "kill": _kill,
    **dict.fromkeys(("pkill", "killall", "killall5"), _kill_by_name),
}
