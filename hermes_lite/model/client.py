"""One model behind one endpoint: sends a request, streams what comes, returns the finished reply.

This file settles how a request is made, retried and given up. How messages look on the wire is said in `wire`, how
chunks become a reply in `reply`, what a failure means in `failures`, how long to wait in `retry`. The loop decides
what follows from a reply; unwrapping the calls is its business too.
"""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from ssl import PROTOCOL_TLS_CLIENT, SSLContext
from typing import Any, Protocol

import anyio
import anyio.to_thread

from hermes_lite.events import RetryScheduled, Sink
from hermes_lite.messages import AssistantMessage, Message
from hermes_lite.model import failures, prices, sdk, windows
from hermes_lite.model.endpoint import Endpoint
from hermes_lite.model.failures import Failure
from hermes_lite.model.local_servers import chat_names
from hermes_lite.model.reply import Reply
from hermes_lite.model.retry import Waits
from hermes_lite.model.settings import ModelSettings
from hermes_lite.model.windows import UNKNOWN, Window
from hermes_lite.model.wire import to_wire
from hermes_lite.tokens import counter_for

# Fields that an endpoint may not know, each with the other spelling to try, "" when the request does without.
_SPARE_FIELDS = {"stream_options": "", "max_tokens": "max_completion_tokens"}


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request. `tools` is the assembled array, sent as it is; no `max_output_tokens` is no limit of ours."""

    system: str
    messages: tuple[Message, ...]
    tools: Sequence[Mapping[str, Any]] = ()
    max_output_tokens: int | None = None

    def call_ids(self) -> frozenset[str]:
        """The ids that the conversation already holds."""
        replies = (message for message in self.messages if isinstance(message, AssistantMessage))
        return frozenset(call.id for reply in replies for call in reply.calls)


class Model(Protocol):
    """What answers requests. One request runs at a time; cancelling it is safe at any moment."""

    @property
    def name(self) -> str: ...

    @property
    def base_url(self) -> str: ...

    @property
    def window(self) -> Window:
        """The context length as far as it is known by now."""
        ...

    async def warm(self) -> None:
        """Load what the first request needs, off the event loop and without touching the network."""
        ...

    async def measure_window(self, *, ask_endpoint: bool = True) -> Window:
        """Find out `window` unless it is known; to be awaited before the first assembly. Never raises.

        Asking may make a server on this machine load the model, which its first request would do anyway.
        """
        ...

    async def listed(self) -> tuple[str, ...]:
        """The models for chat that the endpoint lists, asked in at most `model.connect_timeout` seconds.

        Raises `NoModelError` (key refused) and `ModelError` (not reached, no list).
        """
        ...

    async def complete(self, request: ModelRequest, sink: Sink) -> AssistantMessage:
        """The reply to `request`; its deltas, and each wait before a retry, go to `sink` as they happen.

        The calls are as the model wrote them, with ids that the conversation does not hold yet. Raises `NoModelError`
        (no such model, key refused), `ContextOverflowError`, and `ModelError` for everything else, incomplete
        answers included. A request is sent again only while none of its text has been shown.
        """
        ...

    async def aclose(self) -> None:
        """Close the connections."""
        ...


class ChatModel:
    """A model behind an OpenAI-compatible endpoint. `sleep` waits before retries."""

    def __init__(
        self, endpoint: Endpoint, settings: ModelSettings, *, sleep: Callable[[float], Awaitable[None]] = anyio.sleep
    ) -> None:
        self.endpoint = endpoint
        self._settings = settings
        self._sleep = sleep
        self._client: Any = None
        self._refused_fields: set[str] = set()
        configured = settings.context_length
        self._window = UNKNOWN if configured is None else Window(configured, "config")

    @property
    def name(self) -> str:
        return self.endpoint.model

    @property
    def base_url(self) -> str:
        return self.endpoint.base_url

    @property
    def window(self) -> Window:
        return self._window

    async def warm(self) -> None:
        if self._client is None:
            client = await anyio.to_thread.run_sync(self._new_client)
            self._client = self._client or client

    async def measure_window(self, *, ask_endpoint: bool = True) -> Window:
        if self._window.origin in ("table", "unknown") and ask_endpoint:
            await self.warm()
            tokens = await windows.ask_endpoint(self.endpoint, self._ask)
            self._window = Window(tokens, "endpoint") if tokens else self._window
        if self._window is UNKNOWN and not self.endpoint.is_local:
            tokens = await anyio.to_thread.run_sync(prices.context_length, self.name, self.base_url)
            self._window = Window(tokens, "table") if tokens else UNKNOWN
        return self._window

    async def listed(self) -> tuple[str, ...]:
        await self.warm()
        answer: object = None
        with anyio.move_on_after(self._settings.connect_timeout):
            try:
                answer = await self._client.get("/models", cast_to=object)
            except sdk.load().OpenAIError as error:
                raise failures.of_list(error, self.endpoint) from None
            except ValueError:
                pass
        names = chat_names(answer)
        if not names:
            raise failures.no_list(self.endpoint)
        return names

    async def complete(self, request: ModelRequest, sink: Sink) -> AssistantMessage:
        await self.warm()
        waits = Waits(self._settings.max_retries, self._settings.retry_cap_seconds)
        while True:
            outcome = await self._attempt(request, sink)
            if isinstance(outcome, AssistantMessage):
                return outcome
            delay = waits.next(outcome.asked) if outcome.transient else None
            if delay is None:
                raise outcome.given_up(waits.cap)
            sink(RetryScheduled(outcome.reason, delay, waits.taken))
            await self._sleep(delay)

    async def aclose(self) -> None:
        if self._client is not None:
            await self._client.close()

    def _new_client(self) -> Any:
        """The SDK's client. A server on this machine is never asked through a proxy.

        Plain HTTP gets a TLS context that trusts nobody: it needs none, and reading the authorities takes 50 ms.
        """
        openai = sdk.load()
        is_plain = self.base_url.startswith("http://")
        return openai.AsyncOpenAI(
            api_key=self.endpoint.api_key or "none",
            base_url=self.endpoint.base_url,
            timeout=openai.Timeout(self._settings.timeout, connect=self._settings.connect_timeout),
            max_retries=0,
            http_client=openai.DefaultAsyncHttpx2Client(
                trust_env=not self.endpoint.is_local, verify=SSLContext(PROTOCOL_TLS_CLIENT) if is_plain else True
            ),
        )

    async def _attempt(self, request: ModelRequest, sink: Sink) -> AssistantMessage | Failure:
        body = self._body(request)
        reply = Reply(self.name, sink)
        try:
            stream = await self._open(body)
        except sdk.load().OpenAIError as error:
            if refused := failures.refused_field(error, body.keys() & _SPARE_FIELDS.keys()):
                self._refused_fields.add(refused)
                return await self._attempt(request, sink)
            return failures.of_request(error, self.endpoint)
        outcome = await self._read(stream, reply) or self._finished(reply, body, request.call_ids())
        return outcome.final() if isinstance(outcome, Failure) and reply.shown else outcome

    def _body(self, request: ModelRequest) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.name,
            "messages": to_wire(request.system, request.messages, model=self.name),
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if request.tools:
            body["tools"] = list(request.tools)
        if request.max_output_tokens is not None:
            body["max_tokens"] = request.max_output_tokens
        for field in self._refused_fields & body.keys():
            value = body.pop(field)
            if spelling := _SPARE_FIELDS[field]:
                body[spelling] = value
        return body

    async def _open(self, body: Mapping[str, Any]) -> Any:
        """The SDK's stream of plain JSON chunks; raises its `OpenAIError`."""
        stream_type = sdk.load().AsyncStream[object]
        return await self._client.post(
            "/chat/completions", cast_to=object, body=body, stream=True, stream_cls=stream_type
        )

    async def _read(self, stream: Any, reply: Reply) -> Failure | None:
        content_type = stream.response.headers.get("content-type", "").partition(";")[0].strip().lower()
        try:
            async with stream:
                match content_type:
                    case "text/event-stream":
                        async for chunk in stream:
                            reply.feed(chunk)
                    case "application/json":
                        reply.feed(json.loads(await stream.response.aread()))
                    case _:
                        return failures.not_a_stream(self.endpoint, content_type)
        except (sdk.load().OpenAIError, json.JSONDecodeError, UnicodeDecodeError) as error:
            return failures.of_stream(error, self.endpoint)
        return None

    def _finished(self, reply: Reply, body: Mapping[str, Any], taken: frozenset[str]) -> AssistantMessage | Failure:
        message = reply.end(taken)
        if message is None:
            return failures.unfinished(self.endpoint)

        def fills_window() -> bool:
            sent = message.usage.input_tokens or counter_for(self.name).count(json.dumps(body))
            return self._window.is_filled_by(sent)

        return failures.of_finish(message, self.endpoint, fills_window) or message

    async def _ask(self, url: str, body: Mapping[str, Any] | None, *, patient: bool) -> object:
        openai = sdk.load()
        options = {"timeout": self._settings.timeout if patient else self._settings.connect_timeout}
        try:
            if body is None:
                return await self._client.get(url, cast_to=object, options=options)
            return await self._client.post(url, cast_to=object, body=body, options=options)
        except (openai.OpenAIError, ValueError):
            return None
