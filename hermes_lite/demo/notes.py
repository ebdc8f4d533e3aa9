"""The demo server `notes`: Markdown notes in one folder, `python -m hermes_lite.demo.notes FOLDER`."""

import re
import sys
from pathlib import Path

from hermes_lite.demo.serving import ADDS, DESTROYS, READS, serve

_PREVIEW = 80


class Notes:
    """One file a note, named by its title. What a tool cannot do it says in a `ValueError`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add_note(self, title: str, text: str) -> str:
        """Write a new note, or add the text to the note that has this title already."""
        path = self._path(title)
        self._folder.mkdir(parents=True, exist_ok=True)
        before = path.read_text(encoding="utf-8").rstrip() + "\n\n" if path.exists() else f"# {title.strip()}\n\n"
        path.write_text(f"{before}{text.strip()}\n", encoding="utf-8")
        return f"kept in {path.name}"

    def list_notes(self) -> str:
        """List the titles of all notes with their first words."""
        return "\n".join(self._line(path) for path in self._files()) or "no notes yet"

    def read_note(self, title: str) -> str:
        """Read one note by its title."""
        return self._existing(title).read_text(encoding="utf-8")

    def search_notes(self, words: str) -> str:
        """Find the notes that hold all of these words, in any case and order."""
        wanted = words.lower().split()
        found = [
            path for path in self._files() if all(word in path.read_text(encoding="utf-8").lower() for word in wanted)
        ]
        return "\n".join(self._line(path) for path in found) or f"no note holds {words!r}"

    def delete_note(self, title: str) -> str:
        """Delete one note for good."""
        self._existing(title).unlink()
        return f"deleted {title!r}"

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob("*.md"))

    def _path(self, title: str) -> Path:
        name = re.sub(r"[^\w -]", "", title).strip().lower().replace(" ", "-")
        if not name:
            raise ValueError("a note needs a title with at least one letter or digit")
        return self._folder / f"{name[:80]}.md"

    def _existing(self, title: str) -> Path:
        path = self._path(title)
        if not path.exists():
            raise ValueError(
                f"no note {title!r}; there are: {', '.join(file.stem for file in self._files()) or 'none'}"
            )
        return path

    def _line(self, path: Path) -> str:
        title, _, text = path.read_text(encoding="utf-8").partition("\n")
        return f"{title.removeprefix('# ')}: {' '.join(text.split())[:_PREVIEW]}"


if __name__ == "__main__":
    notes = Notes(Path(sys.argv[1]))
    serve(
        "notes",
        (
            (notes.add_note, ADDS),
            (notes.list_notes, READS),
            (notes.read_note, READS),
            (notes.search_notes, READS),
            (notes.delete_note, DESTROYS),
        ),
        instructions="Short notes of the person, kept as Markdown files.",
    )
