"""One open session with one server: lists, calls and what the server asks of us meanwhile.

Results are handed on as parsed JSON; what they mean to the model is `results`' business, and when a session is
opened, kept or given up is `server_task`'s. Each call has a clock, which progress sets back and a question to the
person stops.
"""

import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import anyio
import mcp_types as types
from mcp.client.session import ClientRequestContext, ClientSession
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from pydantic import FileUrl, TypeAdapter, ValidationError

from hermes_lite import __version__
from hermes_lite.mcp.elicitation import elicit
from hermes_lite.mcp.extras import Extras
from hermes_lite.mcp.sampling import sample
from hermes_lite.mcp.wishes import Complete
from hermes_lite.tools.arguments import mismatch
from hermes_lite.tools.spec import Ask

T = TypeVar("T")
Progress: TypeAlias = Callable[[str], None]

_MODERN_ONLY = (types.METHOD_NOT_FOUND, types.UNSUPPORTED_PROTOCOL_VERSION)
_CALL_RESULT: TypeAdapter[types.CallToolResult | types.InputRequiredResult] = TypeAdapter(
    types.CallToolResult | types.InputRequiredResult
)
_LIST_CHANGES = (
    types.ToolListChangedNotification,
    types.ResourceListChangedNotification,
    types.PromptListChangedNotification,
)
_MOST_PAGES = 500
_MOST_ROUNDS = 10


class CallTimeout(TimeoutError):
    """A call got neither result nor progress in time; the server was told that we no longer wait."""


@dataclass(slots=True)
class _Clock:
    """What a call has left: `patience` seconds from the last sign of life, and no more than `most` in all."""

    patience: float
    most: float
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    started: float = field(default_factory=anyio.current_time)

    def touch(self) -> None:
        self.scope.deadline = min(anyio.current_time() + self.patience, self.started + self.most)

    def hold(self) -> None:
        self.scope.deadline = math.inf


