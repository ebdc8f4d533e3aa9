"""Adding, switching and importing servers, as values."""

import json
from pathlib import Path
from typing import Any

import pytest

from hermes_lite.errors import ConfigError, UsageError
from hermes_lite.mcp.install import added, client_files, enabled, existing, import_servers
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


@pytest.mark.parametrize(
    ("file", "content"),
    [
        (".cursor/mcp.json", json.dumps({"mcpServers": {"s": {"command": "x", "args": []}}})),
        (".config/Code/User/mcp.json", json.dumps({"servers": {"s": {"type": "stdio", "command": "x"}}})),
        (
            ".gemini/settings.json",
            json.dumps({"theme": "dark", "mcpServers": {"s": {"command": "x", "timeout": 60000}}}),
        ),
        (".codex/config.toml", 'model = "m"\n[mcp_servers.s]\ncommand = "x"\nstartup_timeout_sec = 20\n'),
        (".claude.json", json.dumps({"mcpServers": {"s": {"command": "x", "disabled": True}}})),
    ],
)
def test_the_files_of_other_clients_are_found_and_read(tmp_path: Path, file: str, content: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    ((client, found),) = client_files(tmp_path)
    servers = import_servers(found, client).servers
    read = read_servers(servers, environ={}, origin=client, cwd=tmp_path)
    assert read.problems == ()
    assert [server.key for server in read.servers] == ["s"]
    assert read.servers[0].timeout in (None, 60.0)


def test_a_parsed_yaml_file_is_taken_as_it_is(tmp_path: Path) -> None:
    found = import_servers(tmp_path / "config.yaml", "Hermes", parsed={"mcp_servers": {"s": {"command": "x"}}})
    assert found.servers == {"s": {"command": "x"}}


@pytest.mark.parametrize("content", ["{", '{"mcpServers": {}}', "[]", '{"other": 1}'])
def test_a_file_without_servers_is_an_error_that_names_it(tmp_path: Path, content: str) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(content)
    with pytest.raises(ConfigError, match="mcp"):
        import_servers(path)
