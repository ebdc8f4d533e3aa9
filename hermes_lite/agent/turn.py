"""One model request: send the conversation, take the reply apart once, append it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from hermes_lite.agent.conversation import Conversation, Frame, Turn
from hermes_lite.agent.plan import Item
from hermes_lite.events import Event, ReplyEnded, RequestStarted, Sink, TextDelta
from hermes_lite.messages import AssistantMessage
from hermes_lite.model.client import Model, ModelRequest
from hermes_lite.tool_search.unwrap import recover_text_calls, unwrap
from hermes_lite.tools.registry import Scope


@dataclass(frozen=True, slots=True)
class Reply:
    """A finished model reply: the message as stored, and its calls as they will run."""

    message: AssistantMessage
    items: tuple[Item, ...]


async def request(
    model: Model,
    conversation: Conversation,
    frame: Frame,
    scope: Callable[[], Scope],
    turn: Turn,
    step: int,
    sink: Sink,
    *,
    recover_text: bool,
) -> Reply:
    """Send one request and append its reply. Raises `HermesError`; what was said until then is in `turn.partial`."""
    sink(RequestStarted(step))
    gate = _TextGate(sink, turn, hold=recover_text)
    wire = await model.complete(ModelRequest(frame.system, tuple(conversation.messages), frame.array), gate)
    granted = scope()
    if recover_text and not wire.calls and (found := recover_text_calls(wire.text, granted)):
        wire = replace(wire, text="", calls=found)
    else:
        gate.release()
    items = unwrap(wire.calls, granted)
    message = replace(wire, calls=tuple(item.call for item in items))
    conversation.append(message)
    turn.add(message.usage)
    turn.partial = ""
    sink(ReplyEnded(message))
    return Reply(message, items)


_STARTS_LIKE_A_CALL: Sequence[str] = ("{", "[", "```", "<tool", "<function")


class _TextGate:
    """Passes events on, but holds text back while the reply may still turn out to be a call written as text."""

    def __init__(self, sink: Sink, turn: Turn, *, hold: bool) -> None:
        self._sink = sink
        self._turn = turn
        self._holding = hold
        self._held: list[TextDelta] = []
        turn.partial = ""

    def __call__(self, event: Event) -> None:
        if not isinstance(event, TextDelta):
            self._sink(event)
            return
        self._turn.partial += event.text
        if self._holding and _may_be_a_call(self._turn.partial):
            self._held.append(event)
            return
        self.release()
        self._sink(event)

    def release(self) -> None:
        self._holding = False
        held, self._held = self._held, []
        for event in held:
            self._sink(event)


def _may_be_a_call(text: str) -> bool:
    start = text.lstrip()
    return any(start.startswith(mark) or mark.startswith(start) for mark in _STARTS_LIKE_A_CALL)
