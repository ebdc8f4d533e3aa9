"""What a session has cost and what fills the model's window, in the tokens of the session's counter."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from hermes_lite.agent.compaction import body
from hermes_lite.agent.prompt import Section
from hermes_lite.messages import AssistantMessage, Message, NoticeMessage, ToolMessage, UserMessage
from hermes_lite.model.windows import Window
from hermes_lite.prompt_size import PromptSize
from hermes_lite.runtime.views import ContextReport, ContextRow, CostReport
from hermes_lite.text import utf8
from hermes_lite.tool_search.assemble import Assembly

_KINDS: tuple[tuple[str, type[Message]], ...] = (
    ("you", UserMessage),
    ("assistant", AssistantMessage),
    ("tool results", ToolMessage),
    ("notices", NoticeMessage),
)


def facts(assembly: Assembly) -> Mapping[str, Any]:
    """How the array of a session came about, as JSON for the records of its turns."""
    activation, listing = assembly.activation, assembly.listing
    return {
        "tier": assembly.tier,
        "direct": len(assembly.direct),
        "deferred": activation.deferred,
        "awaited": list(activation.awaited),
        "listing": listing.form if listing else "",
        "listing_tokens": listing.tokens if listing else 0,
        "listing_budget": activation.budget,
        "array_bytes": len(utf8(assembly.array_json)),
        "counted_by": activation.counted_by,
    }


def cost_report(model: str, turns: Sequence[Mapping[str, Any]]) -> CostReport:
    """The sum of what was recorded of each turn; undone and condensed ones were paid for too."""

    def total(key: str) -> int:
        return sum(turn["usage"][key] or 0 for turn in turns)

    prices = [turn["usd"] for turn in turns]
    return CostReport(
        model=model,
        requests=sum(turn["requests"] for turn in turns),
        input_tokens=total("input_tokens"),
        output_tokens=total("output_tokens"),
        cached_tokens=total("cached_tokens"),
        usd=sum(prices) if prices and None not in prices else None,
    )


def context_report(size: PromptSize, messages: Iterable[Message], window: Window, growths: int) -> ContextReport:
    """The bars of `/context` for a session whose fixed part is `size`; found tools joined it `growths` times."""
    rows = (*_prompt(size), *_tools(size), *_history(size, tuple(messages)))
    saved = size.costs.eager.tokens - size.costs.total.tokens
    return ContextReport(
        rows=rows,
        used=sum(row.tokens for row in rows),
        window=window.tokens,
        window_origin=window.origin,
        counter=size.counter.method,
        deferred_tools=size.costs.deferred.count,
        deferred_tokens=size.costs.deferred.tokens,
        saved_tokens=saved,
        activation=str(size.assembly.activation) + _growth(growths),
    )


def _growth(times: int) -> str:
    """What strategy `activate` has cost (T-D11 of the robustness page)."""
    return f"; found tools joined the array {times} times, each broke the prompt cache once" if times else ""


def _prompt(size: PromptSize) -> Iterator[ContextRow]:
    def detail(section: Section) -> str:
        return section.source.name if section.source else ""

    for section in size.sections:
        yield ContextRow(f"prompt: {section.name}", size.counter.count(section.text), detail(section))


def _tools(size: PromptSize) -> Iterator[ContextRow]:
    listing = size.assembly.listing
    listed = listing.tokens if listing else 0
    bridge = sum(cost.tokens for source, cost in size.costs.sources if source.kind == "bridge")
    direct = size.costs.total.tokens - bridge
    yield ContextRow("direct tools", direct, f"{len(size.assembly.direct)} tools")
    if bridge:
        yield ContextRow("bridge", bridge - listed, "search, describe, call")
    if listing and listed:
        yield ContextRow("listing", listed, f"{size.costs.deferred.count} tools, {listing.form}")


def _history(size: PromptSize, messages: tuple[Message, ...]) -> Iterator[ContextRow]:
    for label, kind in _KINDS:
        own = [message for message in messages if isinstance(message, kind)]
        if own:
            tokens = sum(size.counter.count(body(message)) for message in own)
            yield ContextRow(label, tokens, f"{len(own)} message{'s' if len(own) > 1 else ''}")
