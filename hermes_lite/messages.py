"""What a conversation is made of: the records that the loop appends, the store keeps and the model is sent.

A conversation is append-only. Bridge calls are unwrapped before a message is built, so a `ToolCall` always names
the real tool; `via` says by which door the model came in. How a message looks on the wire of a provider is the
business of `hermes_lite.model`; how it is kept on disk is `to_record` / `from_record` here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, assert_never

Via: TypeAlias = Literal["direct", "bridge"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of one real tool.

    `arguments` is the JSON text exactly as it goes back to the model in every later request; it is never parsed
    and printed again. `via` is "bridge" when the model wrote it inside `tool_call`.
    """

    id: str
    name: str
    arguments: str
    via: Via = "direct"


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one request as the endpoint counted them; `None` where it did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class UserMessage:
    text: str


@dataclass(frozen=True, slots=True)
class NoticeMessage:
    """Something the shell tells the model between turns (a server came late, went away, changed its list)."""

    text: str


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    """One reply. `replay` holds provider fields (reasoning and the like) that must be sent back unchanged."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    replay: Mapping[str, Any] = field(default_factory=dict)
    finish_reason: str = "stop"
    usage: Usage = Usage()
    model: str = ""


@dataclass(frozen=True, slots=True)
class ToolMessage:
    """The one result of the call `call_id`."""

    call_id: str
    name: str
    text: str
    is_error: bool = False


Message: TypeAlias = UserMessage | NoticeMessage | AssistantMessage | ToolMessage


def to_record(message: Message) -> dict[str, Any]:
    """The JSON object that a session file keeps for `message`; `from_record` reads it back equal."""
    match message:
        case UserMessage(text=text):
            return {"role": "user", "text": text}
        case NoticeMessage(text=text):
            return {"role": "notice", "text": text}
        case AssistantMessage():
            return {
                "role": "assistant",
                "text": message.text,
                "calls": [
                    {"id": c.id, "name": c.name, "arguments": c.arguments, "via": c.via} for c in message.calls
                ],
                "replay": dict(message.replay),
                "finish_reason": message.finish_reason,
                "usage": {
                    "input_tokens": message.usage.input_tokens,
                    "output_tokens": message.usage.output_tokens,
                    "cached_tokens": message.usage.cached_tokens,
                },
                "model": message.model,
            }
        case ToolMessage():
            return {
                "role": "tool",
                "call_id": message.call_id,
                "name": message.name,
                "text": message.text,
                "is_error": message.is_error,
            }
        case _:
            assert_never(message)


def from_record(record: Mapping[str, Any]) -> Message:
    """Read a stored message back. Raises `ValueError` or `KeyError` for anything that is not one."""
    match record["role"]:
        case "user":
            return UserMessage(text=str(record["text"]))
        case "notice":
            return NoticeMessage(text=str(record["text"]))
        case "assistant":
            return AssistantMessage(
                text=str(record["text"]),
                calls=tuple(
                    ToolCall(
                        id=str(c["id"]),
                        name=str(c["name"]),
                        arguments=str(c["arguments"]),
                        via="bridge" if c.get("via") == "bridge" else "direct",
                    )
                    for c in record.get("calls", ())
                ),
                replay=dict(record.get("replay", {})),
                finish_reason=str(record.get("finish_reason", "stop")),
                usage=Usage(**record.get("usage", {})),
                model=str(record.get("model", "")),
            )
        case "tool":
            return ToolMessage(
                call_id=str(record["call_id"]),
                name=str(record["name"]),
                text=str(record["text"]),
                is_error=bool(record.get("is_error", False)),
            )
        case other:
            raise ValueError(f"unknown message role {other!r}")
