"""The models of an endpoint, asked over the real wire."""

import threading
from dataclasses import replace
from typing import Any

import pytest

from hermes_lite.errors import ModelError
from hermes_lite.model.client import ChatModel
from hermes_lite.testing.model_server import ScriptedModel
from tests.model.talk import SETTINGS, endpoint
from tests.support.promises import promise

pytestmark = pytest.mark.anyio


async def listed(base_url: str, **settings: Any) -> tuple[str, ...]:
    client = ChatModel(endpoint(base_url), replace(SETTINGS, **settings))
    try:
        return await client.listed()
    finally:
        await client.aclose()


@promise("MODEL-LIST")
async def test_the_models_for_chat_are_listed_in_the_order_of_the_endpoint() -> None:
    entries = [{"id": name} for name in ("qwen3:8b", "nomic-embed-text", "gpt-5-mini", "whisper-1")]
    with ScriptedModel(routes={"/v1/models": {"data": entries}}) as server:
        assert await listed(server.base_url) == ("qwen3:8b", "gpt-5-mini")


@promise("MODEL-LIST")
@pytest.mark.parametrize("answer", ({"data": []}, {"error": "no"}, "models", [1]))
async def test_an_endpoint_without_a_list_is_said_to_have_none(answer: Any) -> None:
    with ScriptedModel(routes={"/v1/models": answer}) as server:
        with pytest.raises(ModelError, match=r"127\.0\.0\.1:\d+ does not list its models"):
            await listed(server.base_url)
        with pytest.raises(ModelError, match="does not list its models"):
            await listed(f"{server.base_url}/elsewhere")


async def test_an_endpoint_that_is_not_there_is_named() -> None:
    with ScriptedModel() as server:
        address = server.base_url
    with pytest.raises(ModelError, match=r"127\.0\.0\.1"):
        await listed(address)


async def test_a_list_that_does_not_come_is_not_waited_for_without_end() -> None:
    let_go = threading.Event()
    with ScriptedModel(routes={"/v1/models": lambda request: let_go.wait(30)}) as server:
        with pytest.raises(ModelError):
            await listed(server.base_url, connect_timeout=0.05)
        let_go.set()
