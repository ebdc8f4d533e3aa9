"""How many tokens the model can take, and who says so.

The order is: the configuration, the endpoint, the published table, unknown. Servers on this machine say more than
their model list does, so that they are asked in their own ways; a hosted endpoint is only asked for its list.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from hermes_lite.model.endpoint import Endpoint

Origin: TypeAlias = Literal["config", "endpoint", "table", "unknown"]
Ask: TypeAlias = Callable[[str, Mapping[str, Any] | None], Awaitable[object]]


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


@dataclass(frozen=True, slots=True)
class _Question:
    """A path from the server's root, the JSON body to post (`None` asks with GET), and how to read the answer."""

    path: str
    body: Callable[[str], Mapping[str, Any]] | None
    read: Callable[[Any, str], object]


async def ask_endpoint(endpoint: Endpoint, ask: Ask) -> int | None:
    """The context length that the endpoint itself states.

    `ask(url, body)` returns the JSON answer, or `None` for any failure.
    """
    root = endpoint.base_url.rstrip("/").removesuffix("/v1")
    for question in _LOCAL if endpoint.is_local else ():
        body = question.body(endpoint.model) if question.body else None
        if length := _length(question.read(await ask(root + question.path, body), endpoint.model)):
            return length
    return _length(_listed(await ask(endpoint.base_url.rstrip("/") + "/models", None), endpoint.model))


def _llama_cpp(answer: Any, model: str) -> object:
    return _at(answer, "default_generation_settings", "n_ctx")


def _lm_studio(answer: Any, model: str) -> object:
    entry = _entry(_at(answer, "data"), model)
    return _at(entry, "loaded_context_length") or _at(entry, "max_context_length")


def _ollama_running(answer: Any, model: str) -> object:
    return _at(_entry(_at(answer, "models"), model), "context_length")


def _ollama_model(answer: Any, model: str) -> object:
    """What the model file sets for its runs, else what the model was trained for."""
    words = str(_at(answer, "parameters") or "").split()
    if "num_ctx" in words[:-1]:
        return int(words[words.index("num_ctx") + 1])
    facts = _at(answer, "model_info")
    return next((facts[key] for key in facts if key.endswith(".context_length")), None) if facts else None


_LOCAL = (
    _Question("/props", None, _llama_cpp),
    _Question("/api/v0/models", None, _lm_studio),
    _Question("/api/ps", None, _ollama_running),
    _Question("/api/show", lambda model: {"model": model}, _ollama_model),
)
_LISTED_AS = (
    ("context_length",),
    ("max_model_len",),
    ("context_window",),
    ("max_context_length",),
    ("meta", "n_ctx"),
    ("meta", "n_ctx_train"),
)


def _listed(answer: Any, model: str) -> object:
    """The field of the model's entry in `/models`: OpenRouter, vLLM, Groq, Mistral, llama.cpp."""
    entry = _entry(_at(answer, "data"), model)
    return next((found for path in _LISTED_AS if (found := _at(entry, *path))), None)


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
