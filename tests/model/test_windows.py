from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from hermes_lite.model.client import ChatModel
from hermes_lite.model.endpoint import Endpoint
from hermes_lite.model.windows import Window, ask_endpoint
from hermes_lite.testing.model_server import ScriptedModel
from hermes_lite.testing.script import Recorded
from tests.model.talk import SETTINGS, endpoint
from tests.support.promises import promise

pytestmark = pytest.mark.anyio


async def measured(name: str = "scripted", context_length: int | None = None, **server: Any) -> Window:
    with ScriptedModel(**server) as serving:
        client = ChatModel(endpoint(serving.base_url, name), replace(SETTINGS, context_length=context_length))
        window = await client.measure_window()
        assert client.window == window
        await client.aclose()
    return window


@promise("S-C11")
@pytest.mark.parametrize(
    "server",
    [
        pytest.param({"entry": {"context_length": 8192}}, id="OpenRouter"),
        pytest.param({"entry": {"max_model_len": 8192}}, id="vLLM"),
        pytest.param({"entry": {"context_window": 8192}}, id="Groq"),
        pytest.param({"entry": {"meta": {"n_ctx_train": 8192}}}, id="llama.cpp's list"),
        pytest.param({"routes": {"/props": {"default_generation_settings": {"n_ctx": 8192}}}}, id="llama.cpp"),
        pytest.param(
            {"routes": {"/api/v0/models": {"data": [{"id": "scripted", "loaded_context_length": 8192}]}}},
            id="LM Studio",
        ),
        pytest.param(
            {"routes": {"/api/v1/models/load": {"load_config": {"context_length": 8192}}}}, id="LM Studio loading"
        ),
        pytest.param(
            {"routes": {"/api/ps": {"models": [{"name": "scripted", "context_length": 8192}]}}}, id="Ollama"
        ),
        pytest.param({"routes": {"/api/show": {"model_info": {"llama.context_length": 8192}}}}, id="Ollama's model"),
    ],
)
async def test_the_endpoint_says_how_long_its_context_is(server: Mapping[str, Any]) -> None:
    assert await measured(**server) == Window(8192, "endpoint")


@promise("S-C11")
async def test_a_model_is_loaded_to_learn_what_it_will_run_with() -> None:
    loaded: list[dict[str, Any]] = []

    def load(request: Recorded) -> Any:
        loaded.append({"name": request.json["model"] + ":latest", "context_length": 4096})
        return {"done": True}

    routes = {
        "/api/ps": lambda request: {"models": loaded},
        "/api/generate": load,
        "/api/show": {"model_info": {"qwen3.context_length": 40960}},
    }
    assert await measured("qwen3", routes=routes) == Window(4096, "endpoint")
    assert len(loaded) == 1


@promise("S-C11")
async def test_the_configuration_beats_the_endpoint() -> None:
    assert await measured(context_length=4096, entry={"context_length": 8192}) == Window(4096, "config")


@pytest.mark.parametrize("entry", [{}, {"context_length": None}, {"context_length": "many"}, {"context_length": 0}])
async def test_a_local_model_of_unknown_length_is_unknown(entry: Mapping[str, Any]) -> None:
    assert await measured("gpt-5-mini", model="gpt-5-mini", entry=entry) == Window(None, "unknown")


async def test_an_endpoint_that_is_not_there_leaves_the_length_unknown() -> None:
    with ScriptedModel() as server:
        address = server.base_url
    client = ChatModel(endpoint(address), SETTINGS)
    assert await client.measure_window() == Window(None, "unknown")
    await client.aclose()


async def test_the_published_table_answers_for_hosted_models_without_the_network() -> None:
    client = ChatModel(Endpoint("openai", "https://api.openai.com/v1", "gpt-5-mini", ""), SETTINGS)
    assert client.window == Window(None, "unknown")
    assert await client.measure_window(ask_endpoint=False) == Window(400_000, "table")


async def test_a_hosted_endpoint_is_only_asked_for_its_model_list() -> None:
    asked: list[str] = []

    async def ask(url: str, body: Mapping[str, Any] | None, *, patient: bool) -> object:
        asked.append(url)
        return {"data": [{"id": "m", "context_length": 16384}]}

    assert await ask_endpoint(Endpoint("custom", "https://models.example/v1", "m", ""), ask) == 16384
    assert asked == ["https://models.example/v1/models"]
