"""How many tokens the model can take, and who says so.

The order is: the configuration, the endpoint, the published table, unknown. A hosted endpoint is asked for its model
list. A server on this machine is asked for what it runs with, which is often far less than the model was made for;
where that is settled only when the model is loaded, it is told to load it now, as the first request would.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from hermes_lite.model.endpoint import Endpoint

Origin: TypeAlias = Literal["config", "endpoint", "table", "unknown"]


_FULL = 0.9


@dataclass(frozen=True, slots=True)
class Window:
    """The context length in tokens, `None` when nobody knows."""

    tokens: int | None
    origin: Origin

    def is_filled_by(self, sent: int) -> bool:
        """Whether a prompt of `sent` tokens leaves no room for an answer; never true of an unknown length."""
        return self.tokens is not None and sent > self.tokens * _FULL


UNKNOWN = Window(None, "unknown")


class Ask(Protocol):
    """The JSON answer to a GET of `url`, to a POST when there is a `body`; `None` for any failure.

    `patient` allows for the time that loading a model takes.
    """

    async def __call__(self, url: str, body: Mapping[str, Any] | None, *, patient: bool) -> object: ...


@dataclass(frozen=True, slots=True)
class _Question:
    """Where to ask (`{base}` is the base URL, `{root}` the server's), what to post, and how to read the answer."""

    url: str
    read: Callable[[Any, str], object]
    body: Callable[[str], Mapping[str, Any]] | None = None
    patient: bool = False


async def ask_endpoint(endpoint: Endpoint, ask: Ask) -> int | None:
    """The context length that the endpoint itself states, by the first question that it has an answer to."""
    base = endpoint.base_url.rstrip("/")
    root = base.removesuffix("/v1")
    for question in _LOCAL if endpoint.is_local else (_MODEL_LIST,):
        url = question.url.format(base=base, root=root)
        body = question.body(endpoint.model) if question.body else None
        answer = await ask(url, body, patient=question.patient)
        if length := _length(question.read(answer, endpoint.model)):
            return length
    return None


def _llama_cpp(answer: Any, model: str) -> object:
    return _at(answer, "default_generation_settings", "n_ctx")


def _lm_studio(answer: Any, model: str) -> object:
    return _at(_entry(_at(answer, "data"), model), "loaded_context_length")


def _lm_studio_most(answer: Any, model: str) -> object:
    return _at(_entry(_at(answer, "data"), model), "max_context_length")


def _lm_studio_load(answer: Any, model: str) -> object:
    return _at(answer, "load_config", "context_length")


def _ollama(answer: Any, model: str) -> object:
    return _at(_entry(_at(answer, "models"), model), "context_length")


def _ollama_most(answer: Any, model: str) -> object:
    facts = _at(answer, "model_info") or {}
    return next((facts[key] for key in facts if key.endswith(".context_length")), None)


def _nothing(answer: Any, model: str) -> object:
    return None


_LISTED_AS = (
    ("context_length",),
    ("max_model_len",),
    ("context_window",),
    ("max_context_length",),
    ("meta", "n_ctx"),
    ("meta", "n_ctx_train"),
)


def _listed(answer: Any, model: str) -> object:
    """The field of the model's entry in the list: OpenRouter, vLLM, Groq, Mistral, llama.cpp."""
    entry = _entry(_at(answer, "data"), model)
    return next((found for path in _LISTED_AS if (found := _at(entry, *path))), None)


_MODEL_LIST = _Question("{base}/models", _listed)
_LOCAL = (
    _Question("{root}/props", _llama_cpp),
    _MODEL_LIST,
    _Question("{root}/api/v0/models", _lm_studio),
    _Question("{root}/api/ps", _ollama),
    _Question("{root}/api/v1/models/load", _lm_studio_load, lambda m: {"model": m, "echo_load_config": True}, True),
    _Question("{root}/api/generate", _nothing, lambda m: {"model": m, "stream": False}, True),
    _Question("{root}/api/ps", _ollama),
    _Question("{root}/api/v0/models", _lm_studio_most),
    _Question("{root}/api/show", _ollama_most, lambda m: {"model": m}),
)


def _entry(entries: object, model: str) -> object:
    """The entry of `model`; a tag `:latest` that only one side writes makes no difference."""
    wanted = model.removesuffix(":latest")
    for entry in entries if isinstance(entries, list) else ():
        names = (_at(entry, "id"), _at(entry, "model"), _at(entry, "name"))
        if wanted in (name.removesuffix(":latest") for name in names if isinstance(name, str)):
            return entry
    return None


def _at(value: object, *path: str) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _length(value: object) -> int | None:
    return int(value) if isinstance(value, int | float) and value > 0 else None
