"""How servers come, stay and go: states, bounds, other people's noise."""

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import anyio
import pytest

from hermes_lite.mcp.pool import McpPool
from hermes_lite.mcp.server_log import Log
from hermes_lite.tools.core.process_group import is_alive, is_gone
from tests.mcp.rig import Rig, limits, process_groups, tool
from tests.support.promises import promise

pytestmark = pytest.mark.anyio


async def test_a_server_becomes_ready_with_its_tools_under_prefixed_names(rig: Rig) -> None:
    async with rig.pool({"server": rig.scripted(tools=[tool("add"), tool("search-it")])}) as pool:
        (status,) = await pool.wait_settled()
        assert (status.state, status.tools) == ("ready", 2)
        assert rig.names() == ["mcp__server__add", "mcp__server__search-it"]
        result = await rig.call("mcp__server__add", a=None, b=[1])
    assert json.loads(result.text) == {"name": "add", "arguments": {"a": None, "b": [1]}}


@promise("MCP-1")
async def test_entering_a_pool_starts_nothing_and_waits_for_nobody(rig: Rig) -> None:
    async with rig.pool({"server": rig.scripted(silent=["initialize"])}) as pool:
        assert [status.state for status in pool.statuses()] == ["connecting"]
        assert rig.received() == []


@promise("MCP-2")
async def test_every_state_is_reached_whatever_the_others_do(rig: Rig) -> None:
    definitions = {
        "good": rig.scripted("good", tools=[tool("t")]),
        "crash": rig.scripted("crash", crash={"on": "initialize", "code": 3, "say": "no such vault"}),
        "killed": {"command": "sh", "args": ["-c", "echo out of luck >&2; kill -KILL $$"]},
        "stranger": {"command": "echo", "args": ["usage: stranger FILE"]},
        "mute": {**rig.scripted("mute", silent=["initialize"]), "connect_timeout": 0.5},
        "typo": {"command": "no-such-program-anywhere"},
        "unset": {"command": "x", "env": {"KEY": "${SURELY_UNSET_VARIABLE}"}},
        "empty": {"args": []},
        "list": rig.scripted("list", errors={"tools/list": {"code": -32603, "message": "fetch failed"}}),
        "off": {"command": "x", "enabled": False},
    }
    async with rig.pool(definitions) as pool:
        found = {status.source.label: status for status in await pool.wait_settled()}
    assert {key: status.state for key, status in found.items()} == {
        "good": "ready",
        "crash": "failed",
        "killed": "failed",
        "stranger": "failed",
        "mute": "failed",
        "typo": "failed",
        "unset": "failed",
        "empty": "failed",
        "list": "failed",
        "off": "disabled",
    }
    assert "exited with code 3: no such vault" in found["crash"].detail
    assert found["killed"].detail.startswith("killed by SIGKILL: out of luck")
    assert found["stranger"].detail.startswith("it is no MCP server: it printed “usage: stranger FILE” and ended")
    assert found["mute"].detail.startswith("no answer within 0.5 s; ")
    assert "no program 'no-such-program-anywhere'" in found["typo"].detail
    assert "SURELY_UNSET_VARIABLE is not set" in found["unset"].detail
    assert "needs `command` (a program) or `url`" in found["empty"].detail
    assert "fetch failed" in found["list"].detail


@promise("S-M4")
async def test_lines_that_are_no_message_are_skipped_and_kept_in_the_log(rig: Rig) -> None:
    noise = [
        "Server is running on stdio.",
        "",
        '{"level":"info","msg":"telemetry"}',
        '{"jsonrpc":"2.0","id":',
        "\\ud800",
    ]
    odd = [
        '{"jsonrpc":"2.0","method":"log","params":{"x":1}}',
        '{"jsonrpc":"2.0","id":"srv-1","method":"log","params":{}}',
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"?"}}',
    ]
    definition = rig.scripted(before=[*noise, odd[0]], after=[*odd, "more noise"], tools=[tool("t")])
    async with rig.pool({"server": definition}) as pool:
        await pool.wait_settled()
        assert (await rig.call("mcp__server__t")).is_error is False
        log = pool.log_path("server")
        assert log is not None
        assert "stdout: Server is running on stdio." in log.read_text()
    (refusal,) = [message for message in rig.received() if message.get("id") == "srv-1"]
    assert refusal["error"]["code"] == -32601


