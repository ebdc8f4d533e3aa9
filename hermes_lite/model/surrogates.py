"""Characters that a stream cut in two.

JSON may write an emoji as two escapes, and endpoints cut between them; each half then arrives as a lone surrogate,
which nothing can print, send or store.
"""


def join_surrogates(text: str) -> str:
    """`text` with pairs of surrogates made the one character they stand for, and lone ones U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class SurrogateJoiner:
    """Joins over the seams of a stream: the first half at the end of a piece waits for the next piece."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        text = self._held + piece
        self._held = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        return join_surrogates(text[: len(text) - len(self._held)])

    def end(self) -> str:
        """What was still waiting; its other half never came."""
        held, self._held = self._held, ""
        return join_surrogates(held)
