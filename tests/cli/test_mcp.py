"""`hermes-lite mcp`: servers are attached, tried, switched and removed from the shell."""

import json
from pathlib import Path

from tests.cli.conftest import Attach, tool
from tests.support.cli import Shell
from tests.support.promises import promise

PING = tool("ping", "Answer at once")


@promise("MCP-CLI-1")
def test_a_server_is_added_tested_switched_and_removed(shell: Shell, scripted: Attach) -> None:
    server = scripted(tools=[PING], stderr=["I am here"])
    command = [server["command"], *server["args"]]
    assert shell("mcp", "add", "pinger", "-e", "LEVEL=high", "--", *command).returncode == 0
    (listed,) = shell.json("mcp", "list", "--json")
    assert (listed["name"], listed["enabled"], listed["args"]) == ("pinger", True, server["args"])
    report = shell.json("mcp", "test", "pinger", "--json")
    assert report["state"] == "ready"
    assert [t["name"] for t in report["tools"]] == ["mcp__pinger__ping"]
    assert report["tools"][0]["tokens"] > 0
    assert "I am here" in report["stderr"]
    assert shell("mcp", "disable", "pinger").returncode == 0
    assert shell.json("mcp", "list", "--json")[0]["enabled"] is False
    assert shell("mcp", "enable", "pinger").returncode == 0
    assert shell("mcp", "remove", "pinger").returncode == 0
    assert shell.json("mcp", "list", "--json") == []


@promise("MCP-CLI-2")
def test_adding_keeps_the_comments_of_the_configuration(shell: Shell) -> None:
    shell.home.mkdir()
    file = shell.home / "config.yaml"
    file.write_text("# mine\nmodel:\n  default: gpt-4o   # the good one\n", encoding="utf-8")
    shell("mcp", "add", "docs", "--url", "https://example.com/mcp")
    text = file.read_text(encoding="utf-8")
    assert text.startswith("# mine\nmodel:\n  default: gpt-4o   # the good one\n")
    assert "https://example.com/mcp" in text


@promise("MCP-CLI-3")
def test_a_server_that_cannot_start_is_told_with_its_reason(shell: Shell) -> None:
    shell("mcp", "add", "ghost", "--", "/no/such/program")
    run = shell("mcp", "test", "ghost")
    assert run.returncode == 1
    assert "/no/such/program" in run.stdout + run.stderr
    assert "Traceback" not in run.stderr
    assert shell("mcp", "test", "nobody").returncode == 2


@promise("MCP-CLI-4")
def test_servers_of_other_clients_are_imported_once(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "client.json"
    servers = {"a": {"command": "a-server", "disabled": True}, "b.c": {"url": "https://h/mcp"}, "d": {}}
    file.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    run = shell("mcp", "import", str(file))
    assert run.stdout == "a: taken over from client.json\nb.c: taken over from client.json\n"
    assert run.stderr == "d: left out: a server needs `command` (a program) or `url`\n"
    assert [(one["name"], one["enabled"]) for one in shell.json("mcp", "list", "--json")] == [
        ("a", False),
        ("b.c", True),
    ]
    assert shell("mcp", "remove", "b.c").returncode == 0
    again = shell("mcp", "import", str(file)).stdout
    assert again == "a: kept as it is (--replace overwrites it)\nb.c: taken over from client.json\n"


@promise("MCP-CLI-4")
def test_servers_that_could_not_be_stored_are_not_said_to_be_taken_over(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "client.json"
    file.write_text(json.dumps({"mcpServers": {"a": {"command": "a-server"}}}), encoding="utf-8")
    shell.home.mkdir()
    (shell.home / "config.yaml").mkdir()
    run = shell("mcp", "import", str(file))
    assert (run.returncode, run.stdout) == (2, "")


@promise("MCP-CLI-5")
def test_a_project_s_server_is_not_started_before_it_is_allowed(shell: Shell, scripted: Attach) -> None:
    definition = scripted(tools=[PING])
    (shell.cwd / ".mcp.json").write_text(json.dumps({"mcpServers": {"here": definition}}), encoding="utf-8")
    names = [t["name"] for t in shell.json("tools", "list", "--json")["tools"]]
    assert "mcp__here__ping" not in names
    assert shell("mcp", "enable", "here").returncode == 0
    names = [t["name"] for t in shell.json("tools", "list", "--json")["tools"]]
    assert "mcp__here__ping" in names


@promise("MCP-CLI-6")
def test_secrets_of_a_server_are_not_shown(shell: Shell) -> None:
    shell("mcp", "add", "docs", "--url", "https://example.com/mcp", "--header", "Authorization: Bearer sesame")
    assert "sesame" not in shell("mcp", "list", "--json").stdout
    assert "sesame" not in shell("mcp", "list").stdout


@promise("MCP-CLI-7")
def test_what_a_folder_brings_can_never_control_the_terminal(shell: Shell) -> None:
    hostile = {"mcpServers": {"ok": {"command": "ls\x1b]52;c;aGFja2Vk\x07\u202e"}}}
    (shell.cwd / ".mcp.json").write_text(json.dumps(hostile), encoding="utf-8")
    for words in (("mcp", "list"), ("mcp", "enable", "ok"), ("mcp", "test", "ok"), ("doctor",)):
        run = shell(*words)
        assert "\x1b" not in run.stdout + run.stderr, words
        assert "\u202e" not in run.stdout + run.stderr, words


@promise("MCP-CLI-8")
def test_what_was_taken_out_of_the_configuration_is_kept_nowhere(shell: Shell) -> None:
    shell("mcp", "add", "docs", "--url", "https://example.com/mcp", "--header", "Authorization: Bearer sesame")
    shell("config", "list")
    shell("mcp", "remove", "docs")
    shell("config", "list")
    kept = [path for path in shell.home.rglob("*") if path.is_file() and b"sesame" in path.read_bytes()]
    assert kept == []
    assert all(path.stat().st_mode & 0o077 == 0 for path in (shell.home / "cache").rglob("*.json"))