@promise("S-M5")
async def test_output_without_an_end_of_line_is_cut_off_at_a_bound(rig: Rig) -> None:
    flood = "import sys\nwhile True: sys.stdout.write('x' * 65536)"
    async with rig.pool({"server": {"command": sys.executable, "args": ["-c", flood]}}, line_limit=4) as pool:
        (status,) = await pool.wait_settled()
    assert status.state == "failed"
    assert "bytes on one line" in status.detail


@promise("MCP-2")
async def test_no_answer_is_odd_enough_to_hurt_the_others(rig: Rig) -> None:
    greetings = [
        {},
        {"protocolVersion": 5, "capabilities": [], "serverInfo": 0},
        {"protocolVersion": "1999-01-01", "capabilities": {}, "serverInfo": {"name": "x", "version": "1"}},
        {"protocolVersion": None},
        [],
        "yes",
        None,
    ]
    lists = [{}, {"tools": None}, {"tools": {"a": 1}}, {"tools": [[[]]], "nextCursor": {}}, [], None, 3]
    definitions = {
        "good": rig.scripted("good", tools=[tool("t")]),
        "deep": rig.scripted("deep", before=["{" + '"jsonrpc":' + "[" * 100_000], tools=[tool("t")]),
        "loop": rig.scripted("loop", results={"tools/list": {"tools": [tool("t")], "nextCursor": "again"}}),
        **{
            f"greeting{n}": rig.scripted(f"greeting{n}", results={"initialize": odd})
            for n, odd in enumerate(greetings)
        },
        **{f"list{n}": rig.scripted(f"list{n}", results={"tools/list": odd}) for n, odd in enumerate(lists)},
    }
    async with rig.pool(definitions, connect_timeout=3) as pool:
        states = {status.source.label: status for status in await pool.wait_settled()}
        assert (await rig.call("mcp__good__t")).is_error is False
    assert {key for key, status in states.items() if status.state == "ready"} >= {"good", "deep", "loop"}
    assert all(states[f"greeting{n}"].state == "failed" for n in range(len(greetings)))
    assert all(status.detail for status in states.values() if status.state == "failed")


