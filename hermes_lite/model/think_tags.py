"""Tells thinking from the answer where an endpoint sends both as text.

Servers that do not know their model's format pass `<think>...</think>` on at the head of the content. Only there it
is taken for what it is; the same tag later in an answer is text.
"""

from dataclasses import dataclass

OPEN, CLOSE = "<think>", "</think>"


@dataclass(frozen=True, slots=True)
class Split:
    thought: str = ""
    said: str = ""


class ThinkTags:
    """Feed it pieces of content; what cannot be told yet is held back until the next piece or `end`."""

    def __init__(self) -> None:
        self._state = self._beginning
        self._held = ""

    def feed(self, piece: str) -> Split:
        text, self._held = self._held + piece, ""
        return self._state(text)

    def end(self) -> Split:
        """What was still held back."""
        held, self._held = self._held, ""
        return Split(thought=held) if self._state == self._thinking else Split(said=held)

    def _beginning(self, text: str) -> Split:
        start = text.lstrip()
        if start.startswith(OPEN):
            self._state = self._thinking
            return self._thinking(start.removeprefix(OPEN))
        if OPEN.startswith(start):
            self._held = text
            return Split()
        self._state = self._answering
        return Split(said=text)

    def _thinking(self, text: str) -> Split:
        thought, closed, rest = text.partition(CLOSE)
        if closed:
            self._state = self._between
            return Split(thought, self._between(rest).said)
        held = next((size for size in range(len(CLOSE) - 1, 0, -1) if text.endswith(CLOSE[:size])), 0)
        self._held = text[len(text) - held :]
        return Split(thought=text[: len(text) - held])

    def _between(self, text: str) -> Split:
        """The blank lines between thinking and answer belong to neither."""
        said = text.lstrip()
        if said:
            self._state = self._answering
        return Split(said=said)

    def _answering(self, text: str) -> Split:
        return Split(said=text)
