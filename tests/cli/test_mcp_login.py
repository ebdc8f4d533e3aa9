"""`hermes-lite mcp login` and `logout`, with a browser that follows the printed address."""

import re
import subprocess

import httpx

from tests.mcp.authority import guarded_server
from tests.support.cli import Shell
from tests.support.promises import promise


@promise("MCP-70")
def test_signing_in_and_out_from_the_shell(shell: Shell) -> None:
    with guarded_server() as authority:
        shell.configure({"mcp_servers": {"guarded": {"url": authority.url}}})
        _sign_in(shell)
        assert shell.json("mcp", "test", "guarded", "--json")["state"] == "ready"
        assert "forgotten" in shell("mcp", "logout", "guarded").stdout
        assert "mcp login guarded" in shell("mcp", "test", "guarded").stderr


def _sign_in(shell: Shell) -> None:
    """Run the command and be its person: open what it prints."""
    with subprocess.Popen(
        shell.command("mcp", "login", "guarded"),
        env=shell.environ(),
        cwd=shell.cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        assert run.stderr is not None
        address = next(found[0] for line in run.stderr if (found := re.search(r"http://\S+", line)))
        httpx.get(address, follow_redirects=True).raise_for_status()
        assert run.communicate()[0] == "guarded: signed in\n"
    assert run.returncode == 0
