"""The first screen: what this is, which model was chosen and why, and how to begin."""

from collections.abc import Iterable
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from hermes_lite.runtime import Overview
from hermes_lite.text import one_line
from hermes_lite.ui.cells import clip

_TRY = ("what time is it in Tokyo when it is 9:00 in Paris?", "/context", "/help")
_CONNECT = "Connect a model: set OPENAI_API_KEY, or start Ollama; then restart."


@dataclass(frozen=True, slots=True)
class Welcome:
    """What the command line knows: the version, and in a few words why this model was chosen."""

    version: str
    chosen: str


def banner(welcome: Welcome, view: Overview, width: int, *, live: bool = True) -> RenderableType:
    """A few short lines, none longer than `width` cells. A terminal that is not `live` knows no Esc."""
    head = Text(no_wrap=True, overflow="crop")
    head.append("hermes-lite", "bold accent").append(f" {welcome.version}", "faint")
    return Group(head, *(_demo(width) if view.is_demo else _connected(welcome, view, width, live)))


def _connected(welcome: Welcome, view: Overview, width: int, live: bool) -> Iterable[Text]:
    model = one_line(view.model)
    yield _pair(model, one_line(welcome.chosen).removeprefix(model).strip(), width, "accent")
    stop = "Esc" if live else "Ctrl-C"
    yield Text(clip(f"/help · {stop} interrupts · Ctrl-D quits", width), style="faint")


def _demo(width: int) -> Iterable[RenderableType]:
    yield _pair("demo", "no language model, works offline", width, "warn")
    yield Text(_CONNECT, style="faint")
    yield Text()
    yield Text("Try:")
    for line in _TRY:
        yield Padding(Text(line, style="accent"), (0, 0, 0, 2))


def _pair(name: str, why: str, width: int, style: str) -> Text:
    name = clip(name, width)
    line = Text(name, style=style, no_wrap=True, overflow="crop")
    left = width - cell_len(name) - 3
    return line.append(" · " + clip(why, left), "faint") if left >= 8 else line
