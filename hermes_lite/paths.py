"""Where the product keeps its files: one home folder, and what a project may add beside it."""

import os
from dataclasses import dataclass
from pathlib import Path

from hermes_lite.errors import UsageError


@dataclass(frozen=True, slots=True)
class Home:
    """The folder named by `$HERMES_LITE_HOME`, else `~/.hermes-lite`. Creating it is left to whoever writes."""

    root: Path

    @property
    def config(self) -> Path:
        return self.root / "config.yaml"

    @property
    def env(self) -> Path:
        return self.root / ".env"

    @property
    def sessions(self) -> Path:
        return self.root / "sessions"

    @property
    def history(self) -> Path:
        return self.root / "history"

    @property
    def plugins(self) -> Path:
        return self.root / "plugins"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def tokens(self) -> Path:
        """What sign-ins to MCP servers have left; for the person's eyes only."""
        return self.root / "tokens"

    @property
    def cache(self) -> Path:
        return self.root / "cache"


def home() -> Home:
    """The home of this process, read from the environment at each call (tests redirect it).

    Raises `UsageError` when it names a user who does not exist, or this user has no home folder.
    """
    named = os.environ.get("HERMES_LITE_HOME")
    try:
        return Home(Path(named).expanduser() if named else Path.home() / ".hermes-lite")
    except RuntimeError:
        what = f"HERMES_LITE_HOME ({named}) is no folder" if named else "this user has no home folder"
        raise UsageError(what, mend="Set HERMES_LITE_HOME to a folder for configuration and sessions.") from None


def make_private(folder: Path) -> Path:
    """Make `folder` and every missing one above it, for this user's eyes only. Raises `OSError`."""
    for missing in reversed([one for one in (folder, *folder.parents) if not one.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)
    return folder


@dataclass(frozen=True, slots=True)
class Project:
    """The working folder of a session and the files of it that the product reads."""

    root: Path

    @property
    def config(self) -> Path:
        return self.root / ".hermes-lite" / "config.yaml"

    @property
    def mcp_json(self) -> Path:
        return self.root / ".mcp.json"

    @property
    def agents_md(self) -> Path:
        return self.root / "AGENTS.md"
