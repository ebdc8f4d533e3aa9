"""What stands below the scrollback: moving lines, waiting lines, the editor or a question, the menu, the status line.

Built once from its parts; each part is asked for its text at every redraw.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TextIO

from prompt_toolkit.application import get_app
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition, is_searching
from prompt_toolkit.formatted_text import ANSI, StyleAndTextTuples
from prompt_toolkit.layout import (
    BufferControl,
    ConditionalContainer,
    Dimension,
    FormattedTextControl,
    HSplit,
    Layout,
    SearchBufferControl,
    Window,
)
from prompt_toolkit.layout.menus import CompletionsMenu
from prompt_toolkit.layout.processors import (
    BeforeInput,
    HighlightIncrementalSearchProcessor,
    Processor,
    TabsProcessor,
    Transformation,
    TransformationInput,
)
from prompt_toolkit.output import Output
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.styles import Style

_EDITOR_ROWS = 10
_MENU_ROWS = 6
_KEPT_ROWS = 2
_SEARCH = "earlier lines with: "
_JOINER, _NOTHING = "\u200d", "\u200b"
STYLE = Style.from_dict(
    {
        "prompt": "ansicyan bold",
        "mode": "ansired bold",
        "wait": "ansibrightblack",
        "completion-menu": "bg:default fg:default",
        "completion-menu.completion": "bg:default fg:default",
        "completion-menu.completion.current": "bg:default fg:ansicyan bold reverse",
        "completion-menu.meta.completion": "bg:default fg:ansibrightblack",
        "completion-menu.meta.completion.current": "bg:default fg:ansicyan",
        "scrollbar.background": "bg:default",
        "scrollbar.button": "bg:default",
    }
)


@dataclass(frozen=True, slots=True)
class Drawn:
    """What is drawn around the editor, asked for at each redraw, in our colours; sizes are cells and rows."""

    mode: Callable[[], str]
    live: Callable[[int, int], str]
    queued: Callable[[int], str]
    status: Callable[[int], str]


@dataclass(frozen=True, slots=True)
class Parts:
    """The buffers that are typed in, and what decides between them. `prompt` and `hint` are drawable as they are."""

    editor: Buffer
    answers: Buffer
    asking: Condition
    prompt: str
    hint: Callable[[], StyleAndTextTuples]
    size: Callable[[], tuple[int, int]]


class _Parted(Processor):
    """Draws a joined emoji as its parts: terminals do not agree on how wide the joined one is."""

    def apply_transformation(self, line: TransformationInput) -> Transformation:
        return Transformation([(part[0], part[1].replace(_JOINER, _NOTHING)) for part in line.fragments])


def frame(parts: Parts, drawn: Drawn) -> Layout:
    """The layout, with the editor focused. Moving lines take at most half the screen, and leave room for the rest."""

    def live() -> str:
        columns, rows = parts.size()
        editor = min(_EDITOR_ROWS, parts.editor.document.line_count)
        return "" if parts.asking() else drawn.live(columns, min(rows // 2, rows - _KEPT_ROWS - editor - 2))

    search = SearchBufferControl(
        buffer=Buffer(multiline=False), input_processors=[BeforeInput(_SEARCH, style="class:prompt")]
    )
    return Layout(
        HSplit(
            [
                _shown(live),
                _shown(lambda: drawn.queued(parts.size()[0])),
                ConditionalContainer(_answers(parts), parts.asking),
                ConditionalContainer(_editor(parts, drawn, search), ~parts.asking),
                ConditionalContainer(Window(search, height=1), is_searching),
                CompletionsMenu(max_height=_MENU_ROWS, scroll_offset=1),
                _shown(lambda: drawn.status(parts.size()[0])),
            ]
        ),
        focused_element=parts.editor,
    )


def _editor(parts: Parts, drawn: Drawn, search: SearchBufferControl) -> Window:
    def prompt(line: int, wrapped: int) -> StyleAndTextTuples:
        if line or wrapped:
            return [("", "  ")]
        return [("class:mode", drawn.mode()), ("class:prompt", parts.prompt)]

    control = BufferControl(
        parts.editor,
        input_processors=[HighlightIncrementalSearchProcessor(), _Parted(), TabsProcessor(char1=" ", char2=" ")],
        search_buffer_control=search,
        preview_search=True,
    )
    height = Dimension(min=1, max=_EDITOR_ROWS)
    return Window(control, height=height, get_line_prefix=prompt, wrap_lines=True, dont_extend_height=True)


def _answers(parts: Parts) -> Window:
    control = BufferControl(parts.answers, input_processors=[_Parted(), BeforeInput(parts.hint)])
    return Window(control, height=1, dont_extend_height=True)


def screen_output(stream: TextIO) -> Output:
    """The screen behind `stream`, without cursor questions that a slow line would answer into the editor."""
    output = Vt100_Output.from_pty(stream)
    output.enable_cpr = False
    return output


def _shown(text: Callable[[], str]) -> ConditionalContainer:
    """A window on `text`, which is there while the text is not empty and asks for it once a redraw."""

    @lru_cache(maxsize=1)
    def drawn(redraw: int) -> str:
        return text()

    def now() -> str:
        return drawn(get_app().render_counter)

    window = Window(FormattedTextControl(lambda: ANSI(now())), dont_extend_height=True, wrap_lines=False)
    return ConditionalContainer(window, Condition(lambda: bool(now())))
