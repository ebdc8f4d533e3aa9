"""Questions that a tool puts to the person (`clarify`): choices by number or word, or free text."""

from rich.text import Text

from hermes_lite.text import harmless, one_line
from hermes_lite.tools.spec import Question
from hermes_lite.ui.terminal import Say, Terminal


class TerminalAsk:
    """The `Ask` of a session with a screen. `None` when the person pressed Esc or sent nothing."""

    def __init__(self, terminal: Terminal, say: Say) -> None:
        self._terminal = terminal
        self._say = say

    async def __call__(self, question: Question) -> str | None:
        self._say(question_text(question))
        typed = await self._terminal.answer("your answer › " if not question.choices else "number or words › ")
        return choice(question, typed) if typed and typed.strip() else None


def question_text(question: Question) -> Text:
    """The question with its numbered choices."""
    text = Text("? ", style="accent").append(harmless(question.text), "bold")
    for number, option in enumerate(question.choices, 1):
        text.append(f"\n  {number}", "accent").append(f" {one_line(option)}", "none")
    return text


def choice(question: Question, typed: str) -> str:
    """The choice that `typed` names by number or by itself in any case; else what was typed."""
    typed = typed.strip()
    if typed.isdecimal() and 1 <= int(typed) <= len(question.choices):
        return question.choices[int(typed) - 1]
    return next((option for option in question.choices if option.casefold() == typed.casefold()), typed)
