"""The `ui` section of the configuration as a value."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hermes_lite.ui.look import Plain


@dataclass(frozen=True, slots=True, kw_only=True)
class UiSettings:
    """Field for field the keys of `config_defaults.yaml`; the defaults stand there and nowhere else."""

    plain: Plain
    preview_lines: int
    diff_lines: int

    @classmethod
    def of(cls, section: Mapping[str, Any]) -> "UiSettings":
        """Read the validated section `ui`; a missing key raises `KeyError`."""
        return cls(plain=section["plain"], preview_lines=section["preview_lines"], diff_lines=section["diff_lines"])
