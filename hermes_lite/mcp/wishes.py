"""What a server may wish of the person's model, as values; kept apart so that whoever grants wishes loads no SDK."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Wish:
    """What a server wants completed. `turns` are pairs of role ("user" or "assistant") and text."""

    server: str
    system: str
    turns: tuple[tuple[str, str], ...]
    max_tokens: int


@dataclass(frozen=True, slots=True)
class Completion:
    text: str
    model: str


Complete: TypeAlias = Callable[[Wish], Awaitable[Completion | None]]
"""Completes a wish, or gives `None` when the person or the model declines. May wait for minutes."""
