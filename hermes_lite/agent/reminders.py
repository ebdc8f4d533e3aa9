"""The one reminder that a turn may give a model whose reply cannot stand as the answer."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from hermes_lite.agent.request import Reply
from hermes_lite.agent.turn import Turn

EMPTY_REPLY = "Your last reply was empty. Use a tool, or answer the person in words."
NOT_RUN = (
    "Your last tool call was NOT run (its result says why), and you did not call it again. "
    "Correct the call, or tell the person plainly that it was not done."
)
UNFINISHED_CALL = (
    "Your last reply holds a tool call written as text, which cannot be run. Use the tool interface to call it."
)
_TAGS = {"<tool_call>": "</tool_call>", "<function_call>": "</function_call>", "<function=": "</function>"}

_Test: TypeAlias = Callable[[Turn, Reply], bool]


def reminder(turn: Turn, reply: Reply) -> str | None:
    """What to tell the model before it is asked again; `None` when `reply`, which calls nothing, may stand."""
    if turn.reminded:
        return None
    return next((text for text, applies in _REMINDERS.items() if applies(turn, reply)), None)


def _leaves_a_call_open(reply: Reply) -> bool:
    """Whether a call was begun as text and never ended (S-C4 of the robustness page)."""
    text = reply.message.text
    return any(text.rfind(opening) > text.rfind(closing) for opening, closing in _TAGS.items())


_REMINDERS: Mapping[str, _Test] = {
    EMPTY_REPLY: lambda turn, reply: reply.is_empty,
    NOT_RUN: lambda turn, reply: turn.refused,
    UNFINISHED_CALL: lambda turn, reply: _leaves_a_call_open(reply),
}
