"""The prompt that stands while the chat still loads, so that a person can type at once.

Until the chat is there the terminal itself edits and echoes the line. The chat takes up what was typed, finished
lines and a begun one (`hermes_lite.ui.live.typed_ahead`), and draws its own prompt where this one was.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hermes_lite.ui.look import PROMPT, drawable, look_of
from hermes_lite.ui.settings import UiSettings

# The row goes by itself first: a screen that is cleared as a whole is kept by some terminals as history.
_REMEMBER, _BACK_AND_ERASE = "\x1b7", "\x1b8\x1b[K\x1b[J"
_BOLD_CYAN, _PLAIN = "\x1b[1;36m", "\x1b[m"


@contextmanager
def early_prompt(settings: UiSettings) -> Iterator[Callable[[], None]]:
    """Show the prompt where the chat will be live. It goes when the yielded function is called, or at the end."""
    look = look_of(os.environ, sys.stdout, settings.plain)
    if not (look.live and sys.stdin.isatty()):
        yield lambda: None
        return
    stands = True

    def erase() -> None:
        nonlocal stands
        if stands:
            _write(_BACK_AND_ERASE)
        stands = False

    prompt = drawable(PROMPT, look)
    _write(_REMEMBER + (f"{_BOLD_CYAN}{prompt}{_PLAIN}" if look.color else prompt))
    try:
        yield erase
    finally:
        erase()


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
