"""What a plugin may add. Its module has one function, `register(plugin)`, which gets a `Plugin` once at the start.

    def register(plugin):
        plugin.tool("roll", "Roll dice.", {"type": "object", "properties": {"sides": {"type": "integer"}}}, roll)
        plugin.hook("pre_tool_call", guard, matcher="terminal")

A tool waits behind search like those of MCP servers, and its calls pass the same gates. Functions may be async;
others run in a thread of their own.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hermes_lite.config.hook_events import EVENT_NAMES, Event
from hermes_lite.errors import PluginError
from hermes_lite.hooks import HookFunction
from hermes_lite.tools.argument_text import dump
from hermes_lite.tools.functions import call
from hermes_lite.tools.naming import tool_names
from hermes_lite.tools.registry import Dropped
from hermes_lite.tools.spec import Display, Handler, Risk, Source, ToolContext, ToolResult, ToolSpec

_ICON = "◇"


@dataclass(frozen=True, slots=True)
class PluginHook:
    """A function that is called for `event`, for tools that `matcher` fits."""

    event: Event
    function: HookFunction
    matcher: str


@dataclass(frozen=True, slots=True)
class _Tool:
    description: str
    parameters: Mapping[str, Any]
    handler: Handler
    risk: Risk
    keywords: tuple[str, ...]


class Plugin:
    """Collects what the plugin `name` adds."""

    def __init__(self, name: str) -> None:
        self.source = Source("plugin", name)
        self.hooks: list[PluginHook] = []
        self._tools: dict[str, _Tool] = {}

    def tool(
        self,
        name: str,
        description: str,
        parameters: Mapping[str, Any],
        run: Callable[[dict[str, Any]], Any],
        *,
        risk: Risk = "external",
        keywords: tuple[str, ...] = (),
    ) -> None:
        """Add a tool. `run` gets the arguments, which fit the JSON Schema `parameters`, and returns text, any value
        that JSON can hold, or a `ToolResult`; an exception is told to the model. `risk` is the most that a call does:
        `read` runs unasked, `write`, `execute` and `external` ask. Raises `PluginError` for a name that is taken.
        """
        if name in self._tools:
            raise PluginError(f"the tool {name!r} is added twice")
        self._tools[name] = _Tool(description, parameters, _handler(run), risk, tuple(keywords))

    def hook(self, event: str, function: HookFunction, matcher: str = "") -> None:
        """Call `function` for `event`, under any of its names, for tools that `matcher` fits.

        It gets the object that hook commands read, and returns `None` or an answer like theirs. Raises `PluginError`
        for an event that there is not.
        """
        if event not in EVENT_NAMES:
            raise PluginError(f"there is no event {event!r}, only {', '.join(EVENT_NAMES)}")
        self.hooks.append(PluginHook(EVENT_NAMES[event].event, function, matcher))

    def rows(self) -> tuple[tuple[ToolSpec, ...], tuple[Dropped, ...]]:
        """Its tools, named `<plugin>__<tool>`, and those that cannot have a name."""
        naming = tool_names(self.source, f"{self.source.label}__", self._tools)
        rows = tuple(self._row(name, naming.names[name]) for name in self._tools if name in naming.names)
        return rows, naming.dropped

    def _row(self, original: str, name: str) -> ToolSpec:
        tool = self._tools[original]
        only_looks = tool.risk == "read"
        return ToolSpec(
            name=name,
            original_name=original,
            description=tool.description,
            parameters=tool.parameters,
            handler=tool.handler,
            source=self.source,
            toolset=self.source.label,
            keywords=tool.keywords,
            parallel="safe" if only_looks else "never",
            tier="silent" if only_looks else "gated",
            risk=tool.risk,
            idempotent=only_looks,
            display=Display(_ICON),
        )


def _handler(run: Callable[[dict[str, Any]], Any]) -> Handler:
    async def handle(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        said = await call(run, arguments)
        if isinstance(said, ToolResult):
            return said
        return ToolResult(said if isinstance(said, str) else dump(said))

    return handle
