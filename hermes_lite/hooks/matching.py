"""Which calls a hook is about: the matchers that people write here and bring from other shells.

`terminal|mcp__git__*` are names and globs over the whole name, a comma being as good as a bar. With any other
character it is a regular expression that may be found anywhere in the name, as the other shells read it. A tool is
known under the names that they give to theirs as well, so that a guard which was brought along does not sleep.
"""

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase

_GLOBS = re.compile(r"[\w*?|, -]*")
_BETWEEN = re.compile(r"[|,]")
_ELSEWHERE: Mapping[str, tuple[str, ...]] = {
    "terminal": ("Bash", "run_shell_command"),
    "read_file": ("Read",),
    "write_file": ("Write",),
    "patch": ("Edit", "MultiEdit", "replace"),
    "search_files": ("Grep", "Glob", "grep_search", "search_file_content", "glob"),
    "web_fetch": ("WebFetch",),
    "todo_list": ("TodoWrite", "write_todos"),
    "clarify": ("AskUserQuestion", "ask_user"),
}


def matches(matcher: str, name: str) -> bool:
    """Whether `matcher` covers the tool `name`; an empty one covers every tool, and so does one that is broken."""
    return any(_fits(matcher, known) for known in (name, *_ELSEWHERE.get(name, ())))


def _fits(matcher: str, name: str) -> bool:
    if _GLOBS.fullmatch(matcher):
        return not matcher.strip() or any(fnmatchcase(name, each.strip()) for each in _BETWEEN.split(matcher))
    try:
        return re.search(matcher, name) is not None
    except re.error:
        return True  # a guard whose matcher is broken guards everything
