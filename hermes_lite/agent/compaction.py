"""Making room: the older part of a conversation is replaced by the model's own summary of it.

The bridge and the listing are part of the frame, so tools stay findable and callable; what was used so far is kept
as one line, the to-do list through its snapshot. The session file only ever grows: a marker tells where the
summary took over.
"""

from collections.abc import Sequence

from hermes_lite.agent.conversation import Conversation
from hermes_lite.errors import LimitError
from hermes_lite.events import Compacted, Event, Sink, TextDelta
from hermes_lite.messages import AssistantMessage, Message, NoticeMessage, ToolMessage, UserMessage
from hermes_lite.model.client import Model, ModelRequest
from hermes_lite.text import cut
from hermes_lite.tokens import TokenCounter

KEPT_TURNS = 2
EXCERPT = 2_000
SYSTEM = """\
You condense a conversation between a person and an assistant with tools, so that the assistant can go on from your
text alone. Keep: what the person wants and decided, facts found (with names, paths, numbers), what was done and what
failed, what is open. Leave out pleasantries and raw output. Write in the person's language, under these headings:
Goal, Decisions, Facts, Done, Open."""


def is_due(conversation: Conversation, window: int | None, at_pct: float, counter: TokenCounter) -> bool:
    """Whether the next request would pass `at_pct` per cent of the window. An unknown window is never full."""
    return window is not None and used(conversation, counter) > window * at_pct / 100


def used(conversation: Conversation, counter: TokenCounter) -> int:
    """Tokens of the next request: as the endpoint last counted them, else by `counter`."""
    for message in reversed(conversation.messages):
        if isinstance(message, AssistantMessage) and message.usage.input_tokens is not None:
            return message.usage.input_tokens + (message.usage.output_tokens or 0)
    return sum(counter.count(body(message)) for message in conversation.messages)


def body(message: Message) -> str:
    """The text of `message` that a request carries, call names and arguments included."""
    if isinstance(message, AssistantMessage):
        return message.text + "".join(call.name + call.arguments for call in message.calls)
    return message.text


async def compact(model: Model, conversation: Conversation, focus: str, counter: TokenCounter, sink: Sink) -> None:
    """Replace all but the last turns by a summary. Raises `LimitError` when there is nothing left to shorten."""
    older, recent = _split(conversation.messages)
    if not older:
        raise LimitError(
            "the conversation does not fit the model's window and has no earlier part to shorten",
            mend="Start a new session with /new, or choose a model with a larger window.",
        )
    before = sum(counter.count(body(message)) for message in conversation.messages)
    summary = await _summarise(model, older, focus)
    kept = (NoticeMessage(_handover(summary, older)), *recent)
    conversation.session.replace_history(kept)
    sink(Compacted(before, sum(counter.count(body(message)) for message in kept)))


def _split(messages: Sequence[Message]) -> tuple[Sequence[Message], Sequence[Message]]:
    starts = [index for index, message in enumerate(messages) if isinstance(message, UserMessage)]
    if len(starts) < 2:
        return (), messages
    border = starts[-min(KEPT_TURNS, len(starts) - 1)]
    return messages[:border], messages[border:]


async def _summarise(model: Model, older: Sequence[Message], focus: str) -> str:
    def unseen(event: Event) -> None:
        if not isinstance(event, TextDelta):
            return

    wish = f"\nPay special attention to: {focus}" if focus else ""
    ask = UserMessage(f"Condense this conversation.{wish}\n\n{_transcript(older)}")
    reply = await model.complete(ModelRequest(SYSTEM, (ask,), ()), unseen)
    return reply.text.strip()


def _transcript(messages: Sequence[Message]) -> str:
    return "\n\n".join(f"[{_speaker(message)}]\n{cut(body(message), EXCERPT)}" for message in messages)


def _speaker(message: Message) -> str:
    match message:
        case UserMessage():
            return "person"
        case AssistantMessage():
            return "assistant"
        case ToolMessage(name=name):
            return f"result of {name}"
        case NoticeMessage():
            return "shell"


def _handover(summary: str, older: Sequence[Message]) -> str:
    tools = sorted({call.name for m in older if isinstance(m, AssistantMessage) for call in m.calls})
    known = f"\n\nTools used so far (still callable by these names): {', '.join(tools)}" if tools else ""
    return f"The earlier part of this conversation was condensed to:\n\n{summary}{known}"
