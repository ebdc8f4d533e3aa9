"""Which model this session speaks to: the first hit of a fixed order, and one line that says why.

Command line, configuration, keys in the environment, servers on this machine, the demo planner. Nothing here touches
the network beyond this machine, and no key is sent anywhere.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from hermes_lite.errors import NoModelError, UsageError
from hermes_lite.model.endpoint import DEMO, Endpoint, is_loopback
from hermes_lite.model.local_servers import first_answering
from hermes_lite.model.providers import OPENAI, PROVIDERS, Provider, serving
from hermes_lite.model.settings import ModelSettings

HOW_TO_CONNECT = (
    "export OPENAI_API_KEY=...      (or OPENROUTER_API_KEY, ANTHROPIC_API_KEY, ...)",
    "ollama serve                   (or LM Studio, llama.cpp, vLLM on this machine)",
    "hermes-lite --base-url URL --model NAME",
)
_NAME_ONE = "Name one: --model NAME, or `hermes-lite config set model.default NAME`."


@dataclass(frozen=True, slots=True)
class ModelFlags:
    """What the command line says; "" where it says nothing. `--model demo` asks for the demo planner."""

    model: str = ""
    base_url: str = ""


async def discover(settings: ModelSettings, environ: Mapping[str, str], flags: ModelFlags) -> Endpoint:
    """The endpoint of this session; the demo planner's when nothing else is there.

    Raises `UsageError` for a base URL that is none, and `NoModelError` when something was named that cannot be used:
    an endpoint whose model nobody named, a key that is not set, a model with nobody to serve it.
    """
    search = _Search(settings, environ, flags)
    for look in (search.demo, search.named_url, search.keyed_provider, search.local_server):
        if endpoint := await look():
            return endpoint
    if search.model:
        raise NoModelError(f"nothing here serves the model {search.model!r}", mend="\n".join(HOW_TO_CONNECT))
    return _demo("no key is set and no local server answers")


def no_model_error() -> NoModelError:
    """For a one-shot that found nothing but the demo planner, which answers no scripts."""
    return NoModelError("no model: no key is set and no local server answers", mend="\n".join(HOW_TO_CONNECT))


@dataclass(frozen=True, slots=True)
class _Search:
    settings: ModelSettings
    environ: Mapping[str, str]
    flags: ModelFlags

    @property
    def model(self) -> str:
        return self.flags.model or self.settings.default

    async def demo(self) -> Endpoint | None:
        return _demo("asked for by name") if self.model == DEMO else None

    async def named_url(self) -> Endpoint | None:
        """The base URL of the command line or the configuration."""
        named = self.flags.base_url or self.settings.base_url
        if not named:
            return None
        base_url = _clean(named)
        said_by = "--base-url" if self.flags.base_url else "model.base_url is set"
        provider = serving(base_url)
        return await self._at(base_url, provider, self._key_for(provider), said_by)

    async def keyed_provider(self) -> Endpoint | None:
        """The first provider of the table that the environment speaks of."""
        for provider in PROVIDERS:
            variable = self._set_one(provider.key_variables + provider.base_url_variables)
            if variable:
                base_url = _clean(self._value(provider.base_url_variables) or provider.base_url)
                own = provider if serving(base_url) is provider else None
                return await self._at(base_url, own, self._value(provider.key_variables), f"{variable} is set")
        return None

    async def local_server(self) -> Endpoint | None:
        servers = (*self._announced_servers(), *self.settings.local_servers)
        found = await first_answering(tuple(dict.fromkeys(servers)), self.settings.probe_timeout)
        if found is None:
            return None
        why = "a server answers there and no key is set"
        return _endpoint("local", found.base_url, self.model or found.models[0], why, self._value(("LM_API_KEY",)))

    async def _at(self, base_url: str, provider: Provider | None, key: str, why: str) -> Endpoint:
        """The endpoint at a given address, with the model that was named, is usual there, or is served first."""
        model = self.model or (provider.model if provider else "") or await self._served_at(base_url)
        return _endpoint(provider.name if provider else "custom", base_url, model, why, key)

    async def _served_at(self, base_url: str) -> str:
        if not is_loopback(base_url):
            raise NoModelError(f"no model is named for {base_url}", mend=_NAME_ONE)
        found = await first_answering((base_url,), self.settings.connect_timeout)
        if found is None:
            raise NoModelError(f"no model server answers at {base_url}", mend="Start it, or check the address.")
        return found.models[0]

    def _key_for(self, provider: Provider | None) -> str:
        """The key for a named base URL: the configured variable's, else the provider's own.

        The OpenAI key goes to any other address only when the person typed that address.
        """
        variable = self.settings.api_key_env
        if variable and not self._value((variable,)):
            raise NoModelError(
                f"the variable {variable}, named by model.api_key_env, is not set",
                mend=f"Set it: export {variable}=..., or put it into the .env file of the home folder.",
            )
        usual = provider or (OPENAI if self.flags.base_url else None)
        return self._value((variable,)) or (self._value(usual.key_variables) if usual else "")

    def _announced_servers(self) -> list[str]:
        """Where `OLLAMA_HOST` and `LM_BASE_URL` say that a local server is."""
        ollama = self._value(("OLLAMA_HOST",))
        studio = self._value(("LM_BASE_URL",))
        return [*([_ollama_url(ollama)] if ollama else ()), *([_clean(studio)] if studio else ())]

    def _set_one(self, variables: tuple[str, ...]) -> str:
        return next((name for name in variables if self.environ.get(name, "").strip()), "")

    def _value(self, variables: tuple[str, ...]) -> str:
        return self.environ.get(self._set_one(variables), "").strip()


def _endpoint(provider: str, base_url: str, model: str, why: str, key: str) -> Endpoint:
    if not key.isprintable() or not key.isascii() or " " in key:
        raise NoModelError(
            f"the key for {urlsplit(base_url).hostname} has characters that no key has",
            mend="Copy it again: a space, a line break or a typographic sign came along.",
        )
    found = Endpoint(provider, base_url, model, "", key)
    return replace(found, origin=f"{model} at {found.host}: {why}")


def _clean(base_url: str) -> str:
    """The base URL without what people paste along. Raises `UsageError` for what is no HTTP address."""
    plain = base_url.strip().rstrip("/").removesuffix("/chat/completions")
    try:
        parts = urlsplit(plain)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise UsageError(
            f"the base URL {base_url!r} is no HTTP address", mend="Write it like http://127.0.0.1:8080/v1"
        )
    return plain


def _demo(why: str) -> Endpoint:
    return Endpoint(DEMO, "", DEMO, f"demo planner, not a language model: {why}")


def _ollama_url(host: str) -> str:
    """`OLLAMA_HOST` as Ollama reads it: a host, a `:port` or a URL; the address it listens on may be 0.0.0.0."""
    named = f"127.0.0.1{host}" if host.startswith(":") else host
    parts = urlsplit(_clean(named if "://" in named else f"http://{named}"))
    name = (parts.hostname or "").replace("0.0.0.0", "127.0.0.1")
    return f"{parts.scheme}://{name}:{parts.port or 11434}/v1"
