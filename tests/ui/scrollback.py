"""A terminal that only remembers: what was said, as the text that a screen of some width would show."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.console import RenderableType

from hermes_lite.ui.look import Look, render
from hermes_lite.ui.terminal import Intents

COLOURED = Look(color=True, unicode=True, live=True)
BARE = Look(color=False, unicode=True, live=True)
APPENDED = Look(color=False, unicode=True, live=False)
_OURS = re.compile(r"\x1b\[[0-9;]*m")


@dataclass
class Scrollback:
    """`answers` are what the person will type, one for each question."""

    width: int = 80
    look: Look = BARE
    echoes: bool = False
    answers: list[str | None] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)
    readied: int = 0

    @property
    def text(self) -> str:
        return "".join(self.said)

    def say(self, what: RenderableType) -> None:
        self.said.append(render(what, self.look, self.width))

    def refresh(self) -> None:
        pass

    def ready(self) -> None:
        self.readied += 1

    async def run(self, intents: Intents) -> None:
        pass

    def stop(self) -> None:
        pass

    def give_back(self, texts: Sequence[str]) -> None:
        self.said.append("".join(texts))

    async def answer(self, hint: str) -> str | None:
        self.hints.append(hint)
        return self.answers.pop(0)


def shown(what: RenderableType, width: int = 80, look: Look = BARE) -> str:
    return render(what, look, width)


def without_colours(text: str) -> str:
    """`text` without the escapes that are ours to write; any other escape stays and can be seen by a test."""
    return _OURS.sub("", text)
