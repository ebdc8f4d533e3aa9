"""What a change of a file looks like, in few lines."""

from difflib import unified_diff

LINES_COMPARED = 10_000
LINES_SHOWN = 40


def describe(name: str, before: bytes | None, after: bytes) -> str:
    """One line that counts what was added and taken away, and the beginning of the unified diff."""
    new = _lines(after)
    if before is None:
        return f"Created {name} ({len(new)} lines)."
    if before == after:
        return f"{name} already held exactly this; nothing changed."
    old = _lines(before)
    if len(old) + len(new) > LINES_COMPARED:
        return f"Changed {name}: {len(old)} lines before, {len(new)} now."
    diff = list(unified_diff(old, new, lineterm="", n=2))[2:]
    added, removed = (sum(line.startswith(sign) for line in diff) for sign in "+-")
    more = [f"... {len(diff) - LINES_SHOWN} more lines of the diff"] if len(diff) > LINES_SHOWN else []
    return "\n".join([f"Changed {name}: +{added} -{removed} lines.", *diff[:LINES_SHOWN], *more])


def _lines(content: bytes) -> list[str]:
    text = content.decode("utf-8", "replace")
    return text.removesuffix("\n").split("\n") if text else []
