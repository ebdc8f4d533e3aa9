"""What of the core tools a person may set, and where a session keeps the files they leave."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hermes_lite.paths import make_private


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreSettings:
    """The keys `tools.terminal` and `tools.undo` of the configuration; the defaults stand there and nowhere else.

    `terminal_timeout` is in seconds, `output_bytes` and `undo_bytes` in bytes.
    """

    terminal_timeout: float
    output_bytes: int
    undo_turns: int
    undo_bytes: int

    @classmethod
    def of(cls, tools: Mapping[str, Any]) -> "CoreSettings":
        """Read the validated section `tools`; a missing key raises `KeyError`."""
        return cls(
            terminal_timeout=tools["terminal"]["timeout"],
            output_bytes=tools["terminal"]["output_bytes"],
            undo_turns=tools["undo"]["turns"],
            undo_bytes=tools["undo"]["megabytes"] * 1_000_000,
        )


@dataclass(frozen=True, slots=True)
class SideFolder:
    """Where the files that belong to this session are kept; made by whoever writes first."""

    path: Path

    def file(self, kind: str, name: str) -> Path:
        """A path for the file `name` among those of `kind`; whatever could leave the folder is made harmless."""
        safe = "".join(char if char.isalnum() or char in "-_" else "_" for char in name)[:80]
        return make_private(self.path / kind) / f"{safe}.txt"
