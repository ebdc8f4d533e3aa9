"""Keeps keys that were meant for something else from answering a question."""

from collections.abc import Callable
from time import monotonic

QUIET = 0.5


class Guard:
    """Lets a key through only after `quiet` seconds without one, counted from the moment the question stood there.

    So keys that were typed ahead, or a sentence that is being typed, never answer a question.
    """

    def __init__(self, clock: Callable[[], float] = monotonic, quiet: float = QUIET) -> None:
        self._clock = clock
        self._quiet = quiet
        self._open_at = 0.0

    def arm(self) -> None:
        self._open_at = self._clock() + self._quiet

    @property
    def is_closed(self) -> bool:
        return self._clock() < self._open_at

    def swallows(self) -> bool:
        """Whether the key just pressed is to be dropped; a dropped key makes the quiet start anew."""
        if not self.is_closed:
            return False
        self.arm()
        return True
