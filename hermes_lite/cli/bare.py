"""`hermes-lite` without a word more: the chat, as the configuration has it."""

import sys

from hermes_lite.cli import chat_command
from hermes_lite.cli.opening import Wish, open_with


def run() -> None:
    sys.exit(chat_command.run(open_with(Wish())))
