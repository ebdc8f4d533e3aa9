"""Unified diffs: found in a tool's text or made from two versions, coloured, folded."""

import difflib
import re

from rich.text import Text

from hermes_lite.text import harmless
from hermes_lite.ui.cells import clip

_HUNK = re.compile(r"^@@ -\d+(,\d+)? \+\d+(,\d+)? @@", re.MULTILINE)
_FILE = re.compile(r"^--- ", re.MULTILINE)
_STYLES = {"+": "good", "-": "bad", "@": "accent"}


def diff_in(text: str) -> str | None:
    """The unified diff that `text` contains, from its first file header on; `None` when there is none."""
    hunk = _HUNK.search(text)
    if hunk is None:
        return None
    header = _FILE.search(text, 0, hunk.start())
    return text[header.start() if header else hunk.start() :]


def diff_of(path: str, before: str, after: str) -> str:
    """What changes in `path`, as a unified diff with its file header; empty when nothing does."""
    return "\n".join(difflib.unified_diff(_lines(before), _lines(after), path, path, lineterm="", n=3))


def _lines(text: str) -> list[str]:
    # `splitlines` would swallow carriage returns and the line breaks of Unicode, which a reader has to see.
    return text.removesuffix("\n").split("\n") if text else []


def unfolded_lines(lines: int, limit: int) -> int:
    """How many of `lines` are shown before the rest is folded: `limit`, unless a single one would be left."""
    return lines if lines <= limit + 1 and limit else min(lines, limit)


def folded_diff(diff: str, limit: int | None, width: int | None) -> Text:
    """A head with the counts, then at most `limit` coloured lines, each cut to `width` cells (`None`: all of it)."""
    lines = harmless(diff).expandtabs(4).rstrip("\n").split("\n")
    body = [line for line in lines if not line.startswith(("--- ", "+++ "))]
    added = sum(line.startswith("+") for line in body)
    removed = sum(line.startswith("-") for line in body)
    text = Text("  ", no_wrap=width is not None, overflow="crop" if width else "fold")
    text.append(f"+{added}", "good").append(" ").append(f"-{removed}", "bad")
    shown_lines = len(body) if limit is None else unfolded_lines(len(body), limit)
    for line in body[:shown_lines]:
        shown = clip(line, width - 2) if width else line
        text.append("\n  ").append(shown, _STYLES.get(line[:1], "faint"))
    if shown_lines < len(body):
        more = f"… +{len(body) - shown_lines} lines (Ctrl-O)"
        text.append("\n  ").append(clip(more, width - 2) if width else more, "faint")
    return text
