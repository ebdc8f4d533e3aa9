"""The lines a person has typed, kept in one file of the home folder for Up, Down and Ctrl-R."""

import re
from collections.abc import Iterable
from pathlib import Path

from prompt_toolkit.history import History

from hermes_lite.text import clean_surrogates

_KEPT = 5000
_ESCAPES = (("\\", "\\\\"), ("\n", "\\n"))
_SECRET = re.compile(
    r"\b(sk|pk|ghp|gho|ghs|github_pat|glpat|xox[abpr]|AKIA|AIza|hf)[-_]?[A-Za-z0-9_-]{16,}"
    r"|\b\w*(api[_-]?key|token|secret|passw(or)?d)\w*\s*[=:]\s*\S{6,}"
    r"|\bBearer\s+\S{12,}",
    re.IGNORECASE,
)


class LineHistory(History):
    """One entry a line, readable by the owner only. Lines that begin with a space or hold a secret are not kept."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._file = file

    def load_history_strings(self) -> Iterable[str]:
        """The entries, newest first; none when the file is not there or cannot be read."""
        try:
            lines = self._file.read_text(encoding="utf-8", errors="replace").rstrip("\n").split("\n")
        except OSError:
            return []
        return [_unescaped(line) for line in reversed(lines[-_KEPT:])]

    def store_string(self, string: str) -> None:
        """Append one entry. A home folder that cannot be written loses the line, never the chat."""
        if string.startswith((" ", "\t")) or _SECRET.search(string):
            return
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._file.touch(mode=0o600)
            with self._file.open("a", encoding="utf-8") as file:
                file.write(_escaped(clean_surrogates(string)) + "\n")
        except OSError:
            return


def _escaped(text: str) -> str:
    for plain, escape in _ESCAPES:
        text = text.replace(plain, escape)
    return text


def _unescaped(text: str) -> str:
    return re.sub(r"\\([\\n])", lambda found: "\n" if found[1] == "n" else "\\", text)
