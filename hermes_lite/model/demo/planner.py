"""What the demo planner does next: a plain function of the conversation and the tools.

It goes the way of a model that sees the bridge: search, describe, call, answer. Without the bridge it looks the tool
up among the listed ones. It reads results as any model would, and takes nothing for granted but their shape.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hermes_lite.messages import Message, ToolMessage, UserMessage
from hermes_lite.model.demo.fitting import fit
from hermes_lite.model.demo.jobs import JOBS, Facts, Job
from hermes_lite.text import cut

SEARCH, DESCRIBE, CALL = "tool_search", "tool_describe", "tool_call"
_LOOKED_AT = 3
_RESULT_LIMIT = 2000

INTRODUCTION = (
    "I am the demo planner, not a language model: I know a few requests and work them with real tools. Try:\n\n"
    + "\n".join(f"- {job.example}" for job in JOBS if not job.minor)
    + "\n\nTo connect a model, set OPENAI_API_KEY (or OPENROUTER_API_KEY, ANTHROPIC_API_KEY), start Ollama or "
    "another local server, or name one with --base-url and --model; then start again."
)


@dataclass(frozen=True, slots=True)
class Say:
    text: str


@dataclass(frozen=True, slots=True)
class Use:
    """Call the tool `name` of the array."""

    name: str
    arguments: Mapping[str, Any]


def plan(messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> Say | Use:
    """The next step of the turn that the last user message began."""
    text, results = _turn(messages)
    for job in JOBS:
        groups = job.match(text)
        if groups is not None:
            return _Work(job, groups, _listed(tools)).next(results[-1] if results else None)
    return Say(INTRODUCTION)


@dataclass(frozen=True, slots=True)
class _Work:
    job: Job
    groups: Mapping[str, str]
    tools: Mapping[str, Mapping[str, Any]]

    @property
    def facts(self) -> Facts:
        return self.job.facts(self.groups)

    def next(self, last: ToolMessage | None) -> Say | Use:
        if last is None:
            return self._begin()
        if last.name == SEARCH:
            return self._describe(_json(last.text))
        if last.name == DESCRIBE:
            return self._call(_json(last.text))
        return self._answer(last)

    def _begin(self) -> Say | Use:
        core = self.tools.get(self.job.core)
        arguments = fit(self.facts, core.get("parameters") or {}) if core else None
        if arguments is not None:
            return Use(self.job.core, arguments)
        if SEARCH in self.tools:
            return Use(SEARCH, {"queries": [self.job.search]})
        return self._listed_tool()

    def _listed_tool(self) -> Say | Use:
        """Without the bridge: the tool whose own words say most of the search, where the facts fit."""
        wanted = set(self.job.search.split())
        by_likeness = sorted(self.tools, key=lambda name: -_likeness(wanted, self.tools[name]))
        for name in by_likeness[:_LOOKED_AT]:
            arguments = fit(self.facts, self.tools[name].get("parameters") or {})
            if arguments is not None:
                return Use(name, arguments)
        return Say(f"I found no tool for {self.job.search!r} here.")

    def _describe(self, found: Any) -> Say | Use:
        groups = [group for group in _each(_get(found, "results")) if isinstance(group, Mapping)]
        names = [name for group in groups for name in _each(group.get("matches"))]
        if names:
            return Use(DESCRIBE, {"names": names[:_LOOKED_AT]})
        hints = " ".join(str(group["hint"]) for group in groups if group.get("hint"))
        return Say(f"I searched the tools for {self.job.search!r} and found none. {hints}".strip())

    def _call(self, described: Any) -> Say | Use:
        """The first of the described tools that the facts fit."""
        for name, tool in (_get(described, "tools") or {}).items():
            arguments = fit(self.facts, _get(tool, "parameters") or {})
            if arguments is not None:
                return Use(CALL, {"calls": [{"name": name, "arguments": arguments}]})
        return Say(f"I found tools for {self.job.search!r}, but none that takes what you told me.")

    def _answer(self, last: ToolMessage) -> Say:
        result = cut(last.text.strip(), _RESULT_LIMIT)
        if last.is_error:
            return Say(f"`{last.name}` gave no result: {result}")
        return Say(self.job.answer.format(**self.groups, result=result))


def _turn(messages: Sequence[Message]) -> tuple[str, list[ToolMessage]]:
    """The text that began the turn, and the results that it has so far."""
    start = max(at for at, message in enumerate(messages) if isinstance(message, UserMessage))
    asked = messages[start]
    assert isinstance(asked, UserMessage)
    return asked.text, [message for message in messages[start:] if isinstance(message, ToolMessage)]


def _listed(tools: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """The functions of the tool array by name."""
    return {tool["function"]["name"]: tool["function"] for tool in tools}


def _likeness(wanted: set[str], function: Mapping[str, Any]) -> int:
    name, description = _words(function["name"]), _words(function.get("description", ""))
    return 2 * len(wanted & name) + len(wanted & description)


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+", text.lower()))


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _get(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, Mapping) else None


def _each(value: Any) -> Iterator[Any]:
    yield from value if isinstance(value, list) else ()
