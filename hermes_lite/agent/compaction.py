"""Making room: the older part of a conversation is replaced by the model's own summary of it.

The bridge and the listing are part of the frame, so tools stay findable and callable; beside the summary the to-do
list is kept as it stands, and the names of the tools used so far as one line. A border may fall inside a turn: the
person's last words stay as they were. The session file only ever grows: a marker tells where the summary took over.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hermes_lite.errors import ContextOverflowError, LimitError, ModelError
from hermes_lite.events import Event
from hermes_lite.messages import AssistantMessage, Message, NoticeMessage, ToolMessage, Usage, UserMessage
from hermes_lite.model.client import Model, ModelRequest
from hermes_lite.text import cut
from hermes_lite.tokens import TokenCounter

KEPT_SHARE = 0.3
WORTH_SHARE = 0.1
EXCERPTS = (2_000, 500, 120)
MOST_TOOLS = 40
SYSTEM = """\
You condense a conversation between a person and an assistant with tools, so that the assistant can go on from your
text alone. Keep: what the person wants and decided, facts found (with names, paths, numbers), what was done and what
failed, what is open. Leave out pleasantries and raw output. Write in the person's language, under these headings:
Goal, Decisions, Facts, Done, Open."""
_HANDOVER = "The earlier part of this conversation was condensed to:"
_TODO = "The to-do list as it stands:"
_USED = "Tools used so far (still callable by these names): "


def body(message: Message) -> str:
    """The text of `message` that a request carries, call names and arguments included."""
    if isinstance(message, AssistantMessage):
        return message.text + "".join(call.name + call.arguments for call in message.calls)
    return message.text


def size(messages: Sequence[Message], counter: TokenCounter) -> int:
    """Tokens of `messages` by `counter`."""
    return sum(counter.count(body(message)) for message in messages)


def used(messages: Sequence[Message], fixed: str, counter: TokenCounter) -> int:
    """Tokens of the next request: as the endpoint last counted them, what came since by `counter`.

    `fixed` is what stands before the messages, as text; it is counted when the endpoint never said anything.
    """
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if isinstance(message, AssistantMessage) and message.usage.input_tokens is not None:
            known = message.usage.input_tokens + (message.usage.output_tokens or 0)
            return known + size(messages[index + 1 :], counter)
    return counter.count(fixed) + size(messages, counter)


@dataclass(frozen=True, slots=True)
class Split:
    """A conversation in two parts: `older` will be condensed, `recent` stays as it is."""

    older: tuple[Message, ...]
    recent: tuple[Message, ...]

    @classmethod
    def of(cls, messages: Sequence[Message], counter: TokenCounter) -> "Split":
        """As many of the last steps as fit `KEPT_SHARE` of the whole stay, the person's last words in any case.

        The older part holds a reply at least: there is nothing else that a summary could shorten.
        """
        sizes = [counter.count(body(message)) for message in messages]
        room = KEPT_SHARE * sum(sizes)
        replies = [i for i, message in enumerate(messages) if isinstance(message, AssistantMessage)]
        behind = range(replies[0] + 1, len(messages)) if replies else ()
        borders = (i for i in behind if not isinstance(messages[i], ToolMessage))
        border = next((i for i in borders if sum(sizes[i:]) <= room), len(messages))
        older, recent = tuple(messages[:border]), tuple(messages[border:])
        words = [message for message in older if isinstance(message, UserMessage)]
        if words and not any(isinstance(message, UserMessage) for message in recent):
            recent = (words[-1], *recent)
        return cls(older, recent)

    @property
    def is_possible(self) -> bool:
        """Whether the older part holds anything that a summary could shorten."""
        return any(isinstance(message, AssistantMessage) for message in self.older)

    def frees(self, window: int, counter: TokenCounter) -> bool:
        """Whether condensing is worth its price: it gives back a good part of `window`."""
        return self.is_possible and size(self.older, counter) > window * WORTH_SHARE


async def condense(
    model: Model, split: Split, counter: TokenCounter, *, focus: str = "", todo: str = ""
) -> tuple[tuple[Message, ...], Usage]:
    """The messages that stand for `split` from now on, and what asking for the summary took.

    Raises `LimitError` when there is nothing to condense, and what the model raises; nothing is lost then.
    """
    if not split.is_possible:
        raise LimitError(
            "there is no earlier part of the conversation that could be condensed",
            mend="Start a new session with /new, or choose a model with a larger window.",
        )
    summary = await _summarise(model, split.older, focus, counter)
    if not summary.text.strip():
        raise ModelError(f"{model.name} gave no summary of the conversation", mend="Try /compact again, or /new.")
    handover = NoticeMessage(_handover(summary.text.strip(), todo, _tools_used(split.older)))
    return (handover, *map(_uncounted, split.recent)), summary.usage


async def _summarise(model: Model, older: Sequence[Message], focus: str, counter: TokenCounter) -> AssistantMessage:
    """Ask with the longest excerpts that fit the window; where that is not known, with shorter ones on refusal."""
    window = model.window.tokens
    wish = f"\nPay special attention to: {focus}" if focus else ""
    asks = [f"Condense this conversation.{wish}\n\n{_transcript(older, excerpt)}" for excerpt in EXCERPTS]
    fitting = [ask for ask in dict.fromkeys(asks) if window is None or counter.count(ask) < window * (1 - KEPT_SHARE)]
    *longer, last = fitting or asks[-1:]
    for ask in longer:
        try:
            return await _complete(model, ask)
        except ContextOverflowError:
            continue
    return await _complete(model, last)


async def _complete(model: Model, ask: str) -> AssistantMessage:
    return await model.complete(ModelRequest(SYSTEM, (UserMessage(ask),)), _unseen)


def _unseen(event: Event) -> None:
    """The summary is written for the model: nobody watches it grow."""


def _transcript(messages: Sequence[Message], excerpt: int) -> str:
    return "\n\n".join(f"[{_speaker(message)}]\n{_excerpt(message, excerpt)}" for message in messages)


def _excerpt(message: Message, limit: int) -> str:
    """The start of `message`; an earlier summary has been shortened already and stays whole."""
    return body(message) if _is_handover(message) else cut(body(message), limit)


def _is_handover(message: Message) -> bool:
    return isinstance(message, NoticeMessage) and message.text.startswith(_HANDOVER)


_SPEAKERS: Mapping[type[Message], str] = {
    UserMessage: "person",
    AssistantMessage: "assistant",
    NoticeMessage: "shell",
}


def _speaker(message: Message) -> str:
    return f"result of {message.name}" if isinstance(message, ToolMessage) else _SPEAKERS[type(message)]


def _handover(summary: str, todo: str, tools: Sequence[str]) -> str:
    parts = [f"{_HANDOVER}\n\n{summary}"]
    if todo:
        parts.append(f"{_TODO}\n{todo}")
    if tools:
        parts.append(_USED + ", ".join(tools))
    return "\n\n".join(parts)


def _tools_used(older: Sequence[Message]) -> Sequence[str]:
    """Names in the order of their last use, those of an earlier handover included; the last `MOST_TOOLS`."""
    used: dict[str, None] = {}
    for message in older:
        for name in _named(message):
            used.pop(name, None)
            used[name] = None
    return list(used)[-MOST_TOOLS:]


def _named(message: Message) -> Sequence[str]:
    if isinstance(message, AssistantMessage):
        return [call.name for call in message.calls]
    lines = message.text.splitlines() if _is_handover(message) else []
    return [name for line in lines if line.startswith(_USED) for name in line.removeprefix(_USED).split(", ")]


def _uncounted(message: Message) -> Message:
    """`message` without the endpoint's count, which was of a longer conversation."""
    return replace(message, usage=Usage()) if isinstance(message, AssistantMessage) else message
