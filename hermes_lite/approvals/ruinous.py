"""The short list of commands that no mode and no rule lets through: they destroy a system, or all that a person has.

A floor, not a filter: whoever really wants one of these types it into a terminal of their own.
"""

import re
from collections.abc import Callable, Mapping

from hermes_lite.approvals.shell import Command

_SYSTEM = r"bin|boot|dev|etc|home|lib|lib64|opt|proc|root|sbin|sys|usr|var|System|Users|Library"
_EVERYTHING = re.compile(rf"""["']?(?:/+(?:{_SYSTEM})?/*|~/?|\$\{{?HOME\}}?/?|/\.\.?)["']?/?(?:\*|\.\*)?""")
_DISK = re.compile(r"/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|mapper/|dm-)\w*")
_FORK_BOMB = re.compile(r"(\S+)\s*\(\)\s*\{[^}]*\1\s*\|\s*\1\s*&[^}]*\}")


def ruin(command: Command) -> str:
    """Why this command is refused whatever anybody allows; empty when it is not."""
    judge = _JUDGES.get(command.name.partition(".")[0])
    return judge(command) if judge else ""


def ruin_in_text(source: str) -> str:
    """The same for a script that cannot be read."""
    return "it starts itself without end" if _FORK_BOMB.search(source) else ""


def _texts(command: Command) -> list[str]:
    return [word.text for word in command.words[1:]]


def _options(command: Command) -> str:
    return " ".join(text for text in _texts(command) if text.startswith("-"))


def _hits_everything(command: Command) -> bool:
    return any(_EVERYTHING.fullmatch(text) for text in _texts(command))


def _remove(command: Command) -> str:
    recursive = re.search(r"(?:^| )-[a-zA-Z]*[rR]|--recursive|--no-preserve-root", _options(command))
    return "it deletes the system or all of a person's files" if recursive and _hits_everything(command) else ""


def _recursive_change(command: Command) -> str:
    recursive = re.search(r"(?:^| )-[a-zA-Z]*R|--recursive", _options(command))
    return "it changes who may use the whole system" if recursive and _hits_everything(command) else ""


def _find(command: Command) -> str:
    deletes = "-delete" in _texts(command)
    return "it deletes the system or all of a person's files" if deletes and _hits_everything(command) else ""


def _move(command: Command) -> str:
    return "it moves the system away" if _hits_everything(Command(command.words[:-1])) else ""


def _on_disk(command: Command) -> str:
    return "it overwrites a disk" if any(_DISK.search(text) for text in _texts(command)) else ""


def _off(command: Command) -> str:
    return "it turns the machine off"


def _init(command: Command) -> str:
    return "it turns the machine off" if _texts(command)[:1] in (["0"], ["6"]) else ""


def _kill(command: Command) -> str:
    return "it ends every process" if "-1" in _texts(command)[1:] else ""


_JUDGES: Mapping[str, Callable[[Command], str]] = {
    "rm": _remove,
    "chmod": _recursive_change,
    "chown": _recursive_change,
    "chgrp": _recursive_change,
    "find": _find,
    "mv": _move,
    **dict.fromkeys(("mkfs", "wipefs", "shred", "blkdiscard", "dd", "tee", ">"), _on_disk),
    **dict.fromkeys(("shutdown", "reboot", "halt", "poweroff"), _off),
    "init": _init,
    "telinit": _init,
    "kill": _kill,
}
