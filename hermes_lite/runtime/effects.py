"""What a person configured about tools and what names none: entries of `pin` and `defer`, and rules of approvals."""

from typing import Literal

from hermes_lite.approvals.policy import Policy, unmatched
from hermes_lite.config import Config
from hermes_lite.tool_search.classify import classify
from hermes_lite.tool_search.settings import ToolSearchSettings
from hermes_lite.tools.registry import Scope

_LISTS: tuple[Literal["pin", "defer"], ...] = ("pin", "defer")
_KNOWN = frozenset(("ready", "disabled"))


def is_whole(everything: Scope) -> bool:
    """Whether every source is there; as long as one is not, a tool that is named may be its."""
    return all(status.state in _KNOWN for status in everything.statuses)


def without_effect(config: Config, everything: Scope) -> tuple[str, ...]:
    """A line for each that names no tool of `everything`, or changes nothing; what ships as a default is left out."""
    split = classify(everything.rows, ToolSearchSettings.of(config.section("tools.tool_search")))
    written = [key for key in _LISTS if config.origin(f"tools.tool_search.{key}").layer != "defaults"]
    rules = unmatched(Policy.of(config.section("agent.approvals")), [row.name for row in everything.rows])
    return (
        *(line for key in written for line in split.without_effect(key)),
        *(f"the rule `{rule}` names no tool" for rule in rules),
    )
