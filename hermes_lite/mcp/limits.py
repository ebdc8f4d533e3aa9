"""The bounds that every server lives within, read from the `mcp` section of the configuration."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

MEBIBYTE = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Times are seconds, sizes are mebibytes. Every value comes from `config_defaults.yaml` or the person."""

    concurrent_starts: int
    connect_timeout: float
    call_timeout: float
    call_most: float
    stop_grace: float
    keepalive: float
    reconnect_first: float
    reconnect_most: float
    reconnect_tries: int
    line_limit: float
    log_limit: float

    @classmethod
    def read(cls, section: Mapping[str, Any]) -> "Limits":
        """Take this class's keys out of `section`; a missing one raises `KeyError` with its name."""
        return cls(**{item.name: section[item.name] for item in fields(cls)})
