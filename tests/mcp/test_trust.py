"""Which of a folder's servers may start."""

import json
from pathlib import Path

import pytest

from hermes_lite.mcp.settings import read_mcp_json, read_servers
from hermes_lite.mcp.trust import TrustStore
from tests.mcp.rig import Rig, tool
from tests.support.promises import promise


@promise("MCP-50")
def test_a_project_server_is_asked_about_once_and_again_when_its_definition_changes(tmp_path: Path) -> None:
    store = TrustStore(tmp_path / "allowed.json", tmp_path)

    def unasked(**definition: object) -> list[str]:
        (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": {"s": definition}}))
        servers = read_mcp_json(tmp_path / ".mcp.json", environ={"KEY": "v"}, cwd=tmp_path).servers
        return [server.key for server in store.unasked(servers)]

    assert unasked(command="x", args=["${KEY}"]) == ["s"]
    (server,) = read_mcp_json(tmp_path / ".mcp.json", environ={"KEY": "v"}, cwd=tmp_path).servers
    store.allow(server)
    assert unasked(args=["${KEY}"], command="x") == []
    assert unasked(command="x", args=["${KEY}", "--all"]) == ["s"]
    store.allow(server)
    assert unasked(command="x", args=["${KEY}"], enabled=False) == []
    store.forget("s")
    assert unasked(command="x", args=["${KEY}"]) == ["s"]
    assert "v" not in json.loads((tmp_path / "allowed.json").read_text()).values()


def test_allowance_in_one_folder_counts_in_no_other(tmp_path: Path) -> None:
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": {"s": {"command": "x"}}}))
    (server,) = read_mcp_json(tmp_path / ".mcp.json", environ={}, cwd=tmp_path).servers
    TrustStore(tmp_path / "allowed.json", tmp_path).allow(server)
    assert not TrustStore(tmp_path / "allowed.json", tmp_path.parent).allows(server)


def test_the_persons_own_servers_need_no_allowance(tmp_path: Path) -> None:
    (server,) = read_servers({"s": {"command": "x"}}, environ={}, origin="config", cwd=tmp_path).servers
    assert TrustStore(tmp_path / "none.json", tmp_path).allows(server)


@promise("MCP-50")
@pytest.mark.anyio
async def test_a_server_that_is_not_allowed_is_not_started_and_says_so(rig: Rig) -> None:
    servers = rig.read({"server": rig.scripted(tools=[tool("t")])}, project=True)
    store = TrustStore(rig.folder / "allowed.json", rig.folder)
    async with rig.pool(store.held(servers)) as pool:
        (status,) = await pool.wait_settled()
        assert status.state == "disabled"
        assert "not allowed to start yet" in status.detail
    assert rig.received() == []
    store.allow(servers.servers[0])
    async with rig.pool(store.held(servers)) as pool:
        (status,) = await pool.wait_settled()
        assert status.state == "ready"
