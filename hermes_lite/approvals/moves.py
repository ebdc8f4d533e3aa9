"""Whether a shell command may take a script out of a folder: rules hold in the folder of the session and below it."""

from pathlib import Path, PurePath

from hermes_lite.approvals.shell import Command

MOVES = frozenset(("cd", "pushd", "popd"))
_OPTIONS = frozenset(("-L", "-P", "-e", "--"))


def leaves_folder(command: Command, folder: Path) -> bool:
    """True when `command` may go where the rules of `folder` were never meant to hold."""
    if command.name not in MOVES:
        return False
    operands = [word for word in command.words[1:] if word.text not in _OPTIONS]
    return len(operands) != 1 or not operands[0].known or is_outside(operands[0].text, folder)


def is_outside(text: str, folder: Path) -> bool:
    """True when `text`, as the name of a place, may lie outside `folder`. Symbolic links are not followed."""
    place = PurePath(text)
    return text[:1] in ("", "~", "-", "+") or ".." in place.parts or not (folder / place).is_relative_to(folder)
