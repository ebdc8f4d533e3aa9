"""The `tools.tool_search` section of the configuration as a value."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Enabled: TypeAlias = Literal["auto", "on", "off"]
Strategy: TypeAlias = Literal["bridge", "activate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSearchSettings:
    """Field for field the keys of `config_defaults.yaml`; the defaults stand there and nowhere else."""

    enabled: Enabled
    strategy: Strategy
    threshold_pct: float
    search_default_limit: int
    max_search_limit: int
    listing: Literal["auto", "off"]
    listing_max_tokens: int
    search_budget: int
    pin: tuple[str, ...]
    defer: tuple[str, ...]

    @classmethod
    def of(cls, section: Mapping[str, Any]) -> "ToolSearchSettings":
        """Read the validated section `tools.tool_search`; a missing key raises `KeyError`."""
        return cls(
            enabled=section["enabled"],
            strategy=section["strategy"],
            threshold_pct=section["threshold_pct"],
            search_default_limit=section["search_default_limit"],
            max_search_limit=section["max_search_limit"],
            listing=section["listing"],
            listing_max_tokens=section["listing_max_tokens"],
            search_budget=section["search_budget"],
            pin=tuple(section["pin"]),
            defer=tuple(section["defer"]),
        )
