"""The console that commands draw tables and pages on."""

from typing import NoReturn

from rich.console import Console


class OutputConsole(Console):
    """Standard output, with markup but without guesses about what to highlight."""

    def __init__(self, width: int | None = None) -> None:
        super().__init__(highlight=False, width=width)

    def on_broken_pipe(self) -> NoReturn:
        """Leave it to the top of the command line; rich itself would end the process, wherever it stands."""
        raise BrokenPipeError
