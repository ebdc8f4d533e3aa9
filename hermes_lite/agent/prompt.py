"""The system prompt as named, measured sections. It is composed once per session and frozen with it."""

import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from hermes_lite.config.source import content_of
from hermes_lite.paths import Project
from hermes_lite.text import clean_surrogates, harmless

INSTRUCTIONS_LIMIT = 32_000

IDENTITY = """\
You are the assistant inside hermes-lite, an agent shell in a person's terminal. You act through tools: files, a
shell, and whatever servers and accounts the person has attached.

- Do the work; do not describe how it could be done. Look before you change, and check what you did.
- Prefer the tool made for the job over a shell command that imitates it.
- Tools that are not listed with parameters wait behind `tool_search`; what its catalogue lists is available.
- Ask with `clarify` when a choice is the person's to make. Never invent a result.
- A denied call is the person's decision: do not try another way around it.
- Answer in the person's language, briefly, in Markdown."""


@dataclass(frozen=True, slots=True)
class Section:
    """One named part of the system prompt; `source` is the file it was read from, if any."""

    name: str
    text: str
    source: Path | None = None


def sections(cwd: Path, today: date, project: Project) -> tuple[Section, ...]:
    """The sections of a session that starts in `cwd` on `today`; `AGENTS.md` files are read here and only here."""
    fixed = (Section("identity", IDENTITY), Section("environment", _environment(cwd, today)))
    return (*fixed, *_instructions(project))


def compose(parts: Sequence[Section]) -> str:
    """The system prompt as it is sent."""
    return "\n\n".join(part.text for part in parts)


def _environment(cwd: Path, today: date) -> str:
    system = f"{platform.system()} {platform.machine()}"
    return clean_surrogates(f"# Environment\nWorking folder: {cwd}\nSystem: {system}\nDate: {today:%Y-%m-%d}")


def _instructions(project: Project) -> tuple[Section, ...]:
    """The `AGENTS.md` files that hold for the project, the nearest last. The nearest take their room first."""
    top = repository_root(project.root)
    room = INSTRUCTIONS_LIMIT
    found: list[Section] = []
    for file in (folder.agents_md for folder in _up_to(project, top) if folder.agents_md.is_file()):
        text = _read(file)
        shown = text if len(text) <= room else f"{text[:room]}\n[cut: it has {len(text):,} characters]"
        room = max(0, room - len(text))
        name = file.relative_to(top).as_posix()
        found.append(Section(f"instructions {name}", f"# Instructions from {name}\n{shown}", file))
    return tuple(reversed(found))


def repository_root(folder: Path) -> Path:
    """The nearest of `folder` and what is above it that is a repository's root; without one `folder` itself."""
    return next((place for place in (folder, *folder.parents) if (place / ".git").exists()), folder)


def _up_to(project: Project, top: Path) -> Iterator[Project]:
    for folder in (project.root, *project.root.parents):
        yield Project(folder)
        if folder == top:
            return


def _read(file: Path) -> str:
    try:
        return harmless(content_of(file).decode("utf-8", "replace")).strip()
    except OSError as error:
        return f"(this file could not be read: {error.strerror})"
