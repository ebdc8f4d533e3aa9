"""The events that hooks can see, and the names that other shells give them: the one table of that vocabulary.

A block of hooks is copied from shell to shell, so each name of an event is a key under `agent.hooks` of its own; what
stands under several names of one event is run together. An event that only another shell has stands nowhere here.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias, get_args

Event: TypeAlias = Literal["pre_tool_call", "post_tool_call", "session_start", "session_end", "user_prompt"]
EVENTS: tuple[Event, ...] = get_args(Event)
LONGEST_TIMEOUT = 600


class EventName(NamedTuple):
    """A name of `event`; a timeout that stands under it counts `ticks` for a second."""

    event: Event
    ticks: int = 1


_MILLISECONDS = 1000
EVENT_NAMES: Mapping[str, EventName] = {
    **{event: EventName(event) for event in EVENTS},
    "on_session_start": EventName("session_start"),
    "on_session_end": EventName("session_end"),
    "PreToolUse": EventName("pre_tool_call"),
    "PostToolUse": EventName("post_tool_call"),
    "UserPromptSubmit": EventName("user_prompt"),
    "SessionStart": EventName("session_start"),
    "SessionEnd": EventName("session_end"),
    "BeforeTool": EventName("pre_tool_call", _MILLISECONDS),
    "AfterTool": EventName("post_tool_call", _MILLISECONDS),
    "BeforeAgent": EventName("user_prompt", _MILLISECONDS),
}


def other_names(event: str) -> tuple[str, ...]:
    return tuple(name for name, known in EVENT_NAMES.items() if known.event == event != name)
