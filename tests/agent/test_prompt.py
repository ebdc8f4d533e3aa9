"""The sections of the system prompt, AGENTS.md files among them."""

from datetime import date
from pathlib import Path

import pytest

from hermes_lite.agent.prompt import INSTRUCTIONS_LIMIT, Section, compose, repository_root, sections
from hermes_lite.paths import Project
from tests.support.promises import promise

TODAY = date(2026, 1, 2)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / "lib" / "deep").mkdir(parents=True)
    (tmp_path / "AGENTS.md").write_text("Above the repository: not ours.", encoding="utf-8")
    return tmp_path / "repo"


def of(cwd: Path) -> tuple[Section, ...]:
    return sections(cwd, TODAY, Project(cwd))


def names(cwd: Path) -> list[str]:
    return [section.name for section in of(cwd)]


@promise("PROMPT-1")
def test_every_agents_md_up_to_the_repository_root_is_a_section_and_the_nearest_is_last(repository: Path) -> None:
    for folder in (repository, repository / "lib" / "deep"):
        (folder / "AGENTS.md").write_text(f"Rules of {folder.name}.", encoding="utf-8")
    found = of(repository / "lib" / "deep")[2:]
    assert [section.name for section in found] == ["instructions AGENTS.md", "instructions lib/deep/AGENTS.md"]
    assert [section.source for section in found] == [
        repository / "AGENTS.md",
        repository / "lib" / "deep" / "AGENTS.md",
    ]
    assert found[1].text == "# Instructions from lib/deep/AGENTS.md\nRules of deep."
    assert "not ours" not in compose(of(repository / "lib" / "deep"))


@promise("PROMPT-1")
def test_outside_a_repository_only_the_working_folder_counts(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "AGENTS.md").write_text("Far away.", encoding="utf-8")
    assert repository_root(tmp_path / "inner") == tmp_path / "inner"
    assert names(tmp_path / "inner") == ["identity", "environment"]
    assert names(tmp_path) == ["identity", "environment", "instructions AGENTS.md"]


def test_all_instructions_share_one_cap_and_the_nearest_keeps_its_room(repository: Path) -> None:
    (repository / "AGENTS.md").write_text("f" * 20_000, encoding="utf-8")
    (repository / "lib" / "AGENTS.md").write_text("n" * 30_000, encoding="utf-8")
    far, near = of(repository / "lib")[2:]
    assert near.text.count("n") > 30_000
    assert "[cut: it has 20,000 characters]" in far.text
    assert len(far.text) + len(near.text) < INSTRUCTIONS_LIMIT + 300


def test_a_file_that_cannot_be_read_is_noted(repository: Path) -> None:
    (repository / "AGENTS.md").symlink_to("/proc/self/mem")
    assert "could not be read" in of(repository)[-1].text


def test_bytes_that_are_no_text_and_hidden_characters_do_no_harm(repository: Path) -> None:
    (repository / "AGENTS.md").write_bytes(b"plain \xff " + "\u202egnihton\u200b \x1b[2J".encode())
    text = of(repository)[-1].text
    text.encode("utf-8")
    assert not set(text) & set("\u202e\u200b\x1b")


def test_a_folder_of_that_name_is_no_instruction(repository: Path) -> None:
    (repository / "AGENTS.md").mkdir()
    assert names(repository) == ["identity", "environment"]


def test_the_prompt_depends_on_place_and_day_alone(repository: Path) -> None:
    assert compose(of(repository)) == compose(of(repository))
    assert "Date: 2026-01-02" in compose(of(repository))
