"""What happens during a session, as a closed union of small values.

The loop pushes events into a `Sink`; the screen, the JSON-lines output and the session store are consumers of the
same stream. An end event carries the final value, so a consumer that only reads end events misses nothing.
A sink must not block and must not raise; the loop guards itself against one that does.
Every event has a `type` tag; these tags are public (`--output-format stream-json`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from hermes_lite.messages import AssistantMessage, Usage, Via

TurnEnd: TypeAlias = Literal["answered", "interrupted", "failed", "denied", "limit"]
CallOutcome: TypeAlias = Literal["ok", "error", "denied", "interrupted", "refused"]


@dataclass(frozen=True, slots=True)
class TurnStarted:
    turn: int
    text: str
    type: Literal["turn_started"] = "turn_started"


@dataclass(frozen=True, slots=True)
class RequestStarted:
    """A model request is about to be sent. `step` counts from 1 within the turn."""

    step: int
    type: Literal["request_started"] = "request_started"


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str
    type: Literal["text_delta"] = "text_delta"


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    text: str
    type: Literal["reasoning_delta"] = "reasoning_delta"


@dataclass(frozen=True, slots=True)
class RetryScheduled:
    """The endpoint refused for now; the request is sent again after `delay` seconds unless interrupted."""

    reason: str
    delay: float
    attempt: int
    type: Literal["retry_scheduled"] = "retry_scheduled"


@dataclass(frozen=True, slots=True)
class ReplyEnded:
    """One model reply is complete; its calls are already unwrapped to the real tools."""

    message: AssistantMessage
    type: Literal["reply_ended"] = "reply_ended"


@dataclass(frozen=True, slots=True)
class CallStarted:
    call_id: str
    name: str
    arguments: str
    via: Via = "direct"
    type: Literal["call_started"] = "call_started"


@dataclass(frozen=True, slots=True)
class CallProgress:
    call_id: str
    text: str
    type: Literal["call_progress"] = "call_progress"


@dataclass(frozen=True, slots=True)
class CallEnded:
    """The one end of the call `call_id`. `seconds` is wall time inside the pipeline, approval waits excluded."""

    call_id: str
    name: str
    outcome: CallOutcome
    text: str
    seconds: float
    via: Via = "direct"
    type: Literal["call_ended"] = "call_ended"


@dataclass(frozen=True, slots=True)
class Notice:
    """One line for the person: a server's state, a cut result, a hook that crashed."""

    level: Literal["info", "warning", "error"]
    text: str
    type: Literal["notice"] = "notice"


@dataclass(frozen=True, slots=True)
class Compacted:
    """The history was replaced by a summary; token figures are the counter's own."""

    before_tokens: int
    after_tokens: int
    type: Literal["compacted"] = "compacted"


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The turn is over. `text` is the final answer, or why there is none. `usage` sums the turn's requests."""

    turn: int
    end: TurnEnd
    text: str
    usage: Usage
    seconds: float
    type: Literal["turn_ended"] = "turn_ended"


Event: TypeAlias = (
    TurnStarted
    | RequestStarted
    | TextDelta
    | ReasoningDelta
    | RetryScheduled
    | ReplyEnded
    | CallStarted
    | CallProgress
    | CallEnded
    | Notice
    | Compacted
    | TurnEnded
)
Sink: TypeAlias = Callable[[Event], None]
