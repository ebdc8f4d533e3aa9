"""The way back can be copied and run where it stands."""

import sys
from pathlib import Path

import pytest

from hermes_lite.ui.way_back import command_here, way_back
from tests.ui.scrollback import shown

SESSION = "20261130-124052-06500c"


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program that was started by its path, in a folder that PATH does not hold."""
    script = tmp_path / "my clone" / "bin" / "hermes-lite"
    script.parent.mkdir(parents=True)
    script.touch(mode=0o755)
    monkeypatch.setattr(sys, "argv", [str(script)])
    monkeypatch.setenv("PATH", "")
    monkeypatch.chdir(tmp_path)
    return script


def test_what_path_leads_to_is_called_by_its_name(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(script.parent))
    assert command_here() == "hermes-lite"


def test_what_path_does_not_lead_to_is_called_by_its_place(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert command_here() == "'my clone/bin/hermes-lite'"
    monkeypatch.chdir("/")
    assert command_here() == f"'{str(script).removeprefix('/')}'"


def test_another_program_of_the_name_on_path_is_not_meant(
    script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "hermes-lite"
    other.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert command_here() == "'my clone/bin/hermes-lite'"


def test_a_module_is_called_through_its_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/somewhere/hermes_lite/__main__.py"])
    assert command_here().endswith(" -m hermes_lite")


@pytest.mark.parametrize("width", (40, 80))
def test_the_command_stands_in_one_piece(script: Path, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("PATH", str(script.parent))
    text = shown(way_back(SESSION, width), width)
    assert text.startswith("To go on:")
    assert f"hermes-lite -r {SESSION}\n" in text
