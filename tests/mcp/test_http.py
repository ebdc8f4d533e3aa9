"""Servers behind a URL: streamable HTTP, the older SSE, and addresses that are something else."""

import socket

import anyio
import pytest

from hermes_lite.testing.mcp_http import HttpServer
from tests.mcp.rig import Rig, tool
from tests.support.promises import promise

pytestmark = pytest.mark.anyio


@promise("MCP-30")
@pytest.mark.parametrize("answer", ["json", "sse"])
async def test_streamable_http_works_with_either_kind_of_answer(rig: Rig, answer: str) -> None:
    with HttpServer({"tools": [tool("t")], "http": {"answer": answer}}) as server:
        async with rig.pool({"server": {"url": server.url, "headers": {"X-Team": "blue"}}}) as pool:
            (status,) = await pool.wait_settled()
            assert (status.state, status.tools) == ("ready", 1)
            assert (await rig.call("mcp__server__t", a=1)).text == '{"name": "t", "arguments": {"a": 1}}'
    assert {item.headers.get("x-team") for item in server.received} == {"blue"}
    last = next(item for item in server.received if item.message.get("method") == "tools/call")
    assert last.headers["mcp-protocol-version"]
    assert last.headers["mcp-session-id"]


@promise("MCP-31")
async def test_the_older_sse_transport_works(rig: Rig) -> None:
    with HttpServer({"tools": [tool("t")], "protocol": "2024-11-05"}) as server:
        async with rig.pool({"server": {"url": server.sse_url, "type": "sse"}}) as pool:
            (status,) = await pool.wait_settled()
            assert status.state == "ready"
            assert (await rig.call("mcp__server__t")).is_error is False


@promise("MCP-31")
async def test_an_address_of_the_older_transport_is_recognised(rig: Rig) -> None:
    with HttpServer({"tools": [tool("t")]}) as server:
        async with rig.pool({"server": {"url": server.sse_url}}) as pool:
            (status,) = await pool.wait_settled()
            assert (status.state, status.tools) == ("ready", 1)


@promise("S-M13")
async def test_a_web_page_in_place_of_a_server_fails_at_once_and_says_so(rig: Rig) -> None:
    with HttpServer({"http": {"page": True}}) as server:
        with anyio.fail_after(2):
            async with rig.pool({"server": {"url": server.url}}) as pool:
                (status,) = await pool.wait_settled()
    assert status.state == "failed"
    assert "text/html" in status.detail
    assert "next attempt" not in status.detail
    assert len(server.received) == 1


async def test_a_server_that_wants_a_sign_in_says_how(rig: Rig) -> None:
    with HttpServer({"http": {"header": {"Authorization": "Bearer right"}}}) as server:
        async with rig.pool({"server": {"url": server.url}}) as pool:
            (status,) = await pool.wait_settled()
        assert status.state == "needs_auth"
        assert "hermes-lite mcp login server" in status.detail
        async with rig.pool({"server": {"url": server.url, "headers": {"Authorization": "Bearer right"}}}) as pool:
            (status,) = await pool.wait_settled()
        assert status.state == "ready"


@pytest.mark.parametrize(("status", "retried"), [(503, True), (404, False)])
async def test_a_refusal_is_named_and_tried_again_only_where_that_may_help(
    rig: Rig, status: int, retried: bool
) -> None:
    with HttpServer({"http": {"status": {"initialize": status, "server/discover": status}}}) as server:
        async with rig.pool({"server": {"url": server.url, "type": "http"}}) as pool:
            await pool.wait_settled()
            await rig.until(lambda: "next attempt" not in rig.status().detail)
    assert f"HTTP {status}" in rig.status().detail
    assert (server.methods().count("initialize") > 1) is retried


@promise("T-I08")
async def test_a_call_that_the_address_refuses_names_its_status(rig: Rig) -> None:
    with HttpServer({"tools": [tool("t")], "http": {"status": {"tools/call": 500}}}) as server:
        async with rig.pool({"server": {"url": server.url}}) as pool:
            await pool.wait_settled()
            result = await rig.call("mcp__server__t")
    assert result.is_error
    assert result.text.endswith(" · HTTP 500 Internal Server Error")


