"""What is chosen, and that it says why. Local servers are real ones on free ports."""

import socket
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from hermes_lite.errors import NoModelError, UsageError
from hermes_lite.messages import Usage
from hermes_lite.model.connect import connect
from hermes_lite.model.demo.offline import DemoModel
from hermes_lite.model.discovery import ModelFlags, discover, no_model_error
from hermes_lite.model.endpoint import Endpoint
from hermes_lite.model.prices import cost
from hermes_lite.model.providers import PROVIDERS
from hermes_lite.testing.model_server import ScriptedModel
from tests.model.talk import SETTINGS
from tests.support.promises import promise

pytestmark = pytest.mark.anyio
NO_FLAGS = ModelFlags()


@pytest.fixture
def local() -> Iterator[ScriptedModel]:
    with ScriptedModel(model="llama3:latest") as server:
        yield server


def nobody() -> str:
    """The address of a port where nobody listens."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/v1"


async def found(environ: Mapping[str, str] | None = None, flags: ModelFlags = NO_FLAGS, **settings: Any) -> Endpoint:
    return await discover(replace(SETTINGS, **settings), environ or {}, flags)


@promise("MODEL-discovery")
async def test_the_first_hit_of_the_order_wins(local: ScriptedModel) -> None:
    everything: dict[str, Any] = {
        "environ": {"OPENAI_API_KEY": "k1", "OPENROUTER_API_KEY": "k2", "ANTHROPIC_API_KEY": "k3"},
        "local_servers": (local.base_url,),
        "base_url": "https://configured.example/v1",
        "default": "m",
    }
    flagged = await found(flags=ModelFlags("m", "https://typed.example/v1"), **everything)
    assert (flagged.base_url, flagged.api_key) == ("https://typed.example/v1", "k1")
    configured = await found(**everything)
    assert (configured.base_url, configured.api_key) == ("https://configured.example/v1", "")
    everything |= {"base_url": "", "default": ""}
    chosen = []
    for variable in list(everything["environ"]):
        endpoint = await found(**everything)
        chosen.append((endpoint.provider, endpoint.api_key))
        assert variable in endpoint.origin and endpoint.host in endpoint.origin
        del everything["environ"][variable]
    assert chosen == [("openai", "k1"), ("openrouter", "k2"), ("anthropic", "k3")]
    last = await found(**everything)
    assert (last.provider, last.base_url, last.model) == ("local", local.base_url, "llama3:latest")
    assert "a server answers there" in last.origin


@promise("MODEL-discovery")
@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.name)
async def test_one_variable_is_enough_for_a_provider(provider: Any) -> None:
    endpoint = await found({provider.key_variables[-1]: "key"})
    assert (endpoint.provider, endpoint.base_url) == (provider.name, provider.base_url)
    assert (endpoint.model, endpoint.api_key) == (provider.model, "key")


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.name)
def test_the_usual_model_of_a_provider_has_a_published_price(provider: Any) -> None:
    assert cost(Usage(1, 1), provider.model, provider.base_url) is not None


@pytest.mark.parametrize("variable", ["OPENAI_BASE_URL", "OPENAI_API_BASE"])
async def test_the_openai_variables_reach_any_server(variable: str) -> None:
    endpoint = await found({"OPENAI_API_KEY": "k", variable: "https://proxy.example/v1/"}, ModelFlags(model="m"))
    assert (endpoint.provider, endpoint.base_url, endpoint.model) == ("custom", "https://proxy.example/v1", "m")


@pytest.mark.parametrize(
    "typed", ["localhost:1234/v1", "nonsense", "ftp://x/v1", "http://", "http://[x", "http://x:99999"]
)
async def test_a_base_url_that_is_none_is_refused_as_bad_usage(typed: str) -> None:
    with pytest.raises(UsageError) as caught:
        await found(flags=ModelFlags("m", typed))
    assert caught.value.exit_code == 2
    assert "http://" in caught.value.mend


@pytest.mark.parametrize(
    "typed", ["https://x.example/v1/", " https://x.example/v1", "https://x.example/v1/chat/completions"]
)
async def test_what_is_pasted_along_with_a_base_url_is_dropped(typed: str) -> None:
    assert (await found(flags=ModelFlags("m", typed))).base_url == "https://x.example/v1"


async def test_a_base_url_alone_takes_the_model_that_the_local_server_has(local: ScriptedModel) -> None:
    assert (await found({"OPENAI_BASE_URL": local.base_url})).model == "llama3:latest"
    assert (await found(flags=ModelFlags(base_url=local.base_url))).model == "llama3:latest"


@pytest.mark.parametrize("blank", ["", "  ", "\n"])
async def test_a_blank_key_is_no_key(blank: str) -> None:
    assert (await found({"OPENAI_API_KEY": blank, "ANTHROPIC_API_KEY": "k"})).provider == "anthropic"


async def test_a_model_on_the_command_line_beats_the_configured_one() -> None:
    assert (await found({"OPENAI_API_KEY": "k"}, ModelFlags(model="a"), default="b")).model == "a"
    assert (await found({"OPENAI_API_KEY": "k"}, default="b")).model == "b"


async def test_the_configured_variable_holds_the_key() -> None:
    endpoint = await found({"MY_KEY": "k"}, base_url="https://x.example/v1", default="m", api_key_env="MY_KEY")
    assert endpoint.api_key == "k"


async def test_a_configured_address_of_a_provider_gets_that_providers_key_alone() -> None:
    keys = {"OPENAI_API_KEY": "k1", "OPENROUTER_API_KEY": "k2"}
    assert (await found(keys, base_url="https://openrouter.ai/api/v1")).api_key == "k2"
    assert (await found(keys, base_url="https://elsewhere.example/v1", default="m")).api_key == ""


@promise("MODEL-local")
async def test_the_first_local_server_in_order_is_taken(local: ScriptedModel) -> None:
    with ScriptedModel(model="other") as second:
        endpoint = await found(local_servers=(nobody(), second.base_url, local.base_url))
    assert endpoint.model == "other"


@promise("MODEL-local")
async def test_models_that_cannot_chat_are_passed_over() -> None:
    entries = {"/v1/models": {"data": [{"id": "nomic-embed-text"}, {"id": "qwen3:8b"}]}}
    with ScriptedModel(routes=entries) as server:
        assert (await found(local_servers=(server.base_url,))).model == "qwen3:8b"


@pytest.mark.parametrize("listing", [{}, {"data": None}, {"data": []}, [], "text", {"data": [{}]}, None])
async def test_a_server_without_a_model_list_is_not_taken(listing: Any) -> None:
    with ScriptedModel(routes={"/v1/models": listing}) as server:
        assert (await found(local_servers=(server.base_url,))).provider == "demo"


async def test_a_port_that_accepts_and_says_nothing_is_given_up() -> None:
    with closing(socket.socket()) as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        assert (await found(local_servers=(address,), probe_timeout=0.05)).provider == "demo"


@promise("MODEL-local")
@pytest.mark.parametrize(
    "spelling",
    ["127.0.0.1:{port}", "http://127.0.0.1:{port}", "0.0.0.0:{port}", "http://localhost:{port}/", ":{port}"],
)
async def test_ollama_host_is_read_as_ollama_reads_it(local: ScriptedModel, spelling: str) -> None:
    port = local.base_url.rpartition(":")[2].removesuffix("/v1")
    endpoint = await found({"OLLAMA_HOST": spelling.format(port=port)})
    assert endpoint.model == "llama3:latest"


@promise("MODEL-discovery")
async def test_with_nothing_at_hand_it_is_the_demo_planner_and_says_so() -> None:
    endpoint = await found()
    assert endpoint.provider == "demo"
    assert "not a language model" in endpoint.origin
    assert isinstance(connect(endpoint, SETTINGS), DemoModel)


async def test_the_demo_planner_can_be_asked_for_by_name() -> None:
    assert (await found({"OPENAI_API_KEY": "k"}, ModelFlags(model="demo"))).provider == "demo"


@promise("MODEL-discovery")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param({"default": "gpt-5"}, "nothing here serves the model 'gpt-5'", id="nobody serves it"),
        pytest.param({"flags": ModelFlags(base_url="https://x.example/v1")}, "no model is named", id="no model"),
        pytest.param({"flags": ModelFlags(base_url=nobody())}, "no model server answers", id="nobody there"),
        pytest.param({"base_url": "https://x.example/v1", "api_key_env": "MY_KEY"}, "MY_KEY", id="no key"),
        pytest.param({"environ": {"OPENAI_API_KEY": "sk-“quoted”"}}, "characters that no key has", id="odd key"),
        pytest.param(
            {"environ": {"OPENAI_API_KEY": "two lines\nhere"}}, "characters that no key has", id="line break"
        ),
    ],
)
async def test_what_was_named_and_cannot_be_used_ends_with_code_5_and_a_mend(
    arguments: dict[str, Any], words: str
) -> None:
    with pytest.raises(NoModelError, match=words) as caught:
        await found(**arguments)
    assert caught.value.exit_code == 5
    assert caught.value.mend
    assert "sk-" not in str(caught.value)


def test_a_script_without_a_model_is_told_three_ways_to_connect_one() -> None:
    assert no_model_error().exit_code == 5
    assert len(no_model_error().mend.splitlines()) == 3


def test_a_key_is_not_in_the_printed_form_of_an_endpoint() -> None:
    assert "secret" not in repr(Endpoint("custom", "http://x/v1", "m", "", "secret"))
