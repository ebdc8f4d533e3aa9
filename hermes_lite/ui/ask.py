"""Questions that a tool or a server puts to the person: choices by number or word, or free text."""

from rich.console import Group, RenderableType
from rich.text import Text

from hermes_lite.text import harmless, one_line
from hermes_lite.tools.spec import Question
from hermes_lite.ui.hanging import Hanging
from hermes_lite.ui.questions import Questions


class TerminalAsk:
    """The `Ask` of a session with a screen. `None` when the person pressed Esc; a blank line is a blank answer."""

    def __init__(self, questions: Questions) -> None:
        self._questions = questions

    async def __call__(self, question: Question) -> str | None:
        hint = "number or words › " if question.choices else "your answer › "
        typed = await self._questions.put(question_text(question), hint)
        return None if typed is None else choice(question, typed)


def question_text(question: Question) -> RenderableType:
    """The question with its numbered choices."""
    choices = enumerate(question.choices, 1)
    return Group(
        Hanging("? ", Text(harmless(question.text), style="bold"), "accent"),
        *(Hanging(f"  {number} ", Text(one_line(option)), "accent") for number, option in choices),
    )


def choice(question: Question, typed: str) -> str:
    """The choice that `typed` names by number or by itself in any case; else what was typed."""
    typed = typed.strip()
    if typed.isdecimal() and 1 <= int(typed) <= len(question.choices):
        return question.choices[int(typed) - 1]
    return next((option for option in question.choices if option.casefold() == typed.casefold()), typed)
