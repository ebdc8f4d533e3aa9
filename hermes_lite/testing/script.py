"""What a scripted model answers, step by step, and how each step looks on the wire.

A step is a value; `answer` turns it into bytes without doing any I/O. `hermes_lite.testing.model_server` sends them.
"""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import singledispatch
from typing import Any, Literal, TypeAlias

from hermes_lite.text import utf8

GATE_LIMIT = 30.0
"""Seconds that a gate waits at most, so that a test that forgot to open it fails instead of hanging."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One request as it came: `body` byte for byte, header names in lower case."""

    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        value = json.loads(self.body)
        assert isinstance(value, dict)
        return value

    @property
    def messages(self) -> list[dict[str, Any]]:
        return list(self.json["messages"])

    @property
    def tools(self) -> list[dict[str, Any]]:
        return list(self.json.get("tools", ()))


class Gate:
    """A place where an answer stops until the test lets it go on: no test needs to sleep."""

    def __init__(self) -> None:
        self._reached = threading.Event()
        self._opened = threading.Event()

    def pass_through(self) -> None:
        """For the server: say that it is here, and wait."""
        self._reached.set()
        self._opened.wait(GATE_LIMIT)

    def wait_reached(self) -> None:
        """For the test: wait until the answer has come to the gate."""
        if not self._reached.wait(GATE_LIMIT):
            raise TimeoutError("the scripted answer never came to its gate")

    def open(self) -> None:
        self._opened.set()


@dataclass(frozen=True, slots=True)
class Call:
    """A call in a reply. Mappings are sent as JSON text; a string is sent as it is, valid or not."""

    name: str
    arguments: Mapping[str, Any] | str | None = field(default_factory=dict)
    id: str = ""

    @property
    def text(self) -> str | None:
        return json.dumps(self.arguments) if isinstance(self.arguments, Mapping) else self.arguments


@dataclass(frozen=True, slots=True)
class Text:
    """An answer in words, in pieces of `size` characters. `usage` is (input, output) tokens."""

    text: str
    size: int = 12
    reasoning: str = ""
    finish: str = "stop"
    usage: tuple[int, int] | None = (100, 10)


@dataclass(frozen=True, slots=True)
class Calls:
    """One or more calls, after `text`. `size` splits the argument texts; the rest imitates odd endpoints."""

    calls: tuple[Call, ...]
    text: str = ""
    size: int = 16
    numbering: Literal["rising", "zero", "none"] = "rising"
    send_ids: bool = True
    finish: str = "tool_calls"
    reasoning: str = ""
    usage: tuple[int, int] | None = (100, 20)


@dataclass(frozen=True, slots=True)
class Raw:
    """Chunks as given: mappings as JSON in an event, strings as the data of an event, bytes as they are."""

    chunks: tuple[Mapping[str, Any] | str | bytes, ...]
    done: bool = True


@dataclass(frozen=True, slots=True)
class Status:
    """A refusal. A string is put where an OpenAI-compatible endpoint puts its message."""

    code: int
    body: Mapping[str, Any] | str = "scripted refusal"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cut:
    """An answer that breaks off: before its headers, inside an event's line, or whole but for its finish reason."""

    at: Literal["headers", "line", "finish"]
    text: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """Something that is not a model's answer, or is one that is not streamed."""

    body: str
    content_type: str = "text/html"


@dataclass(frozen=True, slots=True)
class Slow:
    """The answer of `step`, stopped at `gate` after its first `after` pieces (0: before the headers)."""

    step: "Step"
    gate: Gate
    after: int = 0


Step: TypeAlias = Text | Calls | Raw | Status | Cut | Page | Slow
Scripted: TypeAlias = Step | Callable[[Recorded], Step]


@dataclass(frozen=True, slots=True)
class Answer:
    """Bytes and gates in order. `torn` closes the connection without ending the body, `status` 0 without any head."""

    status: int
    content_type: str
    pieces: tuple[bytes | Gate, ...]
    headers: Mapping[str, str] = field(default_factory=dict)
    gate: Gate | None = None
    torn: bool = False


