"""One reply, assembled chunk by chunk.

Takes the chunks of a chat-completions stream as plain JSON and gives one `AssistantMessage`. Odd chunks are taken for
what they can only mean; a reply that never finished is not a message. Which failures there are and what follows from
them is said in `hermes_lite.model.failures`.
"""

from collections.abc import Collection, Mapping
from typing import Any

from hermes_lite.events import ReasoningDelta, Sink, TextDelta
from hermes_lite.messages import AssistantMessage, Usage
from hermes_lite.model.call_fragments import CallFragments
from hermes_lite.model.think_tags import Split, ThinkTags
from hermes_lite.text import clean_surrogates

_REASONING_TEXTS = ("reasoning_content", "reasoning")
_REASONING_PARTS = "reasoning_details"


class _TextStream:
    """Text that comes in pieces: shown as it comes, kept for the end.

    JSON may write an emoji as two escapes, and endpoints cut between them: a first half waits for the next piece.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._half = ""

    def feed(self, piece: str) -> str:
        """Keep `piece`; what of it can be shown now."""
        text = self._half + piece
        self._half = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        return self._keep(text.removesuffix(self._half))

    def end(self) -> str:
        """What was still held back."""
        return self._keep(self._half)

    def _keep(self, text: str) -> str:
        self._pieces.append(clean_surrogates(text))
        return self._pieces[-1]

    @property
    def text(self) -> str:
        return "".join(self._pieces)


class Reply:
    """Feed it chunks, then ask for the message. Deltas go to `sink` as they come."""

    def __init__(self, model: str, sink: Sink) -> None:
        self._model = model
        self._sink = sink
        self._tags = ThinkTags()
        self._text = _TextStream()
        self._reasoning: dict[str, _TextStream] = {}
        self._details: list[dict[str, Any]] = []
        self._calls = CallFragments()
        self._finish = ""
        self._usage = Usage()
        self.shown = False

    def feed(self, chunk: object) -> None:
        """Take one chunk of a stream, or a whole completion from an endpoint that does not stream."""
        fields = _mapping(chunk)
        self._usage = _usage(fields.get("usage")) or self._usage
        for choice in _mappings(fields.get("choices"))[:1]:
            self._feed_delta(_mapping(choice.get("delta")) or _mapping(choice.get("message")))
            finish = choice.get("finish_reason")
            self._finish = finish if isinstance(finish, str) and finish else self._finish

    def _feed_delta(self, delta: Mapping[str, Any]) -> None:
        self._feed_reasoning(delta)
        if text := _content(delta.get("content")) or _content(delta.get("refusal")):
            self._take(self._tags.feed(text))
        self._calls.add(_mappings(delta.get("tool_calls")))
        if function := _mapping(delta.get("function_call")):
            self._calls.add([{"function": function}])

    def _feed_reasoning(self, delta: Mapping[str, Any]) -> None:
        """Show one of the fields only: some endpoints send the same text in both."""
        _merge_details(self._details, _mappings(delta.get(_REASONING_PARTS)))
        pieces = {key: text for key in _REASONING_TEXTS if (text := _content(delta.get(key)))}
        shown = [self._reasoning.setdefault(key, _TextStream()).feed(text) for key, text in pieces.items()]
        if shown:
            self._show(ReasoningDelta(shown[0]))

    def _take(self, split: Split) -> None:
        self._show(ReasoningDelta(clean_surrogates(split.thought)))
        self._show(TextDelta(self._text.feed(split.said)))

    def _show(self, delta: TextDelta | ReasoningDelta) -> None:
        if delta.text:
            self.shown = self.shown or isinstance(delta, TextDelta)
            self._sink(delta)

    def end(self, taken: Collection[str] = ()) -> AssistantMessage | None:
        """The message, its call ids clear of `taken`; `None` when the stream ended before the reply did."""
        if not self._finish:
            return None
        self._take(self._tags.end())
        self._show(TextDelta(self._text.end()))
        calls = self._calls.calls(taken, cut_off=self._finish == "length")
        return AssistantMessage(
            text=self._text.text,
            calls=calls,
            replay=self._replay(),
            finish_reason=_agreed(self._finish, bool(calls)),
            usage=self._usage,
            model=self._model,
        )

    def _replay(self) -> dict[str, Any]:
        texts = {key: stream.text + stream.end() for key, stream in self._reasoning.items()}
        return texts | ({_REASONING_PARTS: self._details} if self._details else {})


def _agreed(finish: str, has_calls: bool) -> str:
    """The finish reason that the content bears out."""
    if has_calls:
        return finish if finish == "length" else "tool_calls"
    return "stop" if finish in ("tool_calls", "function_call") else finish


def _merge_details(details: list[dict[str, Any]], parts: list[Mapping[str, Any]]) -> None:
    """Lengthen the texts of the part with the same type and index; a new one is added at the end."""
    for part in parts:
        key = (part.get("type"), part.get("index"))
        known = next((d for d in details if key[1] is not None and (d.get("type"), d.get("index")) == key), None)
        if known is None:
            details.append(dict(part))
            continue
        for name, value in part.items():
            grows = name in ("text", "summary", "data") and isinstance(known.get(name), str)
            known[name] = known[name] + value if grows and isinstance(value, str) else value


def _usage(raw: object) -> Usage | None:
    if not isinstance(raw, Mapping) or not raw:
        return None
    details = _mapping(raw.get("prompt_tokens_details"))
    return Usage(
        input_tokens=_count(raw.get("prompt_tokens")),
        output_tokens=_count(raw.get("completion_tokens")),
        cached_tokens=_count(details.get("cached_tokens", raw.get("prompt_cache_hit_tokens"))),
    )


def _content(value: object) -> str:
    """The text of a content field: a string, or a list of parts of which the text ones count."""
    if isinstance(value, str):
        return value
    return "".join(part["text"] for part in _mappings(value) if isinstance(part.get("text"), str))


def _count(value: object) -> int | None:
    return int(value) if isinstance(value, int | float) else None


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _mappings(value: object) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []
