"""Whether a folder's own configuration may be used: the person is asked once, and again when it changes.

A project's file can loosen approvals, run hooks and name another endpoint, so it is not read before the person trusts
it. Trust is kept by folder and by content: whoever changes the file asks anew. `.mcp.json` is judged server by
server in `hermes_lite.mcp`.
"""

import json
from hashlib import sha256

from hermes_lite.config.atomic import write_atomically
from hermes_lite.config.source import content_of
from hermes_lite.paths import Home, Project


def is_trusted(home: Home, project: Project) -> bool:
    """True also when there is nothing to trust, or when the file is the person's own one."""
    file = project.config
    if not file.is_file() or file.resolve() == home.config.resolve():
        return True
    return _trusted(home).get(_folder(project)) == _digest(project)


def trust(home: Home, project: Project) -> None:
    """Remember that the person allowed what the folder's file says now. Raises `OSError`."""
    known = _trusted(home) | {_folder(project): _digest(project)}
    write_atomically(home.root / "trusted.json", json.dumps(known, indent=2, sort_keys=True) + "\n")


def _folder(project: Project) -> str:
    return str(project.root.resolve())


def _digest(project: Project) -> str:
    return sha256(content_of(project.config)).hexdigest()


def _trusted(home: Home) -> dict[str, str]:
    try:
        known = json.loads(content_of(home.root / "trusted.json"))
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}
