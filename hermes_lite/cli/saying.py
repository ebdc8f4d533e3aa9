"""What a command says to a person: text from servers, files and folders can never control the terminal."""

import typer

from hermes_lite.text import harmless


def say(text: str) -> None:
    """Print `text` on standard output, made harmless."""
    typer.echo(harmless(text))


def warn(text: str) -> None:
    """Print `text` on standard error, made harmless."""
    typer.echo(harmless(text), err=True)
