"""A conversation as the `messages` of a chat-completions request.

One record becomes one wire message, in order, and depends on nothing but itself and the model asked, so that a longer
conversation always begins with the bytes of the shorter one (the prompt cache lives on that).
"""

from collections.abc import Iterable, Mapping
from typing import Any, assert_never

from hermes_lite.messages import AssistantMessage, Message, NoticeMessage, ToolCall, ToolMessage, UserMessage
from hermes_lite.text import clean_surrogates

NOTICE_OPEN, NOTICE_CLOSE = "<shell-notice>", "</shell-notice>"


def to_wire(system: str, messages: Iterable[Message], *, model: str | None = None) -> list[dict[str, Any]]:
    """The system prompt (none when empty) and `messages` as chat-completions messages.

    A notice goes as a user message between `NOTICE_OPEN` and `NOTICE_CLOSE`. Call names and arguments go back as they
    are stored. The provider's own fields go back with replies that made calls (some endpoints refuse the next request
    without them, older ones refuse them anywhere else), and only to the `model` that wrote them; `None` is any model.
    """
    head = [{"role": "system", "content": clean_surrogates(system)}] if system else []
    return head + [_wire(message, model) for message in messages]


def _wire(message: Message, model: str | None) -> dict[str, Any]:
    match message:
        case UserMessage(text=text):
            return {"role": "user", "content": clean_surrogates(text)}
        case NoticeMessage(text=text):
            return {"role": "user", "content": f"{NOTICE_OPEN}{clean_surrogates(text)}{NOTICE_CLOSE}"}
        case ToolMessage():
            return {"role": "tool", "tool_call_id": message.call_id, "content": clean_surrogates(message.text)}
        case AssistantMessage():
            return _assistant(message, model)
        case _:
            assert_never(message)


def _assistant(message: AssistantMessage, model: str | None) -> dict[str, Any]:
    text = clean_surrogates(message.text)
    if not message.calls:
        return {"role": "assistant", "content": text}
    own = model is None or model == message.model
    return {
        "role": "assistant",
        "content": text or None,
        **(_replay(message.replay) if own else {}),
        "tool_calls": [_call(call) for call in message.calls],
    }


def _replay(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {key: fields[key] for key in sorted(fields)}


def _call(call: ToolCall) -> dict[str, Any]:
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": clean_surrogates(call.arguments)},
    }
