"""Adding and switching servers, as values."""

from pathlib import Path
from typing import Any

import pytest

from hermes_lite.errors import UsageError
from hermes_lite.mcp.install import added, enabled, existing
from hermes_lite.mcp.settings import read_servers


def test_a_command_and_an_address_become_definitions_that_can_be_read() -> None:
    command = added({}, "git", command=["uvx", "mcp-server-git", "--repository", "."], env=["A=1=2", "B=${B}"])
    assert command == {
        "command": "uvx",
        "args": ["mcp-server-git", "--repository", "."],
        "env": {"A": "1=2", "B": "${B}"},
    }
    remote = added({}, "web", url="https://h/mcp", headers=["Authorization: Bearer ${T}"], wire="sse")
    assert remote == {"url": "https://h/mcp", "headers": {"Authorization": "Bearer ${T}"}, "type": "sse"}
    read = read_servers({"git": command, "web": remote}, environ={"B": "", "T": "t"}, origin="c", cwd=Path())
    assert read.problems == ()


@pytest.mark.parametrize(
    ("name", "given", "complaint"),
    [
        ("my server", {"command": ["x"]}, "cannot be a server's name"),
        ("taken", {"command": ["x"]}, "already"),
        ("new", {}, "a command or an address"),
        ("new", {"command": ["x"], "url": "http://h"}, "a command or an address"),
        ("new", {"url": "h/mcp"}, "not an http address"),
        ("new", {"url": "http://"}, "not an http address"),
        ("new", {"command": ["--timeout", "5"]}, "no option --timeout"),
        ("--timeout", {"command": ["5", "new"]}, "no option --timeout"),
        ("new", {"command": ["x"], "wire": "carrier-pigeon"}, "unknown type 'carrier-pigeon'"),
        ("new", {"command": ["x"], "wire": "http"}, "type 'http' needs `url`"),
        ("new", {"url": "http://h", "wire": "stdio"}, "type 'stdio' needs `command`"),
        ("new", {"command": ["x"], "env": ["A"]}, "has no '='"),
        ("new", {"url": "http://h", "headers": ["A=b"]}, "has no ':'"),
    ],
)
def test_what_cannot_be_added_is_refused_with_a_reason(name: str, given: dict[str, Any], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        added({"taken": {"command": "y"}}, name, **given)
    assert added({"taken": {"command": "y"}}, "taken", command=["x"], replace=True) == {"command": "x", "args": []}


def test_a_server_is_switched_off_and_on_without_losing_anything() -> None:
    servers = {"s": {"command": "x", "timeout": 3, "disabled": True}}
    off = enabled(servers, "s", on=False)
    assert off == {"command": "x", "timeout": 3, "enabled": False}
    assert enabled({"s": off}, "s", on=True) == {"command": "x", "timeout": 3}
    with pytest.raises(UsageError) as caught:
        existing(servers, "t")
    assert caught.value.mend == "Configured: s."
