"""The `model` section of the configuration as a value."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """Field for field the keys of `config_defaults.yaml`; the defaults stand there and nowhere else.

    Times are seconds. `context_length` is `None` for `auto`.
    """

    default: str
    base_url: str
    api_key_env: str
    context_length: int | None
    timeout: float
    connect_timeout: float
    max_retries: int
    retry_cap_seconds: float
    text_tool_calls: Literal["auto", "off"]
    local_servers: tuple[str, ...]
    probe_timeout: float

    @classmethod
    def of(cls, section: Mapping[str, Any]) -> "ModelSettings":
        """Read the validated section `model`; a missing key raises `KeyError`."""
        length = section["context_length"]
        return cls(
            default=section["default"],
            base_url=section["base_url"],
            api_key_env=section["api_key_env"],
            context_length=None if length == "auto" else int(length),
            timeout=section["timeout"],
            connect_timeout=section["connect_timeout"],
            max_retries=section["max_retries"],
            retry_cap_seconds=section["retry_cap_seconds"],
            text_tool_calls=section["text_tool_calls"],
            local_servers=tuple(section["local_servers"]),
            probe_timeout=section["probe_timeout"],
        )
