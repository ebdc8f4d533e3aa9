"""Several servers: a bounded number starts at a time, and each can be switched off and on."""

import anyio
import pytest

from tests.mcp.rig import Rig, process_groups, tool
from tests.support.promises import promise

pytestmark = pytest.mark.anyio


@promise("MCP-9")
async def test_no_more_servers_start_at_a_time_than_allowed(rig: Rig) -> None:
    servers = {f"s{n}": rig.scripted(f"s{n}", silent=["initialize"]) for n in range(5)}
    async with rig.pool(servers, concurrent_starts=2) as pool:
        await rig.until_received(2)
        assert {status.state for status in pool.statuses()} == {"connecting"}
        assert len(process_groups(rig.folder)) == 2


@promise("T-L07")
async def test_servers_are_switched_off_and_on_within_a_session(rig: Rig) -> None:
    definition = rig.scripted(tools=[tool("slow"), tool("t")], silent=["call:slow"])
    servers = rig.read(
        {"server": definition, "later": {**rig.scripted("later", tools=[tool("t")]), "enabled": False}}
    )
    async with rig.pool(servers) as pool, anyio.create_task_group() as group:
        await pool.wait_settled()
        group.start_soon(rig.call, "mcp__server__slow")
        await rig.call("mcp__server__t")
        pool.stop("server")
        assert (rig.status().state, rig.names()) == ("disabled", [])
        await pool.start(rig.read({"server": definition}).servers[0])
        await pool.start(rig.read({"later": rig.scripted("later", tools=[tool("t")])}).servers[0])
        await pool.wait_settled()
        assert rig.names() == ["mcp__later__t", "mcp__server__slow", "mcp__server__t"]
