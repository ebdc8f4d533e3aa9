import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.cli import Shell, ShellHere, shell_in

Attach = Callable[..., dict[str, Any]]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return shell_in(tmp_path, ShellHere)


@pytest.fixture
def scripted(tmp_path: Path) -> Attach:
    """Makes the definition of a scripted server that offers the tools it is given."""

    def definition(**script: Any) -> dict[str, Any]:
        file = tmp_path / f"{len(list(tmp_path.glob('*.script.json')))}.script.json"
        file.write_text(json.dumps(script), encoding="utf-8")
        return {"command": sys.executable, "args": ["-m", "hermes_lite.testing.mcp_server", str(file)]}

    return definition


def tool(name: str, description: str, **properties: Any) -> dict[str, Any]:
    """A tool as it goes over the wire; every property is required."""
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"name": name, "description": description, "inputSchema": schema}
