"""Servers in the files of other clients: where they stand, how they are written, and what cannot be taken over."""

import json
from pathlib import Path
from typing import Any

import pytest

from hermes_lite.errors import ConfigError
from hermes_lite.mcp.other_clients import client_files, import_servers
from hermes_lite.mcp.settings import read_servers
from tests.support.promises import promise

CURSOR = """{
  // what I use
  "mcpServers": {
    "s": {"command": "x", "args": ["--at", "http://h//p"], /* for now */ "autoApprove": ["a"],},
  },
}"""
CODEX = """
model = "m"
[mcp_servers.s]
url = "https://h/mcp"
startup_timeout_sec = 20
bearer_token_env_var = "TOKEN"
http_headers = { X-Team = "blue" }
env_http_headers = { X-Key = "KEY" }
"""
ZED = '{"context_servers": {"s": {"source": "custom", "command": {"path": "x", "args": ["-v"], "env": {"A": "b"}}}}}'


def written(**definition: Any) -> str:
    return json.dumps({"mcpServers": {"s": definition}})


@promise("MCP-CLI-9")
@pytest.mark.parametrize(
    ("file", "content", "definition"),
    [
        (".cursor/mcp.json", CURSOR, {"command": "x", "args": ["--at", "http://h//p"]}),
        (
            ".config/Code/User/mcp.json",
            '{"servers": {"s": {"type": "stdio", "command": "x", "env": {"K": "${input:my-key}"}}}, "inputs": []}',
            {"type": "stdio", "command": "x", "env": {"K": "${MY_KEY}"}},
        ),
        (".config/zed/settings.json", ZED, {"command": "x", "args": ["-v"], "env": {"A": "b"}}),
        (
            ".gemini/settings.json",
            written(httpUrl="https://h/mcp", timeout=60000, trust=True, headers={"Authorization": "Bearer $TOKEN"}),
            {"url": "https://h/mcp", "timeout": 60, "headers": {"Authorization": "Bearer ${TOKEN}"}},
        ),
        (
            ".config/opencode/opencode.jsonc",
            '{"mcp": {"s": {"type": "local", "command": ["x", "-v"], "environment": {"A": "{env:B}"}}}} // mine',
            {"type": "local", "command": ["x", "-v"], "env": {"A": "${B}"}},
        ),
        (
            ".codex/config.toml",
            CODEX,
            {
                "url": "https://h/mcp",
                "connect_timeout": 20,
                "headers": {"X-Team": "blue", "X-Key": "${KEY}", "Authorization": "Bearer ${TOKEN}"},
            },
        ),
        (
            ".codex/config.toml",
            '[mcp_servers.s]\ncommand = "x"\nenv_vars = ["A"]\nenv = { B = "c" }',
            {"command": "x", "env": {"A": "${A:-}", "B": "c"}},
        ),
        (".claude.json", written(command="x", disabled=True), {"command": "x", "enabled": False}),
        (
            ".hermes/config.yaml",
            "mcp_servers:\n  s: {command: x, timeout: 3, trust: untrusted}\n",
            {"command": "x", "timeout": 3, "trust": "untrusted"},
        ),
    ],
)
def test_each_client_s_way_to_write_a_server_is_understood(
    tmp_path: Path, file: str, content: str, definition: dict[str, Any]
) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    ((_, found),) = client_files(tmp_path)
    servers = import_servers(found, tmp_path).servers
    assert servers == {"s": definition}
    known = {"TOKEN": "t", "KEY": "k", "MY_KEY": "k", "B": "b"}
    read = read_servers(servers, environ=known, origin="", cwd=tmp_path)
    assert (read.problems, len(read.servers)) == ((), 1)


@promise("MCP-CLI-9")
def test_a_server_that_could_not_be_used_is_left_out_with_a_reason(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    good = {"command": "x"}
    block = {
        "My Server!": good,
        "my.server": good,
        "My-Server": good,
        "高德": good,
        "empty": {},
        "word": "x",
        "typed": {**good, "type": "carrier pigeon"},
        "lent": {**good, "sampling": True, "trusted": True},
    }
    path.write_text(json.dumps({"mcpServers": block}), encoding="utf-8")
    found = import_servers(path, tmp_path)
    assert found.servers == {"My-Server": good, "my.server": good, "lent": good}
    assert {problem.key: (problem.fatal, problem.text) for problem in found.problems} == {
        "My Server!": (False, "it is called My-Server here"),
        "My-Server": (True, "another server of the file is called My-Server already"),
        "高德": (True, "its name holds no letter or digit that we can use; rename it in the file"),
        "empty": (True, "a server needs `command` (a program) or `url`"),
        "word": (True, "a server is a mapping with `command` or `url`"),
        "typed": (True, "unknown type 'carrier pigeon'; use one of stdio, http, sse"),
        "lent": (False, "trust is not taken over; see `hermes-lite help mcp`"),
    }


@promise("MCP-CLI-9")
def test_servers_that_a_client_keeps_by_folder_are_those_of_this_folder(tmp_path: Path) -> None:
    path = tmp_path / ".claude.json"
    sections = {
        str(tmp_path): {"mcpServers": {"here": {"command": "x"}}},
        "/other": {"mcpServers": {"a": {}, "b": {}}},
    }
    path.write_text(json.dumps({"mcpServers": {"s": {"command": "x"}}, "projects": sections}), encoding="utf-8")
    found = import_servers(path, tmp_path)
    assert (list(found.servers), found.elsewhere) == (["s", "here"], 2)


@pytest.mark.parametrize(
    ("name", "content"), [("mcp.json", "{"), ("mcp.json", "{/*"), ("c.toml", "["), ("c.yml", "[")]
)
def test_a_file_that_cannot_be_read_is_an_error_that_names_it(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(ConfigError, match=name):
        import_servers(path, tmp_path)
    with pytest.raises(ConfigError, match="nothing here"):
        import_servers(tmp_path / "nothing here", tmp_path)


@pytest.mark.parametrize("content", ['{"mcpServers": {}}', "[]", '{"other": 1}', '{"mcp": 3}'])
def test_a_file_without_servers_has_none(tmp_path: Path, content: str) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(content)
    assert import_servers(path, tmp_path).servers == {}
