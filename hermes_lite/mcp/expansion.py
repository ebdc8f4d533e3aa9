"""`${VAR}`, `${VAR:-x}`, `${env:VAR}` and the two folders in a server definition.

A name that is not set and has no default is an error that names it; nothing is ever left literal by accident.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_REFERENCE = re.compile(r"\$\{(?:env:)?(?P<name>[A-Za-z_]\w*)(?::-(?P<default>[^}]*))?\}")


class Unset(LookupError):
    """A variable that a definition needs and nobody has set. `str(error)` is its name."""


def folders(cwd: Path) -> dict[str, str]:
    """The names besides the environment that a definition may use."""
    return {"workspaceFolder": str(cwd), "userHome": str(Path.home())}


def expand(text: str, names: Mapping[str, str]) -> str:
    """`text` with every reference replaced. Raises `Unset`. An empty value takes the default, as in a shell."""

    def value(match: re.Match[str]) -> str:
        found = names.get(match["name"])
        if found or (found is not None and match["default"] is None):
            return found
        if match["default"] is None:
            raise Unset(match["name"])
        return match["default"]

    return _REFERENCE.sub(value, text)


def expand_all(value: Any, names: Mapping[str, str]) -> Any:
    """`value` with every string inside lists and mappings expanded; keys are left alone."""
    match value:
        case str():
            return expand(value, names)
        case list():
            return [expand_all(item, names) for item in value]
        case Mapping():
            return {key: expand_all(item, names) for key, item in value.items()}
        case _:
            return value
