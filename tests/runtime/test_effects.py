"""What the configuration names that there is not, as a session tells it."""

from pathlib import Path

import pytest

from hermes_lite.testing.model_server import ScriptedModel, Text
from tests.agent.rig import DEFERRED, Rig, row
from tests.support.promises import promise

pytestmark = pytest.mark.anyio


@promise("CONFIG.nameless")
async def test_a_name_that_names_no_tool_is_told_once(tmp_path: Path) -> None:
    config = {"tools": {"tool_search": {"pin": ["read_fil", "late_tool"]}}}
    with ScriptedModel(Text("one"), Text("two")) as model:
        async with Rig.at(tmp_path).open(model, config=config, rows=[row("late_tool", source=DEFERRED)]) as talk:
            await talk.say()
            await talk.say()
    assert talk.notices() == ["pin: read_fil names no tool; did you mean read_file?"]


@promise("CONFIG.nameless")
async def test_nothing_is_called_nameless_while_a_server_is_missing(tmp_path: Path) -> None:
    config = {
        "tools": {"tool_search": {"pin": ["gone_tool"]}},
        "mcp_servers": {"s": {"command": "/nowhere/at/all"}},
    }
    with ScriptedModel(Text("one")) as model:
        async with Rig.at(tmp_path).open(model, config=config) as talk:
            await talk.say()
    assert not any("gone_tool" in notice for notice in talk.notices())
