"""The start of the chat, which people wait for: its prompt stands before the chat behind it has been loaded."""

import sys

from hermes_lite.cli.early import early_prompt
from hermes_lite.cli.loading import load
from hermes_lite.cli.place import here
from hermes_lite.cli.wish import Wish
from hermes_lite.ui.settings import UiSettings


def run() -> None:
    """`hermes-lite` without a word more."""
    sys.exit(start(Wish()))


def start(wish: Wish) -> int:
    """Run the chat; the exit code."""
    place = here()
    with early_prompt(UiSettings.of(place.config.section("ui"))) as erase:
        return int(load("chat_command").run(wish, place, erase))
