"""One row per tool, and what a tool gets and gives.

Everything that the product knows of a tool is derived from its `ToolSpec`: whether it waits behind search, whether
it asks, what may run beside it, what the feed prints, what `prompt-size` groups. There is no second list.
This module imports no implementation: a handler may be a dotted path that is resolved at the first call.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias, TypeVar, cast

from hermes_lite.events import Sink
from hermes_lite.messages import Via

SourceKind: TypeAlias = Literal["core", "builtin", "mcp", "plugin", "connector", "bridge"]
SourceState: TypeAlias = Literal["connecting", "ready", "failed", "needs_auth", "disabled", "gone"]
Parallel: TypeAlias = Literal["safe", "path-locked", "never"]
Tier: TypeAlias = Literal["silent", "gated"]
Risk: TypeAlias = Literal["read", "write", "execute", "external"]
Exposure: TypeAlias = Literal["none", "read", "stage", "full"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """What a tool belongs to. `label` is the server's configured key, the plugin's name or the toolset."""

    kind: SourceKind
    label: str


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """How a source stands right now; `detail` is one line for people (an error, an address)."""

    source: Source
    state: SourceState
    tools: int = 0
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Display:
    """How the feed shows a call: an icon and the argument that says most."""

    icon: str = "•"
    key_argument: str | None = None


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call gives back to the model. A failure the model can act on is `is_error`, never an exception."""

    text: str
    is_error: bool = False
    data: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """Something only the person can answer. `choices` empty means free text."""

    text: str
    choices: tuple[str, ...] = ()


class Ask(Protocol):
    """Put a question to the person; `None` when there is nobody to ask or they declined. May wait for minutes."""

    async def __call__(self, question: Question) -> str | None: ...


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a handler may know of the session it runs in.

    `resources` holds the session's long-lived helpers (process table, to-do list, history search, checkpoints),
    one per class; `resource(Kind)` returns it and raises `LookupError` when the session has none.
    """

    session_id: str
    turn: int
    call_id: str
    cwd: Path
    sink: Sink
    ask: Ask
    via: Via = "direct"
    resources: Mapping[type, object] = field(default_factory=dict)

    def resource(self, kind: type[T]) -> T:
        try:
            return cast(T, self.resources[kind])
        except KeyError:
            raise LookupError(f"this session has no {kind.__name__}") from None


Handler: TypeAlias = Callable[[dict[str, Any], ToolContext], Awaitable[ToolResult]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """One tool.

    `name` is what the model says and what every hook, approval, log and message carries; `original_name` is what
    the source itself calls it. `parameters` is the JSON Schema as the source declares it; what a provider is sent
    is derived from it (`hermes_lite.tools.schema`). A `self_bounded` tool ends in bounded time by limits of its own;
    every other one is cut after `agent.tool_timeout`. `idempotent` tools may be called again with the same arguments.
    An `untrusted` row is listed and found by its names alone; what it says of itself is shown where it is asked for,
    marked as data.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    handler: Handler | str
    source: Source
    toolset: str
    original_name: str = ""
    deferrable: bool = True
    keywords: tuple[str, ...] = ()
    parallel: Parallel = "never"
    tier: Tier = "gated"
    risk: Risk = "external"
    exposure: Exposure = "none"
    idempotent: bool = False
    self_bounded: bool = False
    untrusted: bool = False
    display: Display = Display()

    @property
    def short_name(self) -> str:
        """The name without its `mcp__server__` prefix: what the listing prints under the source's heading."""
        return self.original_name or self.name


def resolve(handler: Handler | str) -> Handler:
    """The callable behind a dotted path `package.module:function`; a callable is returned as it is."""
    if not isinstance(handler, str):
        return handler
    module, _, name = handler.partition(":")
    return cast(Handler, getattr(import_module(module), name))