async def test_an_answer_that_nobody_can_read_is_said_to_be_one(rig: Rig) -> None:
    with HttpServer({"tools": [tool("t")], "results": {"tools/call": None}}) as server:
        async with rig.pool({"server": {"url": server.url}}) as pool:
            await pool.wait_settled()
            result = await rig.call("mcp__server__t")
    assert result.text == "server refused the call: its answer is not what the protocol says"


async def test_an_address_where_nobody_listens_is_named_so(rig: Rig) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/mcp"
    async with rig.pool({"server": {"url": url}}, reconnect_tries=1) as pool:
        (status,) = await pool.wait_settled()
    assert status.state == "failed"
    assert status.detail.startswith(f"{url.split('/')[2]} cannot be reached")


@promise("S-M18", "MCP-32")
async def test_a_session_that_the_server_forgot_is_opened_again_within_the_call(rig: Rig) -> None:
    with HttpServer({"tools": [tool("write")]}) as server:
        async with rig.pool({"server": {"url": server.url}}) as pool:
            await pool.wait_settled()
            server.forget()
            result = await rig.call("mcp__server__write")
            assert (result.text, result.is_error) == ('{"name": "write", "arguments": {}}', False)
            assert server.methods().count("initialize") == 2


@promise("S-M18")
async def test_a_server_that_goes_away_and_comes_back_is_followed(rig: Rig) -> None:
    with HttpServer({"tools": [tool("t")]}) as server:
        port = int(server.url.rsplit(":", 1)[1].removesuffix("/mcp"))
        pool = rig.pool({"server": {"url": server.url}}, reconnect_tries=50)
        await pool.__aenter__()
        await pool.wait_settled()
    try:
        lost = await rig.call("mcp__server__t")
        assert lost.is_error
        await rig.until_state("gone")
        with HttpServer({"tools": [tool("t")]}, port=port):
            await rig.until_state("ready")
            assert (await rig.call("mcp__server__t")).is_error is False
    finally:
        await pool.__aexit__(None, None, None)


@promise("MCP-13", "MCP-14")
async def test_a_connection_that_is_cut_in_a_call_repeats_it_only_where_that_does_no_harm(rig: Rig) -> None:
    tools = [tool("write"), tool("look", annotations={"readOnlyHint": True})]
    with HttpServer({"tools": tools, "http": {"cut": ["call:write", "call:look"]}}) as server:
        async with rig.pool({"server": {"url": server.url}}) as pool:
            await pool.wait_settled()
            cut = await rig.call("mcp__server__write")
            await rig.until_state("gone")
            await rig.until_state("ready")
            looked = await rig.call("mcp__server__look")
    assert cut.text.startswith("OUTCOME UNKNOWN")
    assert looked.text == '{"name": "look", "arguments": {}}'
    assert server.methods().count("tools/call") == 3


@promise("MCP-33")
async def test_an_idle_server_that_went_away_is_noticed_by_a_ping(rig: Rig) -> None:
    with HttpServer({"tools": [tool("t")]}) as server:
        async with rig.pool({"server": {"url": server.url}}, keepalive=0.05) as pool:
            await pool.wait_settled()
            server.forget()
            await rig.until(lambda: server.methods().count("initialize") == 2)
            await rig.until_state("ready")


async def test_a_list_change_over_http_is_followed(rig: Rig) -> None:
    with HttpServer({"tools": [tool("old")]}) as server:
        async with rig.pool({"server": {"url": server.url}}) as pool:
            await pool.wait_settled()
            await rig.call("mcp__server__old")
            server.script.tools[:] = [tool("new")]
            await anyio.to_thread.run_sync(_announce, server)
            await rig.until(lambda: rig.names() == ["mcp__server__new"])


def _announce(server: HttpServer) -> None:
    """Tell the client as soon as it listens."""
    server.wait_for_listener(5)
    server.announce("notifications/tools/list_changed")
