"""Going on with another model, whatever is under way with the one before."""

from typing import Any

import anyio
import pytest

from hermes_lite.testing.model_server import Gate, ScriptedModel, Text
from hermes_lite.testing.script import Recorded
from tests.agent.rig import Rig

pytestmark = pytest.mark.anyio


@pytest.fixture
def rig(tmp_path: Any) -> Rig:
    return Rig.at(tmp_path)


async def test_a_list_of_models_that_is_being_asked_for_outlives_a_switch(rig: Rig) -> None:
    gate = Gate()

    def listing(request: Recorded) -> dict[str, Any]:
        gate.pass_through()
        return {"data": [{"id": "one"}, {"id": "other"}]}

    with ScriptedModel(Text("I am the other."), routes={"/v1/models": listing}) as model:
        async with rig.open(model) as talk:
            assert talk.runtime.known_models() == ()
            await anyio.to_thread.run_sync(gate.wait_reached)
            await talk.runtime.switch_model("other")
            gate.open()
            await talk.until(lambda: talk.runtime.known_models() == ("one", "other"))
            assert (await talk.say("hello")).text == "I am the other."
    assert model.requests[0].json["model"] == "other"


async def test_a_list_that_is_asked_for_at_the_moment_of_a_switch_breaks_nothing(rig: Rig) -> None:
    with ScriptedModel(Text("I am the other.")) as model:
        async with rig.open(model) as talk:
            await talk.runtime.model.warm()
            assert talk.runtime.known_models() == ()
            await talk.runtime.switch_model("other")
            await talk.until(lambda: talk.runtime.known_models() == ("scripted",))
            assert (await talk.say("hello")).text == "I am the other."
