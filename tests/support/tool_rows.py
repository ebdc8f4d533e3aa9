"""Tool rows for tests: by hand, and as hypothesis strategies for whole catalogues."""

from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from hermes_lite.tool_search.settings import ToolSearchSettings
from hermes_lite.tools.naming import server_prefixes, tool_names
from hermes_lite.tools.spec import Source, ToolSpec

CORE = Source("core", "core")


def object_schema(required: Sequence[str] = (), **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


def core_tool(name: str, description: str = "Do it.") -> ToolSpec:
    return _row(name, name, CORE, description, object_schema())


def builtin_tool(name: str, description: str = "Do it now and then.") -> ToolSpec:
    return _row(name, name, Source("builtin", name), description, object_schema())


def server_tools(server: str, tools: Mapping[str, str] | Sequence[str], **schema: Any) -> list[ToolSpec]:
    """The rows of one MCP server; `tools` maps names to descriptions, or is the names alone."""
    source = Source("mcp", server)
    texts = tools if isinstance(tools, Mapping) else {name: f"Do {name}." for name in tools}
    names = tool_names(source, server_prefixes([server])[server], texts).names
    return [
        _row(names[original], original, source, text, schema or object_schema()) for original, text in texts.items()
    ]


def _row(name: str, original: str, source: Source, description: str, schema: Mapping[str, Any]) -> ToolSpec:
    return ToolSpec(
        name=name,
        original_name=original,
        description=description,
        parameters=schema,
        handler="tests:never",
        source=source,
        toolset=source.label,
    )


def settings(**changed: Any) -> ToolSearchSettings:
    """Tool Search as it ships, but with nothing in `defer`."""
    values: dict[str, Any] = {
        "enabled": "auto",
        "strategy": "bridge",
        "threshold_pct": 5,
        "search_default_limit": 5,
        "max_search_limit": 25,
        "listing": "auto",
        "listing_max_tokens": 4000,
        "search_budget": 3,
        "pin": (),
        "defer": (),
    }
    return ToolSearchSettings(**{**values, **changed})


any_text = st.text(alphabet=st.characters(exclude_categories=()), max_size=60)
_words = st.sampled_from(["get", "list", "issue", "mail", "a", "page", "x9", "search"])
_plain_names = st.lists(_words, min_size=1, max_size=3).map("_".join)
_hostile = st.sampled_from(
    ["\n## core", "a\x1b[2Jb", "x\u2028y: z", "\u202egnp", "名前", "🎯" * 40, "\ud800", "tool_call", "a" * 90]
)
names = _plain_names | _hostile
texts = st.sampled_from(["", "Do it. At once.", "Do it well.", "検索します。"]) | _hostile | any_text


@st.composite
def catalogues(draw: st.DrawFn) -> list[ToolSpec]:
    """Rows of some servers with some tools each, hostile ones among them, beside two core tools."""
    keys = draw(st.lists(names, max_size=5, unique=True))
    rows = [core_tool("terminal"), core_tool("file_read")]
    prefixes = server_prefixes(keys)
    for key in keys:
        source = Source("mcp", key)
        described = draw(st.dictionaries(names, texts, max_size=8))
        named = tool_names(source, prefixes[key], described).names
        parameters = object_schema(["id"], id={"type": "string"}, mode={"enum": ["a", "b"]})
        rows += [_row(named[name], name, source, described[name], parameters) for name in named]
    return rows
