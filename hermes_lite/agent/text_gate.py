"""Passes the events of a reply on, but holds its text back while that may still turn out to be a printed call."""

from hermes_lite.events import Event, Sink, TextDelta
from hermes_lite.tool_search.printed import may_be_values


class TextGate:
    """A sink before `sink`. `shown` is the text that went through; without `hold` all of it does at once."""

    def __init__(self, sink: Sink, *, hold: bool) -> None:
        self.shown = ""
        self._sink = sink
        self._held = ""
        self._holding = hold

    def __call__(self, event: Event) -> None:
        if not isinstance(event, TextDelta):
            self._sink(event)
            return
        self._held += event.text
        if not (self._holding and may_be_values(self._held)):
            self.release()

    def release(self) -> None:
        """The text is no call: show what was held back, and hold nothing from here on."""
        self._holding = False
        if self._held:
            self.shown += self._held
            self._sink(TextDelta(self._held))
            self._held = ""
