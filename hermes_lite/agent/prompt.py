"""The system prompt as named, measured sections. It is composed once per session and frozen with it."""

import platform
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from hermes_lite.paths import Project
from hermes_lite.text import clean_surrogates

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
    """The sections of a session that starts in `cwd` on `today`; `AGENTS.md` is read here and only here."""
    found = [Section("identity", IDENTITY), Section("environment", _environment(cwd, today))]
    if project.agents_md.is_file():
        found.append(_instructions(project.agents_md))
    return tuple(found)


def compose(parts: tuple[Section, ...]) -> str:
    """The system prompt as it is sent."""
    return "\n\n".join(part.text for part in parts)


def _environment(cwd: Path, today: date) -> str:
    system = f"{platform.system()} {platform.machine()}"
    return clean_surrogates(f"# Environment\nWorking folder: {cwd}\nSystem: {system}\nDate: {today:%Y-%m-%d}")


def _instructions(file: Path) -> Section:
    text = file.read_text(encoding="utf-8", errors="replace")
    if len(text) > INSTRUCTIONS_LIMIT:
        text = text[:INSTRUCTIONS_LIMIT] + f"\n[cut: {file.name} has {len(text)} characters]"
    return Section("instructions", f"# Instructions from {file.name}\n{text.strip()}", file)