class Live:
    """An initialised session. Made and closed by the task that owns the connection; called from any task."""

    def __init__(
        self,
        key: str,
        reading: ReadStream[SessionMessage | Exception],
        writing: WriteStream[SessionMessage],
        *,
        cwd: Path,
        ask: Ask | None,
        complete: Complete | None,
        on_list_changed: Callable[[], None],
    ) -> None:
        self._key = key
        self._root = cwd
        self._ask = ask
        self._complete = complete
        self._on_list_changed = on_list_changed
        self._clocks: list[_Clock] = []
        self._outputs: dict[str, dict[str, Any]] = {}
        self.session = ClientSession(
            reading,
            writing,
            message_handler=self._hear,
            elicitation_callback=self._elicit if ask is not None else None,
            sampling_callback=self._sample if complete is not None else None,
            list_roots_callback=self._roots,
            client_info=types.Implementation(name="hermes-lite", version=__version__),
        )

    @property
    def idle(self) -> bool:
        return not self._clocks

    @property
    def has_ping(self) -> bool:
        """Whether the protocol version in use still knows `ping`."""
        return self.session.initialize_result is not None

    @property
    def instructions(self) -> str:
        return self.session.instructions or ""

    @property
    def offers(self) -> types.ServerCapabilities:
        return self.session.server_capabilities or types.ServerCapabilities()

    async def greet(self) -> None:
        """Agree on a protocol version: by handshake, or by discovery where the server knows no handshake any more."""
        try:
            await self.session.initialize()
        except MCPError as refusal:
            if refusal.code not in _MODERN_ONLY:
                raise
            try:
                await self.session.discover()
            except (MCPError, RuntimeError):
                raise refusal from None

    async def tools(self) -> list[dict[str, Any]]:
        """The whole tool list, all pages, as `name`, `description`, `inputSchema` and what else matters to a row."""
        pages = await self._pages(self.session.list_tools)
        found = [tool for page in pages for tool in page.tools]
        self._outputs = {tool.name: tool.output_schema for tool in found if tool.output_schema is not None}
        return [_plain(tool) for tool in found]

    async def extras(self) -> Extras:
        """Resources and prompts. A server that announces them and then fails to list them has none."""
        offers = self.offers
        return Extras(
            resources=await self._offered(offers.resources, self.session.list_resources, "resources"),
            templates=await self._offered(
                offers.resources, self.session.list_resource_templates, "resource_templates"
            ),
            prompts=await self._offered(offers.prompts, self.session.list_prompts, "prompts"),
        )

    async def read_resource(self, uri: str) -> list[dict[str, Any]]:
        return [_dump(part) for part in (await self.session.read_resource(uri)).contents]

    async def prompt(self, name: str, arguments: dict[str, str]) -> list[dict[str, Any]]:
        return [_dump(message) for message in (await self.session.get_prompt(name, arguments)).messages]

    async def ping(self) -> None:
        await self.session.send_ping()

    async def call(
        self, name: str, arguments: dict[str, Any], *, patience: float, most: float, show: Progress
    ) -> tuple[dict[str, Any], str]:
        """The result of one tool call, and a remark when its structured part is not what the tool declares.

        Raises `CallTimeout`, and `MCPError` for what the server refuses or when the connection ends meanwhile.
        """
        clock = _Clock(patience, most)

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            clock.touch()
            show(_progress_text(progress, total, message))

        async def send(**answers: Any) -> types.CallToolResult | types.InputRequiredResult:
            params = types.CallToolRequestParams(name=name, arguments=arguments, **answers)
            return await self.session.send_request(
                types.CallToolRequest(params=params), _CALL_RESULT, progress_callback=on_progress
            )

        self._clocks.append(clock)
        try:
            with clock.scope:
                clock.touch()
                result = await self._answered(await send(), send)
                return _dump(result), self._mismatch(name, result)
        finally:
            self._clocks.remove(clock)
        raise CallTimeout

    async def _answered(
        self,
        result: types.CallToolResult | types.InputRequiredResult,
        send: Callable[..., Awaitable[types.CallToolResult | types.InputRequiredResult]],
    ) -> types.CallToolResult:
        """The final result: whatever the server needs to know first is asked and sent, a bounded number of times."""
        context = ClientRequestContext(session=self.session, request_id=0)
        for _ in range(_MOST_ROUNDS):
            if isinstance(result, types.CallToolResult):
                return result
            answers = {
                key: await self.session.dispatch_input_request(context, request)
                for key, request in (result.input_requests or {}).items()
            }
            refusal = next((answer for answer in answers.values() if isinstance(answer, types.ErrorData)), None)
            if refusal is not None:
                raise MCPError.from_error_data(refusal)
            result = await send(input_responses=answers, request_state=result.request_state)
        raise MCPError(types.INTERNAL_ERROR, "the server keeps asking for more input")

    def _mismatch(self, name: str, result: types.CallToolResult) -> str:
        if result.is_error:
            return ""
        schema = self._outputs.get(name)
        if schema is None:
            return ""
        if result.structured_content is None:
            return f"Tool {name} has an output schema but did not return structured content"
        fault = mismatch(schema, result.structured_content)
        return f"Invalid structured content returned by tool {name}: {fault}" if fault else ""

    async def _offered(
        self, offer: object | None, fetch: Callable[..., Awaitable[Any]], part: str
    ) -> tuple[dict[str, Any], ...]:
        if offer is None:
            return ()
        try:
            return tuple(_dump(item) for page in await self._pages(fetch) for item in getattr(page, part))
        except (MCPError, ValidationError) as error:
            if isinstance(error, MCPError) and error.code == types.CONNECTION_CLOSED:
                raise
            return ()

    async def _pages(self, fetch: Callable[..., Awaitable[Any]]) -> list[Any]:
        """Every page; a server that repeats a cursor or never ends is cut off there."""
        pages = [await fetch()]
        cursors: set[str] = set()
        while (cursor := pages[-1].next_cursor) and cursor not in cursors and len(pages) < _MOST_PAGES:
            cursors.add(cursor)
            pages.append(await fetch(params=types.PaginatedRequestParams(cursor=cursor)))
        return pages

    async def _hear(self, message: types.ServerNotification | Exception) -> None:
        if isinstance(message, _LIST_CHANGES):
            self._on_list_changed()

    async def _elicit(self, context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        return await self._while_clocks_stand(elicit(self._key, params, self._ask))

    async def _sample(
        self, context: ClientRequestContext, params: types.CreateMessageRequestParams
    ) -> types.CreateMessageResult | types.ErrorData:
        assert self._complete is not None
        return await self._while_clocks_stand(sample(self._key, params, self._complete))

    async def _while_clocks_stand(self, answer: Awaitable[T]) -> T:
        """No call is cut for the time that the person or the model takes to answer the server."""
        for clock in self._clocks:
            clock.hold()
        try:
            return await answer
        finally:
            for clock in self._clocks:
                clock.touch()

    async def _roots(self, context: ClientRequestContext) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri=FileUrl(self._root.as_uri()), name=self._root.name)])


def _plain(tool: types.Tool) -> dict[str, Any]:
    hints = tool.annotations.model_dump(by_alias=True, exclude_none=True) if tool.annotations else {}
    plain: dict[str, Any] = {"name": tool.name, "inputSchema": tool.input_schema}
    optional: Mapping[str, Any] = {
        "description": tool.description,
        "title": tool.title,
        "annotations": hints,
        "execution": tool.execution.model_dump(by_alias=True, exclude_none=True) if tool.execution else None,
    }
    return plain | {name: value for name, value in optional.items() if value}


def _dump(model: Any) -> dict[str, Any]:
    dumped: dict[str, Any] = model.model_dump(by_alias=True, mode="json", exclude_none=True)
    return dumped


def _progress_text(done: float, total: float | None, message: str | None) -> str:
    amount = f"{done:g}" if total is None else f"{done:g}/{total:g}"
    return f"{amount} {message}" if message else amount
