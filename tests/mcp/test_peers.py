"""Published servers of two generations of the SDK, and the three that ship with the product."""

import subprocess
from pathlib import Path

import anyio
import pytest

from hermes_lite.mcp.demo_servers import definitions
from hermes_lite.paths import Home
from tests.mcp.rig import Rig
from tests.support import peers
from tests.support.promises import promise

pytestmark = pytest.mark.anyio


@promise("MCP-60")
async def test_published_servers_list_and_work(rig: Rig) -> None:
    repository = rig.folder / "repository"
    await anyio.to_thread.run_sync(_repository, repository)
    servers = {
        "git": peers.git(repository),
        "time": peers.clock(),
        "sqlite": peers.sqlite(rig.folder / "data.db"),
    }
    async with rig.pool(servers) as pool:
        assert {status.source.label: (status.state, status.tools) for status in await pool.wait_settled()} == {
            "git": ("ready", 12),
            "time": ("ready", 2),
            "sqlite": ("ready", 8),
        }
        log = await rig.call("mcp__git__git_log", repo_path=str(repository), max_count=1)
        assert "first commit" in log.text
        wrong = await rig.call("mcp__git__git_status")
        assert wrong.is_error
        assert "repo_path" in wrong.text
        moved = await rig.call(
            "mcp__time__convert_time", source_timezone="UTC", time="12:00", target_timezone="Asia/Tokyo"
        )
        assert "T21:00:00+09:00" in moved.text
        await rig.call("mcp__sqlite__create_table", query="CREATE TABLE t(a INT)")
        await rig.call("mcp__sqlite__write_query", query="INSERT INTO t VALUES (1), (2)")
        assert "memo://insights" in (await rig.call("mcp__sqlite__read_resource")).text
        assert (await rig.call("mcp__sqlite__read_query", query="SELECT sum(a) s FROM t")).text == "[{'s': 3}]"


@promise("MCP-61")
async def test_the_servers_that_ship_with_the_product_work(rig: Rig) -> None:
    async with rig.pool(definitions(Home(rig.folder))) as pool:
        found = {status.source.label: status.tools for status in await pool.wait_settled()}
        assert (found["notes"], found["calculator"]) == (5, 6)
        assert found["workshop"] >= 60
        time = await rig.call(
            "mcp__calculator__convert_time", time="9:00", source_zone="Paris", target_zone="Tokyo", day="2026-01-15"
        )
        assert (
            time.text == "17:00 in Asia/Tokyo (Thursday, 2026-01-15, the same day) when it is 09:00 in Europe/Paris"
        )
        await rig.call("mcp__notes__add_note", title="Shopping", text="milk")
        assert (await rig.call("mcp__notes__search_notes", words="MILK")).text == "Shopping: milk"
        missing = await rig.call("mcp__notes__read_note", title="Gone")
        assert missing.is_error
        assert "no note 'Gone'; there are: shopping" in missing.text
        assert (
            await rig.call("mcp__workshop__hash_text", text="a", algorithm="md5")
        ).text == "0cc175b9c0f1b6a831c399e269772661"
        risks = {row.original_name: row.idempotent for row in rig.registry.scope().rows}
        assert (risks["hash_text"], risks["add_note"]) == (True, False)


def _repository(folder: Path) -> None:
    folder.mkdir()
    who = ["-c", "user.name=A", "-c", "user.email=a@example.test", "-c", "init.defaultBranch=main"]
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "first commit"]):
        subprocess.run(["git", *who, *command], cwd=folder, check=True)