@singledispatch
def answer(step: object, model: str) -> Answer:
    """`step` as `model` would send it."""
    raise TypeError(f"{step!r} is not a step of a script")


@answer.register
def _text(step: Text, model: str) -> Answer:
    deltas = [{"reasoning_content": part} for part in _cut(step.reasoning, step.size)]
    deltas += [{"content": part} for part in _cut(step.text, step.size)]
    return _stream(deltas, model, step.finish, step.usage)


@answer.register
def _calls(step: Calls, model: str) -> Answer:
    deltas: list[dict[str, Any]] = [{"reasoning_content": part} for part in _cut(step.reasoning, step.size)]
    deltas += [{"content": part} for part in _cut(step.text, step.size)]
    for position, call in enumerate(step.calls):
        place = {"rising": {"index": position}, "zero": {"index": 0}, "none": {}}[step.numbering]
        deltas += [{"tool_calls": [place | fragment]} for fragment in _fragments(call, position, step)]
    return _stream(deltas, model, step.finish, step.usage)


@answer.register
def _raw(step: Raw, model: str) -> Answer:
    pieces = tuple(chunk if isinstance(chunk, bytes) else _event(chunk) for chunk in step.chunks)
    return Answer(200, _SSE, pieces + ((_DONE,) if step.done else ()))


@answer.register
def _status(step: Status, model: str) -> Answer:
    body = {"error": {"message": step.body}} if isinstance(step.body, str) else step.body
    return Answer(step.code, "application/json", (json.dumps(body).encode(),), step.headers)


@answer.register
def _page(step: Page, model: str) -> Answer:
    return Answer(200, step.content_type, (utf8(step.body),))


@answer.register
def _broken(step: Cut, model: str) -> Answer:
    said = tuple(_event(_chunk(model, {"content": part})) for part in _cut(step.text, 12))
    match step.at:
        case "headers":
            return Answer(0, _SSE, (), torn=True)
        case "line":
            return Answer(200, _SSE, (*said, b'data: {"choices": [{"ind'), torn=True)
        case "finish":
            return Answer(200, _SSE, said)


@answer.register
def _slow(step: Slow, model: str) -> Answer:
    whole = answer(step.step, model)
    if step.after == 0:
        pieces: tuple[bytes | Gate, ...] = whole.pieces
        return Answer(whole.status, whole.content_type, pieces, whole.headers, step.gate, whole.torn)
    pieces = (*whole.pieces[: step.after], step.gate, *whole.pieces[step.after :])
    return Answer(whole.status, whole.content_type, pieces, whole.headers, None, whole.torn)


_SSE = "text/event-stream"
_DONE = b"data: [DONE]\n\n"


def _stream(deltas: list[dict[str, Any]], model: str, finish: str, usage: tuple[int, int] | None) -> Answer:
    chunks = [_chunk(model, {"role": "assistant", "content": ""})]
    chunks += [_chunk(model, delta) for delta in deltas]
    chunks.append(_chunk(model, {}, finish))
    if usage is not None:
        counts = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
        chunks.append({**_chunk(model, {}), "choices": [], "usage": counts})
    return Answer(200, _SSE, (*map(_event, chunks), _DONE))


def _chunk(model: str, delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "chatcmpl-scripted", "object": "chat.completion.chunk", "model": model, "choices": [choice]}


def _fragments(call: Call, position: int, step: Calls) -> Iterator[dict[str, Any]]:
    pieces = _cut(call.text, step.size) if call.text else [call.text]
    opening = {"id": call.id or f"call_s{position}"} if step.send_ids else {}
    yield {**opening, "type": "function", "function": {"name": call.name, "arguments": pieces[0]}}
    for piece in pieces[1:]:
        yield {"function": {"arguments": piece}}


def _event(chunk: Mapping[str, Any] | str) -> bytes:
    data = chunk if isinstance(chunk, str) else json.dumps(chunk)
    return f"data: {data}\n\n".encode("utf-8", "surrogatepass")


def _cut(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]
