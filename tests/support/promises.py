"""Ties a test to the promises of the design that it keeps."""

import tomllib
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "behaviour" / "promises"


def promise(*ids: str) -> pytest.MarkDecorator:
    """Mark a test with the ids, from `tests/behaviour/promises/*.toml`, of what it shows."""
    return pytest.mark.promise(*ids)


def known() -> dict[str, str]:
    """Every promise id and its sentence."""
    found: dict[str, str] = {}
    for file in sorted(FOLDER.glob("*.toml")):
        for key, sentence in tomllib.loads(file.read_text(encoding="utf-8")).items():
            if key in found:
                raise ValueError(f"{file.name}: promise {key} stands twice")
            found[key] = sentence
    return found
