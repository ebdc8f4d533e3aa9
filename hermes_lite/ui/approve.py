"""The question before a gated call: what would run, with every argument, and what each answer would allow.

Letters are the same in every question: y once, s this session, a always, n no. An answer is a letter and Enter;
Enter alone, Esc, or anything else is no, and words go to the model as the reason. What needs a question, and what
"always" stores, is decided by the gate.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from hermes_lite.approvals.gate import Answer, ApprovalRequest, Choice
from hermes_lite.approvals.shown import visible
from hermes_lite.approvals.terms import CallFacts
from hermes_lite.tools.spec import Display, ToolSpec
from hermes_lite.ui.diff import diff_of, folded_diff, unfolded_lines
from hermes_lite.ui.hanging import Hanging
from hermes_lite.ui.questions import Questions

_LETTERS: Mapping[Choice, tuple[str, str]] = {
    "once": ("y", "once"),
    "session": ("s", "for this session"),
    "always": ("a", "always"),
    "no": ("n", "no (Enter, Esc), or say why not"),
}
_CHOICES: Mapping[str, Choice] = {letter: choice for choice, (letter, _) in _LETTERS.items()} | {
    "yes": "once",
    "session": "session",
    "always": "always",
    "no": "no",
}
_FOLD = 24
_DIFF_LINES = 60
_LARGEST = 1_000_000


class TerminalApprover:
    """The `Approver` of a session with a screen. `row_of` gives the row behind a tool's name."""

    def __init__(self, questions: Questions, row_of: Callable[[str], ToolSpec | None]) -> None:
        self._questions = questions
        self._row_of = row_of

    async def __call__(self, request: ApprovalRequest) -> Answer:
        row = self._row_of(request.call.name)
        whole = question(request, row.display if row else Display())
        folded = question(request, row.display if row else Display(), folded=self._questions.can_unfold)
        letters = "/".join(_LETTERS[choice][0] for choice in request.choices)
        return answer_of(await self._questions.put(folded, f"{letters} › ", whole), request.choices)


def answer_of(typed: str | None, choices: tuple[Choice, ...]) -> Answer:
    """What `typed` allows among `choices`. Words that are no choice are a "no" and the reason for it."""
    words = (typed or "").strip()
    choice = _CHOICES.get(words.lower())
    if choice is None:
        return Answer("no", words)
    return Answer(choice if choice in choices else "no")


def question(request: ApprovalRequest, display: Display, *, folded: bool = False) -> RenderableType:
    """What would run and why it asks, then the letters with the exact rules that they grant or store.

    `folded` shows only the beginning of a long diff and of a long side text.
    """
    head = Text("Run ", style="warn").append(visible(request.call.name), "bold").append("?")
    return Group(Hanging("? ", head, "warn"), _wanted(request, display, folded), *_why(request), *_choices(request))


def _wanted(request: ApprovalRequest, display: Display, folded: bool) -> RenderableType:
    """The whole command, or the diff of a written file, or each argument."""
    call = request.call
    if call.is_shell:
        command = _argument(display.icon, request.text)
        return Group(command, *_named(call, display, folded, leave=(display.key_argument,)))
    for keys, diff in _DIFFS:
        if call.risk == "write" and keys <= call.arguments.keys():
            limit = _DIFF_LINES if folded else None
            shown = folded_diff(visible(diff(call.cwd, call.arguments)), limit, None)
            path = _argument(display.icon, visible(str(call.arguments["path"])))
            return Group(path, *_named(call, display, folded, leave=keys), shown)
    return Group(*_named(call, display, folded))


def _named(
    call: CallFacts, display: Display, folded: bool, leave: Collection[str | None] = ()
) -> Iterator[RenderableType]:
    """Each argument under its name, but for those that are shown already; the one that says most is never folded."""
    for key, value in call.arguments.items():
        if key not in leave:
            yield _argument(visible(key), visible(_text(value)), folded=folded and key != display.key_argument)


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _argument(name: str, text: str, *, folded: bool = False) -> RenderableType:
    lines = text.expandtabs(4).split("\n")
    shown = unfolded_lines(len(lines), _FOLD) if folded else len(lines)
    if shown < len(lines):
        lines = [*lines[:shown], f"… +{len(lines) - shown} lines, {len(text)} characters in all (Ctrl-O)"]
    head = Text().append(name, "faint")
    if len(lines) == 1:
        return _indented(head.append(f" {lines[0]}"), 2)
    return Group(_indented(head, 2), _indented(Text("\n".join(lines)), 4))


def _indented(text: Text, cells: int) -> RenderableType:
    return Padding(text, (0, 0, 0, cells))


def _why(request: ApprovalRequest) -> Iterator[RenderableType]:
    reason = request.reason.removesuffix(f": {request.text}")
    if reason:
        yield _indented(Text(reason, style="faint"), 2)
    if request.hidden:
        yield _indented(Text("It holds hidden characters, written out above.", style="bad"), 2)


def _choices(request: ApprovalRequest) -> Iterator[RenderableType]:
    for choice in request.choices:
        letter, told = _LETTERS[choice]
        rules = request.rules if choice == "always" else ()
        yield Hanging(f"  {letter} ", Text(f"{told}: {'; '.join(rules)}" if rules else told), "bold accent")


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
