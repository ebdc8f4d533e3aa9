"""`hermes-lite doctor`: every finding has its mend."""

from tests.cli.conftest import Attach, tool
from tests.support.cli import Shell
from tests.support.promises import promise


@promise("DOCTOR-1")
def test_a_healthy_setup_has_nothing_to_mend(shell: Shell, scripted: Attach) -> None:
    servers = {"one": scripted(tools=[tool("ping", "Answer at once")])}
    shell.configure({"mcp_servers": servers, "model": {"default": "m", "base_url": "http://127.0.0.1:9/v1"}})
    findings = shell.json("doctor", "--json")
    assert {f["level"] for f in findings} == {"ok"}


@promise("DOCTOR-2")
def test_what_is_missing_or_wrong_is_named_with_its_mend(shell: Shell) -> None:
    shell.configure(
        {
            "mcp_servers": {"ghost": {"command": "/no/such/program"}, "vague": {"command": "${NO_SUCH_VARIABLE}"}},
            "tools": {"tool_search": {"pin": ["read_flie"]}},
            "agent": {"approvals": {"allow": ["no_such_tool"]}},
        }
    )
    run = shell("doctor")
    assert run.returncode == 1
    for named in ("demo", "ghost", "NO_SUCH_VARIABLE", "read_file", "no_such_tool"):
        assert named in run.stdout
    assert "Traceback" not in run.stderr
