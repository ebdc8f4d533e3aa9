"""The definitions of the servers that ship with the product, as a person would write them under `mcp_servers`."""

import sys
from typing import Any

from hermes_lite.paths import Home


def definitions(home: Home) -> dict[str, dict[str, Any]]:
    """`notes` keeps its files under `home`; all three run in our own Python."""
    return {
        "notes": _module("notes", str(home.root / "notes")),
        "calculator": _module("calculator"),
        "workshop": _module("workshop"),
    }


def _module(name: str, *arguments: str) -> dict[str, Any]:
    return {"command": sys.executable, "args": ["-m", f"hermes_lite.demo.{name}", *arguments], "trusted": True}
