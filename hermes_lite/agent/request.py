"""One model request: send the conversation, take the reply apart once, append it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from hermes_lite.agent.conversation import Conversation, Frame
from hermes_lite.agent.plan import Item
from hermes_lite.agent.text_gate import TextGate
from hermes_lite.agent.turn import Turn
from hermes_lite.events import Notice, ReplyEnded, RequestStarted, Sink
from hermes_lite.messages import AssistantMessage
from hermes_lite.model.client import Model, ModelRequest
from hermes_lite.tool_search.unwrap import recover_text_calls, unwrap
from hermes_lite.tools.registry import Scope

_CUT_OFF = {
    "length": "the answer was cut off at the longest that the endpoint allows; say `continue` to go on",
    "content_filter": "the answer was cut off by the endpoint's content filter",
}


@dataclass(frozen=True, slots=True)
class Reply:
    """A finished model reply: the message as stored, and its calls as they will run."""

    message: AssistantMessage
    items: tuple[Item, ...]

    @property
    def is_empty(self) -> bool:
        return not self.items and not self.message.text.strip()


@dataclass(frozen=True, slots=True)
class Asking:
    """How a model is asked. `recover_text`: calls that it prints instead of making them are taken for calls."""

    model: Model
    scope: Callable[[], Scope]
    recover_text: bool

    async def send(self, conversation: Conversation, frame: Frame, turn: Turn, step: int, sink: Sink) -> Reply:
        """Send one request and append its reply, unless that is empty: no endpoint takes an empty message back.

        Raises `HermesError`; what the person saw of the reply until then is in `turn.speaking`.
        """
        sink(RequestStarted(step))
        turn.speaking = gate = TextGate(sink, hold=self.recover_text)
        request = ModelRequest(frame.system, tuple(conversation.messages), frame.array)
        reply = self._taken_apart(await self.model.complete(request, gate), request)
        if not reply.message.calls or reply.message.text:
            gate.release()
        if not reply.is_empty:
            conversation.append(reply.message)
        turn.heard(reply.message)
        sink(ReplyEnded(reply.message))
        if reply.message.text and (why := _CUT_OFF.get(reply.message.finish_reason)):
            sink(Notice("warning", why))
        return reply

    def _taken_apart(self, wire: AssistantMessage, request: ModelRequest) -> Reply:
        scope = self.scope()
        if self.recover_text and not wire.calls and (printed := recover_text_calls(wire.text, scope)):
            wire = replace(wire, text="", calls=printed)
        items = unwrap(wire.calls, scope, request.call_ids())
        return Reply(replace(wire, calls=tuple(item.call for item in items)), items)
