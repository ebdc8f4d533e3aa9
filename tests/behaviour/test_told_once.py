"""What a person is told about servers that are not there."""

import pytest

from hermes_lite.events import Notice
from hermes_lite.testing.model_server import ScriptedModel
from hermes_lite.testing.script import Text
from tests.agent.rig import Rig
from tests.support.promises import promise

pytestmark = pytest.mark.anyio


@promise("TOLD-ONCE")
async def test_a_server_that_cannot_start_is_told_of_once(rig: Rig) -> None:
    config = {"mcp_servers": {"lost": {"command": "/nowhere/lost"}}}
    with ScriptedModel(Text("hello")) as model:
        async with rig.open(model, config=config) as talk:
            await talk.say()
    told = [event.text for event in talk.events if isinstance(event, Notice) and "lost" in event.text]
    assert len(told) == 1
