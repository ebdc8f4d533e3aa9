"""The question before a gated call: what would run, with every argument, and what each answer would allow.

Letters are the same in every question: y once, s this session, a always, n no. An answer is a letter and Enter;
Enter alone, Esc, or anything else is no. What needs a question, and what "always" stores, is decided by the gate.
"""

import json
import unicodedata
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from hermes_lite.tools.spec import ToolSpec
from hermes_lite.ui.diff import diff_of, folded_diff

Answer: TypeAlias = Literal["once", "session", "always", "no"]
_ANSWERS: Mapping[str, Answer] = {
    "y": "once",
    "yes": "once",
    "s": "session",
    "session": "session",
    "a": "always",
    "always": "always",
}
_UNSEEN = frozenset(("Cc", "Cf", "Cs", "Co", "Zl", "Zp"))
_BLANKS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
_FOLD = 24
_DIFF_LINES = 60
_LARGEST = 1_000_000


def answer_of(typed: str | None, rule: str) -> Answer:
    """What `typed` allows; without a rule to store there is no "always"."""
    answer = _ANSWERS.get((typed or "").strip().lower(), "no")
    return "no" if answer == "always" and not rule else answer


def question(row: ToolSpec, arguments: Mapping[str, Any], reason: str, rule: str, cwd: Path) -> RenderableType:
    """What would run and why it asks, then the letters. `rule` is what "always" would store; empty for none."""
    head = Text("? Run ", style="warn").append(visible(row.name), "bold").append("?")
    why = [Text(f"  {visible(reason)}", style="faint")] if reason else []
    return Group(head, arguments_shown(row, arguments, cwd), *why, choices(rule))


def choices(rule: str) -> RenderableType:
    """The letters with what they allow; "always" shows the exact rule."""
    offered = [("y", "once"), ("s", "for this session")]
    if rule:
        offered.append(("a", f"always: {visible(rule)}"))
    return Group(*(_choice(letter, told) for letter, told in [*offered, ("n", "no (Enter, Esc)")]))


def _choice(letter: str, told: str) -> Text:
    return Text("  ").append(letter, "bold accent").append(f" {told}")


def arguments_shown(row: ToolSpec, arguments: Mapping[str, Any], cwd: Path) -> RenderableType:
    """A diff for a call that writes a file, else each argument in full; only long secondary texts are folded."""
    for keys, diff in _DIFFS:
        if row.risk == "write" and keys <= arguments.keys():
            shown = diff(cwd, arguments)
            return Group(
                _argument(row.display.icon, arguments["path"], whole=True),
                folded_diff(visible(shown), _DIFF_LINES, None),
            )
    main = row.display.key_argument
    named = {row.display.icon if key == main else key: value for key, value in arguments.items()}
    return Group(*(_argument(key, value, whole=key == row.display.icon) for key, value in named.items()))


def _argument(key: str, value: object, *, whole: bool) -> RenderableType:
    text = visible(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    lines = text.split("\n")
    hidden = 0 if whole else max(0, len(lines) - _FOLD)
    if hidden:
        lines = [*lines[:_FOLD], f"… +{hidden} lines, {len(text)} characters in all"]
    name = visible(key)
    if len(lines) == 1:
        return Padding(Text(name, style="faint").append(f" {text}", "none"), (0, 0, 0, 2))
    return Group(Padding(Text(name, style="faint"), (0, 0, 0, 2)), Padding(Text("\n".join(lines)), (0, 0, 0, 4)))


def visible(text: str) -> str:
    """`text` with everything that does not show, or that moves what shows, written out as `<U+202E>`."""
    return "".join(f"<U+{ord(char):04X}>" if _is_unseen(char) else char for char in text.expandtabs(4))


def _is_unseen(char: str) -> bool:
    if char in " \n":
        return False
    category = unicodedata.category(char)
    return category in _UNSEEN or category == "Zs" or char in _BLANKS


def _written(cwd: Path, arguments: Mapping[str, Any]) -> str:
    return diff_of(str(arguments["path"]), _now(cwd, arguments), str(arguments["content"]))


def _replaced(cwd: Path, arguments: Mapping[str, Any]) -> str:
    old, new, before = str(arguments["old_text"]), str(arguments["new_text"]), _now(cwd, arguments)
    times = -1 if arguments.get("replace_all") is True else 1
    after = before.replace(old, new, times) if old and old in before else None
    return diff_of(str(arguments["path"]), *((old, new) if after is None else (before, after)))


def _now(cwd: Path, arguments: Mapping[str, Any]) -> str:
    """The file as it stands; empty when there is none, or it is no text of a size that a diff of it helps."""
    try:
        file = cwd / Path(str(arguments["path"])).expanduser()
        readable = file.is_file() and file.stat().st_size <= _LARGEST
        return file.read_text(encoding="utf-8", errors="replace") if readable else ""
    except (OSError, ValueError, RuntimeError):
        return ""


_DIFFS: tuple[tuple[frozenset[str], Callable[[Path, Mapping[str, Any]], str]], ...] = (
    (frozenset(("path", "content")), _written),
    (frozenset(("path", "old_text", "new_text")), _replaced),
)
