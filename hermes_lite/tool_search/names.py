"""From a name that a model wrote to the one tool it means, or to an answer that names the next step.

There are different reasons why a name leads nowhere, and the answer states the true one: no such tool, several
that fit, a source that is not ready, a source that this session does not have. It is made from the session's scope
alone, so nothing outside the scope can be told. Source: sections 5, 5.3 and 9 of the tool-search design; T-B16,
T-E14, T-E15, T-E19, T-G05 and T-I08 of the robustness page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hermes_lite.text import cut, one_line
from hermes_lite.tool_search.catalog import Catalogue, letters
from hermes_lite.tool_search.index import index_of
from hermes_lite.tool_search.signature import purpose
from hermes_lite.tools.spec import SourceStatus, ToolSpec

_SHOWN_NAME = 120
_LABEL = 60
_CLOSEST = 3
_CANDIDATES = 10
_SOURCES = 20

FOREIGN: Mapping[str, str] = {
    "bash": "run shell command",
    "edit": "edit file",
    "executecommand": "run shell command",
    "glob": "find files by name pattern",
    "grep": "search text in files",
    "grepsearch": "search text in files",
    "knowledgesearch": "search notes documents knowledge",
    "ls": "list directory files",
    "multiedit": "edit file",
    "notebookedit": "edit file",
    "read": "read file",
    "runterminalcmd": "run shell command",
    "shell": "run shell command",
    "task": "delegate task agent",
    "todowrite": "todo list",
    "webfetch": "fetch web page url",
    "websearch": "search the web",
    "write": "write file",
}
"""What well-known tools of other shells do, by name without case and separators: words to search for, never tools."""


@dataclass(frozen=True, slots=True)
class Unmet:
    """A name that leads to no single tool. `answer` is the JSON object that the model gets."""

    code: str
    answer: Mapping[str, Any]


def find(name: str, catalogue: Catalogue) -> ToolSpec | Unmet:
    """The one tool of `catalogue` that `name` means."""
    rows = catalogue.resolve(name)
    if len(rows) == 1:
        return rows[0]
    return _ambiguous(name, rows) if rows else _unknown(name, catalogue)


def closest(name: str, catalogue: Catalogue) -> dict[str, str]:
    """The tools that `name` may have meant, each with its purpose; what a name of another shell does counts."""
    index = index_of(catalogue)
    foreign = index.search(FOREIGN.get(letters(name), ""), _CLOSEST)
    named = (*foreign.matches, *foreign.weak)[:_CLOSEST] or index.closest(name, _CLOSEST)
    rows = [entry.row for tool in named if (entry := catalogue.entry(tool)) and entry.row.source.kind != "bridge"]
    return {row.name: purpose(row) for row in rows}


def source_state(status: SourceStatus) -> dict[str, Any]:
    """A source as the answers show it: `{name, tools, state}`."""
    return {"name": cut(one_line(status.source.label), _LABEL), "tools": status.tools, "state": status.state}


def _ambiguous(name: str, rows: Sequence[ToolSpec]) -> Unmet:
    return Unmet(
        "ambiguous-name",
        {
            "error": "ambiguous-name",
            "message": f"NOT RUN: {_shown(name)} fits several tools. Use the full name of the one you mean.",
            "did_you_mean": {row.name: purpose(row) for row in rows[:_CANDIDATES]},
        },
    )


def _unknown(name: str, catalogue: Catalogue) -> Unmet:
    label = _source_part(name)
    sources = [status for status in catalogue.sources() if status.source.kind != "bridge"]
    here = [status for status in sources if label and letters(status.source.label) == label]
    if label and not here:
        return _elsewhere(name, sources)
    if here and here[0].state != "ready":
        return _not_ready(name, here[0])
    near = closest(name, catalogue)
    step = "Use one of did_you_mean if it fits, else search with tool_search." if near else "Search with tool_search."
    return Unmet(
        "unknown-tool",
        {
            "error": "unknown-tool",
            "message": f"NOT RUN: there is no tool {_shown(name)}. {step}",
            **({"did_you_mean": near} if near else {}),
        },
    )


def _elsewhere(name: str, sources: Sequence[SourceStatus]) -> Unmet:
    return Unmet(
        "not-in-scope",
        {
            "error": "not-in-scope",
            "message": f"NOT RUN: {_shown(name)} belongs to no source of this session. "
            "Use a tool of available_sources, or tell the person that this session lacks it.",
            "available_sources": [source_state(status) for status in sources[:_SOURCES]],
        },
    )


def _not_ready(name: str, status: SourceStatus) -> Unmet:
    return Unmet(
        "source-not-ready",
        {
            "error": "source-not-ready",
            "message": f"NOT RUN: {_shown(name)} cannot be called now, its source {_STATES[status.state]}. "
            "Go on without it, or tell the person.",
            "available_sources": [source_state(status)],
        },
    )


_STATES: Mapping[str, str] = {
    "connecting": "is still connecting",
    "failed": "failed",
    "needs_auth": "needs to be authorized by the person",
    "disabled": "is switched off",
    "gone": "is no longer connected",
}


def _source_part(name: str) -> str:
    """The letters of `<server>` when `name` is spelt `mcp__<server>__<tool>`, else blank."""
    parts = name.strip().split("__")
    return letters(parts[1]) if len(parts) > 2 and parts[0].endswith("mcp") else ""


def _shown(name: str) -> str:
    return cut(one_line(name[: 10 * _SHOWN_NAME]), _SHOWN_NAME) or "without a name"
