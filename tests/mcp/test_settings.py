"""What people write about servers, read."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_lite.errors import ConfigError
from hermes_lite.mcp.other_clients import Found, import_servers
from hermes_lite.mcp.probe import address
from hermes_lite.mcp.settings import Servers, read_mcp_json, read_servers, shown
from tests.support.promises import promise

ENVIRON = {"TOKEN": "secret", "EMPTY": "", "HOME": "/home/p"}


def read(definition: Any, **more: Any) -> Servers:
    return read_servers({"s": definition}, environ=ENVIRON, origin="config.yaml", cwd=Path("/proj"), **more)


@promise("S-M16")
@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("${TOKEN}", "secret"),
        ("Bearer ${env:TOKEN}!", "Bearer secret!"),
        ("${NOPE:-fallback}", "fallback"),
        ("${EMPTY:-fallback}", "fallback"),
        ("${EMPTY}", ""),
        ("${NOPE:-}", ""),
        ("${workspaceFolder}/x", "/proj/x"),
        ("$TOKEN and {TOKEN}", "$TOKEN and {TOKEN}"),
    ],
)
def test_variables_are_expanded_everywhere_in_a_definition(written: str, meant: str) -> None:
    found = read({"command": "run", "args": [written], "env": {"A": written}, "headers": {"H": written}})
    (server,) = found.servers
    assert server.command == ("run", meant)
    assert (server.env, server.headers) == ({"A": meant}, {"H": meant})
    assert server.definition["args"] == [written]


@promise("S-M16")
def test_a_variable_that_is_not_set_is_a_problem_of_that_server_only() -> None:
    found = read_servers(
        {"bad": {"command": "x", "env": {"KEY": "${NOPE}"}}, "good": {"command": "y"}},
        environ=ENVIRON,
        origin="config.yaml",
        cwd=Path("/proj"),
    )
    assert [server.key for server in found.servers] == ["good"]
    (problem,) = found.problems
    assert (problem.key, problem.fatal) == ("bad", True)
    assert problem.text == "the variable NOPE is not set (needed by config.yaml)"


def test_a_disabled_server_needs_no_variables() -> None:
    found = read({"command": "x", "env": {"KEY": "${NOPE}"}, "enabled": False})
    assert [server.enabled for server in found.servers] == [False]
    assert found.problems == ()


@pytest.mark.parametrize(
    ("definition", "wire"),
    [
        ({"command": "x"}, "stdio"),
        ({"command": ["x", "-y"]}, "stdio"),
        ({"url": "http://h/mcp"}, "http"),
        ({"httpUrl": "http://h/mcp"}, "http"),
        ({"type": "streamable-http", "url": "http://h"}, "http"),
        ({"transport": "sse", "url": "http://h"}, "sse"),
        ({"type": "local", "command": ["x"]}, "stdio"),
        ({"type": "remote", "url": "http://h"}, "http"),
    ],
)
def test_the_spellings_of_other_clients_are_understood(definition: dict[str, Any], wire: str) -> None:
    (server,) = read(definition).servers
    assert server.wire == wire


@pytest.mark.parametrize(
    ("definition", "complaint"),
    [
        ({}, "needs `command`"),
        ("npx x", "is a mapping"),
        ({"command": "x", "type": "ws"}, "unknown type 'ws'"),
        ({"command": "x", "args": [{"a": 1}]}, "is not a word"),
        ({"command": "x", "args": 3}, "`args` is a list of words"),
        ({"command": "x", "env": ["A=1"]}, "`env` is a mapping"),
        ({"command": "x", "timeout": "soon"}, "`timeout` is a number above 0"),
        ({"command": "x", "connect_timeout": 0}, "`connect_timeout` is a number above 0"),
    ],
)
def test_a_definition_that_cannot_be_used_says_why(definition: Any, complaint: str) -> None:
    found = read(definition)
    assert found.servers == ()
    assert complaint in found.problems[0].text


def test_filters_are_read_from_either_place_and_a_contradiction_is_named() -> None:
    found = read({"command": "x", "tools": {"include": ["a*", "b"], "exclude": "b"}, "colour": "red"})
    (server,) = found.servers
    assert (server.include, server.exclude) == (("a*", "b"), ("b",))
    assert {problem.text for problem in found.problems} == {
        "`b` is both included and excluded; it stays out",
        "`colour` has no effect",
    }
    assert not any(problem.fatal for problem in found.problems)
    (other,) = read({"command": "x", "includeTools": ["a"], "excludeTools": ["c"]}).servers
    assert (other.include, other.exclude) == (("a",), ("c",))


@promise("MCP-40")
def test_a_projects_file_cannot_make_its_own_server_trusted(tmp_path: Path) -> None:
    file = tmp_path / ".mcp.json"
    file.write_text(
        json.dumps({"mcpServers": {"s": {"command": "x", "trust": True, "sampling": True, "timeout": 60000}}})
    )
    found = read_mcp_json(file, environ={}, cwd=tmp_path)
    (server,) = found.servers
    assert (server.trusted, server.sampling, server.project) == (False, False, True)
    assert server.timeout == 60
    assert [problem.text for problem in found.problems] == [
        "`trusted` counts in your own configuration only",
        "`sampling` counts in your own configuration only",
    ]


@promise("MCP-75")
def test_a_server_can_be_distrusted_wherever_it_is_configured(tmp_path: Path) -> None:
    file = tmp_path / ".mcp.json"
    file.write_text(json.dumps({"mcpServers": {"s": {"command": "x", "trust": "untrusted"}}}))
    (server,) = read_mcp_json(file, environ={}, cwd=tmp_path).servers
    assert (server.untrusted, server.trusted) == (True, False)
    (problem,) = read({"command": "x", "trust": "untrustd"}).problems
    assert problem.text.startswith("`trust` is true, false or untrusted, not 'untrustd'")


@pytest.mark.parametrize("block", ["mcpServers", "servers"])
def test_project_files_of_either_form_are_read(tmp_path: Path, block: str) -> None:
    file = tmp_path / ".mcp.json"
    file.write_text(json.dumps({block: {"s": {"command": "x"}}}), encoding="utf-8-sig")
    assert [server.key for server in read_mcp_json(file, environ={}, cwd=tmp_path).servers] == ["s"]


def test_a_missing_project_file_holds_no_servers_and_a_broken_one_is_an_error(tmp_path: Path) -> None:
    assert read_mcp_json(tmp_path / ".mcp.json", environ={}, cwd=tmp_path) == Servers()
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    with pytest.raises(ConfigError, match="broken"):
        read_mcp_json(broken, environ={}, cwd=tmp_path)


def test_the_persons_own_definition_wins_over_a_projects() -> None:
    own, project = read({"command": "own"}), read({"command": "theirs"}, project=True)
    assert [server.command for server in (own + project).servers] == [("own",)]


@promise("S-M26")
def test_what_variables_stand_for_is_not_shown_with_a_command_or_an_address() -> None:
    (program,) = read({"command": ["sh", "-c"], "args": ["${TOKEN}"]}).servers
    assert address(program, Path("/")).endswith("/sh -c ${TOKEN}")
    (remote,) = read({"httpUrl": "http://h/${TOKEN}"}).servers
    assert (remote.url, address(remote, Path("/"))) == ("http://h/secret", "http://h/${TOKEN}")


@promise("S-M26")
def test_secrets_are_not_shown() -> None:
    definition = {"url": "http://h", "headers": {"Authorization": "Bearer abc", "X": "${TOKEN}"}, "env": {"K": "abc"}}
    assert shown(definition) == {
        "url": "http://h",
        "headers": {"Authorization": "••••", "X": "${TOKEN}"},
        "env": {"K": "••••"},
    }


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["pipe", "folder"])
def test_what_is_no_file_is_never_waited_for(tmp_path: Path, make: Callable[[Path], None]) -> None:
    for name, read_file in ((".mcp.json", _project), ("x.json", _import), ("x.toml", _import), ("x.yaml", _import)):
        make(tmp_path / name)
        with pytest.raises(ConfigError, match=r": it is a (device or a pipe|folder), not a file$"):
            read_file(tmp_path / name)


@pytest.mark.parametrize("name", [".mcp.json", "x.json", "x.toml", "x.yaml"])
def test_a_file_nested_without_end_is_named(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text(("x = " if name == "x.toml" else "") + "[" * 5000)
    with pytest.raises(ConfigError, match=f"{name}: "):
        (_project if name == ".mcp.json" else _import)(file)


def _project(file: Path) -> Servers:
    return read_mcp_json(file, environ={}, cwd=file.parent)


def _import(file: Path) -> Found:
    return import_servers(file, file.parent)


@pytest.mark.parametrize(
    ("definition", "complaint"),
    [
        ({"url": "http://h", "type": "stdio"}, "a server of type 'stdio' needs `command`"),
        ({"command": "x", "type": "sse"}, "a server of type 'sse' needs `url`"),
        ({"command": "x", "timeout": float("nan")}, "`timeout` is a number above 0, not nan"),
        ({"command": "x", "timeout": 10**400}, "`timeout` is a number above 0, not 1000"),
        ({"command": "x", "cwd": "~nobody-of-that-name/x"}, "`cwd` begins in the home folder of nobody"),
    ],
)
def test_a_definition_that_no_server_can_be_started_from_is_a_problem_of_that_server(
    definition: Any, complaint: str
) -> None:
    (problem,) = read(definition).problems
    assert problem.fatal
    assert problem.text.startswith(complaint)
