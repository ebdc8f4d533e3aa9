"""Ties a test to the promises of the design that it keeps."""

import tomllib
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "behaviour" / "promises"


def promise(*ids: str) -> pytest.MarkDecorator:
    """Mark a test with the ids, from `tests/behaviour/promises/*.toml`, of what it shows."""
    return pytest.mark.promise(*ids)


def known() -> dict[str, str]:
    """Every promise id and its sentence. A case that two parts keep stands in the file of each."""
    found: dict[str, str] = {}
    for file in sorted(FOLDER.glob("*.toml")):
        found |= tomllib.loads(file.read_text(encoding="utf-8"))
    return found
