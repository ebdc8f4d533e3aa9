"""The fixed cost of a turn: what every request carries before the person says a word, with and without deferral.

Pure: it measures the composed system prompt and the assembled array, whose bytes are those of a real request. Where
the tools come from, and which servers did not come, is the caller's to say.
Source: section 12 of the tool-search design; seed 001 for the field names.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hermes_lite.agent.prompt import Section, compose
from hermes_lite.errors import UsageError
from hermes_lite.text import utf8
from hermes_lite.tokens import TokenCounter
from hermes_lite.tool_search.assemble import Assembly
from hermes_lite.tool_search.costs import Cost, Costs
from hermes_lite.tool_search.costs import measure as measure_tools

PLATFORM = "cli"


@dataclass(frozen=True, slots=True)
class PromptSize:
    """Everything that `prompt-size` reports. `missing` says, per server, why its tools are not counted."""

    model: str
    window: int | None
    window_origin: str
    counter: TokenCounter
    sections: tuple[Section, ...]
    assembly: Assembly
    costs: Costs
    missing: tuple[str, ...] = ()
    offline: bool = False

    @property
    def system_prompt(self) -> str:
        return compose(self.sections)

    @property
    def tokens(self) -> int:
        """Tokens of prompt and tools together, as they are sent."""
        return self.counter.count(self.system_prompt) + self.costs.total.tokens

    @property
    def tokens_without_deferral(self) -> int:
        return self.tokens - self.costs.total.tokens + self.costs.eager.tokens


def measure(
    model: str,
    window: int | None,
    window_origin: str,
    counter: TokenCounter,
    sections: tuple[Section, ...],
    assembly: Assembly,
    *,
    missing: Sequence[str] = (),
    offline: bool = False,
) -> PromptSize:
    """Count what `sections` and `assembly` cost; slow for thousands of tools, see `tool_search.costs.measure`."""
    costs = measure_tools(assembly, counter)
    return PromptSize(model, window, window_origin, counter, sections, assembly, costs, tuple(missing), offline)


def to_json(size: PromptSize) -> dict[str, Any]:
    """The report as JSON; `platform`, `model`, `system_prompt` and `tools` stand as in other shells' reports."""
    prompt, costs, assembly = size.system_prompt, size.costs, size.assembly
    listing = assembly.listing
    return {
        "platform": PLATFORM,
        "model": size.model,
        "system_prompt": {"chars": len(prompt), "bytes": len(utf8(prompt)), "tokens": size.counter.count(prompt)},
        "tools": _cost(costs.total),
        "total_tokens": size.tokens,
        "counted_by": size.counter.method,
        "exact": size.counter.exact,
        "context": {"tokens": size.window, "origin": size.window_origin},
        "sections": [_section(section, size.counter) for section in size.sections],
        "sources": [{"source": s.label, "kind": s.kind, **_cost(cost)} for s, cost in costs.sources],
        "deferred": _cost(costs.deferred),
        "tool_search": {
            "enabled": assembly.activation.enabled,
            "active": assembly.activation.active,
            "tier": assembly.tier,
            "why": str(assembly.activation),
        },
        "listing": {
            "form": listing.form if listing else "none",
            "tokens": listing.tokens if listing else 0,
            "budget": assembly.budget,
            "groups": [
                {"source": group.label, "form": group.form, "count": group.count, "tokens": group.tokens}
                for group in (listing.groups if listing else ())
            ],
        },
        "without_deferral": {"tools": _cost(costs.eager), "total_tokens": size.tokens_without_deferral},
        "saved": saving(size),
        "missing": list(size.missing),
        "offline": size.offline,
    }


def saving(size: PromptSize) -> dict[str, Any]:
    """What deferral keeps out of every request; negative when it costs more than it saves."""
    tokens = size.costs.eager.tokens - size.costs.total.tokens
    return {
        "tokens": tokens,
        "json_bytes": size.costs.eager.bytes - size.costs.total.bytes,
        "percent_of_tools": round(100 * tokens / size.costs.eager.tokens, 1) if size.costs.eager.tokens else 0.0,
    }


def _cost(cost: Cost) -> dict[str, int]:
    return {"count": cost.count, "json_bytes": cost.bytes, "tokens": cost.tokens}


def _section(section: Section, counter: TokenCounter) -> dict[str, Any]:
    return {
        "name": section.name,
        "source": str(section.source) if section.source else None,
        "chars": len(section.text),
        "bytes": len(utf8(section.text)),
        "tokens": counter.count(section.text),
    }


_COMPARED = (
    ("system_prompt", "tokens"),
    ("system_prompt", "bytes"),
    ("tools", "count"),
    ("tools", "json_bytes"),
    ("tools", "tokens"),
    ("deferred", "count"),
    ("listing", "tokens"),
)


def difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """Each compared figure before and after, with the change. Raises `UsageError` when `before` is no report."""
    try:
        pairs = {f"{part}.{name}": (before[part][name], after[part][name]) for part, name in _COMPARED}
        pairs["total_tokens"] = (before["total_tokens"], after["total_tokens"])
        return {name: {"before": old, "after": new, "change": new - old} for name, (old, new) in pairs.items()}
    except (KeyError, TypeError) as error:
        what = error if isinstance(error, KeyError) else "figures where they belong"
        raise UsageError(
            f"the saved report has no {what}", mend="Write it anew with `hermes-lite prompt-size --save FILE`."
        ) from error
