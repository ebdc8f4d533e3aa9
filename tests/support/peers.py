"""Published MCP servers that tests talk to. They live outside the product's own environment, as they do for people.

`HERMES_LITE_TEST_PEERS` names the folder that holds the environments `.venv-peers` (git, time), `.venv-peers-v1`
(sqlite, on the 1.x SDK) and, where there is Node, `.npm-peers` (everything, on the TypeScript SDK); without it they
stand beside the checkout's `pyproject.toml`. `scripts/test` makes them.
"""

import os
from pathlib import Path

_BASE = Path(os.environ.get("HERMES_LITE_TEST_PEERS", Path(__file__).parent.parent.parent))
EVERYTHING = _BASE / ".npm-peers/node_modules/@modelcontextprotocol/server-everything/dist/index.js"


def git(repository: Path) -> dict[str, object]:
    """A definition of `mcp-server-git` for one repository."""
    return {"command": _program(".venv-peers", "mcp-server-git"), "args": ["--repository", str(repository)]}


def clock() -> dict[str, object]:
    """A definition of `mcp-server-time` in UTC."""
    return {"command": _program(".venv-peers", "mcp-server-time"), "args": ["--local-timezone", "UTC"]}


def sqlite(file: Path) -> dict[str, object]:
    """A definition of `mcp-server-sqlite`, a server on the 1.x SDK, for one database file."""
    return {"command": _program(".venv-peers-v1", "mcp-server-sqlite"), "args": ["--db-path", str(file)]}


def _program(environment: str, name: str) -> str:
    program = _BASE / environment / "bin" / name
    assert program.is_file(), f"{program} is missing: scripts/test installs the servers that the tests talk to"
    return str(program)