@promise("MCP-20")
async def test_resources_that_are_announced_and_never_listed_cost_no_tool(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes_lite.mcp.server_task._EXTRAS_PATIENCE", 0.1)
    definition = rig.scripted(
        tools=[tool("t")], capabilities={"tools": {}, "resources": {}}, silent=["resources/list"]
    )
    async with rig.pool({"server": definition}) as pool:
        (status,) = await pool.wait_settled()
    assert (status.state, status.tools) == ("ready", 1)


@promise("MCP-7")
async def test_a_server_that_dies_after_each_start_is_given_up(rig: Rig) -> None:
    dying = rig.scripted(tools=[tool("t")], dies=0.05)
    async with rig.pool({"server": dying}, reconnect_tries=3, reconnect_most=5) as pool:
        await pool.wait_settled()
        again = "given up after 4 attempts, `/mcp reload server` tries again"
        await rig.until(lambda: rig.status().state == "gone" and again in rig.status().detail)
        assert rig.notices()[-1].endswith(again)
    assert [message.get("method") for message in rig.received()].count("initialize") == 4


@promise("MCP-2")
async def test_servers_work_where_nothing_can_be_written(rig: Rig) -> None:
    (rig.folder / "file").touch()
    pool = McpPool(
        rig.read({"server": rig.scripted(tools=[tool("t")], before=["noise"], stderr=["words"])}),
        rig.registry,
        rig.sink,
        limits=limits(),
        logs=rig.folder / "file" / "logs",
        cache=rig.folder / "file" / "cache",
        cwd=rig.folder,
    )
    async with pool:
        (status,) = await pool.wait_settled()
        assert status.state == "ready"
        assert pool.last_words("server") == ()


def test_a_log_that_has_grown_too_large_is_begun_afresh_under_its_writer(tmp_path: Path) -> None:
    with closing(Log(tmp_path, "a/b", 100)) as log:
        log.file.write(b"old\n" * 50)
        log.file.flush()
        log.trim()
        log.file.write(b"new\n")
        log.file.flush()
        assert log.tail(3) == ("new",)
        assert log.path.read_bytes() == b"new\n"


@promise("MCP-3")
async def test_a_tool_list_of_two_megabytes_on_one_line_is_read(rig: Rig) -> None:
    tools = [tool(f"tool_{number}", "words " * 1000) for number in range(350)]
    async with rig.pool({"server": rig.scripted(tools=tools)}) as pool:
        (status,) = await pool.wait_settled()
    assert (status.state, status.tools) == ("ready", 350)


@promise("S-M23")
async def test_all_pages_of_a_tool_list_are_read(rig: Rig) -> None:
    tools = [tool(f"t{number}") for number in range(250)]
    async with rig.pool({"server": rig.scripted(tools=tools, page=100)}) as pool:
        (status,) = await pool.wait_settled()
    assert status.tools == 250


@promise("MCP-4")
async def test_one_malformed_tool_does_not_cost_the_others(rig: Rig) -> None:
    tools = [
        tool("good"),
        {"name": "no_type", "inputSchema": {"$schema": "http://json-schema.org/draft-07/schema#"}},
        {"name": "no_schema"},
        tool("nulls", inputSchema={"type": "object", "required": None, "properties": {"a": {"type": "string"}}}),
        tool("list_schema", inputSchema=["a"]),
        tool("odd_hints", annotations={"readOnlyHint": "yes"}, outputSchema={"type": "string"}, _meta=3),
        {"inputSchema": {}},
        "not a tool",
        tool("line\nbreak"),
        tool("background", execution={"taskSupport": "required"}),
        tool("good", "again"),
    ]
    async with rig.pool({"server": rig.scripted(tools=tools)}) as pool:
        await pool.wait_settled()
        rows = {row.original_name: row for row in rig.registry.scope().rows}
    assert list(rows) == ["good", "no_type", "no_schema", "nulls", "list_schema", "odd_hints"]
    assert all(row.parameters["type"] == "object" for row in rows.values())
    assert rows["nulls"].parameters["properties"] == {"a": {"type": "string"}}
    dropped = {(drop.name, drop.reason) for drop in rig.registry.dropped()}
    assert {name for name, _ in dropped} == {"", "line break", "background", "good"}


@promise("MCP-5")
async def test_a_server_that_has_tools_and_lists_none_is_asked_once_more(rig: Rig) -> None:
    async with rig.pool({"server": rig.scripted(tools=[])}) as pool:
        (status,) = await pool.wait_settled()
    assert (status.state, status.tools) == ("ready", 0)
    assert [message.get("method") for message in rig.received()].count("tools/list") == 2


@promise("T-L04", "S-M19")
async def test_a_changed_list_is_read_at_once(rig: Rig) -> None:
    later = [tool("grow"), tool("fresh", "New here.")]
    definition = rig.scripted(tools=[tool("grow"), tool("old")], changes={"grow": {"tools": later}})
    async with rig.pool({"server": definition}) as pool:
        await pool.wait_settled()
        await rig.call("mcp__server__grow")
        await rig.until(lambda: "mcp__server__fresh" in rig.names())
        assert rig.names() == ["mcp__server__grow", "mcp__server__fresh"]


@promise("T-D08", "MCP-6")
async def test_a_server_that_dies_is_started_again_and_its_old_rows_reach_the_new_one(rig: Rig) -> None:
    definition = rig.scripted(
        tools=[tool("die"), tool("t")], crash={"on": "call:die", "times": 1, "say": "out of memory"}
    )
    async with rig.pool({"server": definition}) as pool:
        await pool.wait_settled()
        old = rig.registry.scope().row("mcp__server__t")
        assert old is not None and callable(old.handler)
        cut = await rig.call("mcp__server__die")
        await rig.until_state("gone")
        assert "out of memory" in rig.status().detail
        assert (await old.handler({}, rig.context())).text.startswith("NOT RUN")
        await rig.until_state("ready")
        assert (await old.handler({}, rig.context())).is_error is False
    assert cut.is_error
    assert cut.text.startswith("OUTCOME UNKNOWN")
    assert [text for text in rig.notices() if "connected, 2 tools" in text]


@promise("MCP-7")
async def test_a_program_that_never_worked_is_tried_twice_and_then_left_alone(rig: Rig) -> None:
    async with rig.pool({"server": rig.scripted(crash={"on": "initialize"})}) as pool:
        await pool.wait_settled()
        await rig.until(lambda: "next attempt" not in rig.status().detail)
        assert len(rig.received()) == 2
        (notice,) = rig.notices()
        assert notice.endswith("; given up after 2 attempts, `/mcp reload server` tries again")
        pool.reconnect("server")
        assert rig.status().state == "connecting"
        await rig.until_state("failed")
        assert len(rig.received()) >= 3


@promise("S-M12")
async def test_a_slow_server_is_named_as_connecting_and_has_its_tools_once_it_comes(rig: Rig) -> None:
    async with rig.pool({"server": rig.scripted(tools=[tool("t")], delays={"initialize": 1})}) as pool:
        (waiting,) = await pool.wait_settled(0.05)
        assert waiting.state == "connecting"
        (ready,) = await pool.wait_settled()
        assert ready.state == "ready"


async def test_an_error_of_the_session_leaves_the_pool_as_it_is(rig: Rig) -> None:
    with pytest.raises(LookupError, match="the session's own"):
        async with rig.pool({"server": rig.scripted()}):
            raise LookupError("the session's own")


async def test_cancelling_the_session_ends_the_pool(rig: Rig) -> None:
    with anyio.CancelScope() as scope:
        async with rig.pool({"server": rig.scripted()}) as pool:
            await pool.wait_settled()
            groups = process_groups(rig.folder)
            scope.cancel()
            await anyio.sleep_forever()
    assert scope.cancelled_caught
    assert groups
    assert not [group for group in groups if is_alive(group)]


@promise("MCP-8")
async def test_no_process_of_a_server_is_left_after_closing(rig: Rig) -> None:
    definitions = {
        "plain": rig.scripted("plain", children=True),
        "stubborn": rig.scripted("stubborn", stubborn=True, children=True),
    }
    async with rig.pool(definitions, stop_grace=0.2) as pool:
        await pool.wait_settled()
        groups = process_groups(rig.folder)
        assert len(groups) == 2
    assert not [group for group in groups if is_alive(group)]


@promise("MCP-8")
def test_no_process_of_a_server_is_left_when_we_are_killed(tmp_path: Path) -> None:
    script = tmp_path / "server.json"
    script.write_text(json.dumps({"stubborn": True, "children": True, "tools": [tool("t")]}), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    command = [sys.executable, "-c", _HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as ours:
        assert ours.stdout is not None
        said = ours.stdout.readline()
        groups = process_groups(tmp_path)
        ours.kill()
    assert said == b"ready\n"
    (group,) = groups
    assert anyio.run(is_gone, group, 10)


_HOLDER = """
import sys
from pathlib import Path
import anyio
from hermes_lite.mcp.pool import McpPool
from hermes_lite.mcp.server_log import Log
from hermes_lite.tools.core.process_group import is_alive, is_gone
from tests.mcp.rig import Rig

async def main():
    folder = Path(sys.argv[1])
    rig = Rig(folder)
    command = [sys.executable, "-m", "hermes_lite.testing.mcp_server", str(folder / "server.json")]
    async with rig.pool({"server": {"command": command}}) as pool:
        await pool.wait_settled()
        print("ready", flush=True)
        await anyio.sleep_forever()

anyio.run(main)
"""
