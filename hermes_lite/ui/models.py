"""`/model`: what the endpoint lists, with the model that answers marked."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from hermes_lite.text import one_line
from hermes_lite.ui.cells import clip

_SHOWN = 20


def models_screen(names: Sequence[str], current: str, width: int) -> RenderableType:
    """One line a model, in the order of the endpoint; of a long list its beginning and the `current` one."""
    shown = [name for index, name in enumerate(names) if index < _SHOWN or name == current]
    more = f"; {len(names) - len(shown)} more, Tab completes them" if len(shown) < len(names) else ""
    hint = Text(f"/model NAME goes on with another{more}.", style="faint")
    return Group(*(_line(name, name == current, width) for name in shown), hint)


def _line(name: str, is_current: bool, width: int) -> Text:
    line = Text("● " if is_current else "  ", style="good", no_wrap=True, overflow="crop")
    return line.append(clip(one_line(name), width - 2), "accent" if is_current else "default")
