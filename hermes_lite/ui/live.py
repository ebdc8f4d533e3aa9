"""The live terminal: an editor and a status line that stay below a scrollback which only grows.

prompt_toolkit draws the moving part and rewrites only the cells that changed; printing takes that part away, writes,
and lets it be drawn again, all in one synchronised update. The keys are a table (`_bindings`); what they mean for a
turn is decided by `Intents`.
"""

import os
import re
import select
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import anyio
from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.enums import EditingMode
from prompt_toolkit.filters import Condition, has_completions, has_focus, is_searching
from prompt_toolkit.input import Input, create_input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.output import ColorDepth, Output
from rich.console import RenderableType

from hermes_lite.text import clean_surrogates, harmless
from hermes_lite.ui.complete import InputCompleter, mention
from hermes_lite.ui.frame import STYLE, Drawn, Parts, frame, screen_output
from hermes_lite.ui.guard import Guard
from hermes_lite.ui.history import LineHistory
from hermes_lite.ui.keys import understand_reported_keys
from hermes_lite.ui.look import PROMPT, Look, drawable, render
from hermes_lite.ui.terminal import Intents

_LINE_END = re.compile(r"\r\n?|\n")
_CTRL_D = "\0"
_CHUNK = 65536
_ESCAPE_WAIT = 0.1
_SHORTEST_REDRAW = 0.08
_BEGIN_UPDATE, _END_UPDATE = "\x1b[?2026h", "\x1b[?2026l"


@dataclass(slots=True)
class _Question:
    done: anyio.Event
    text: str | None = None


class LiveTerminal:
    """A `Terminal` on a real screen. `completer` and `history` serve the editor, `drawn` what stands around it."""

    def __init__(
        self,
        look: Look,
        drawn: Drawn,
        completer: InputCompleter,
        history: LineHistory,
        source: Input | None = None,
        out: Output | None = None,
        guard: Guard | None = None,
    ) -> None:
        understand_reported_keys()
        self.look = look
        self._guard = guard or Guard()
        self._question: _Question | None = None
        self._hint = ""
        self._held: list[str] = []
        self._away = False
        self._stopped = False
        self._intents: Intents | None = None
        self._editor = Buffer(
            completer=completer,
            complete_while_typing=Condition(self._completes_while_typing),
            history=history,
            multiline=True,
            enable_history_search=False,
        )
        self._answers = Buffer(multiline=False)
        self._asking = Condition(lambda: self._question is not None)
        self._app: Application[None] = Application(
            layout=frame(self._parts(), drawn),
            key_bindings=self._bindings(),
            style=STYLE,
            color_depth=None if look.color else ColorDepth.DEPTH_1_BIT,
            editing_mode=EditingMode.EMACS,
            erase_when_done=True,
            min_redraw_interval=_SHORTEST_REDRAW,
            input=source or create_input(sys.stdin),
            output=out or screen_output(sys.stdout),
        )
        self._app.ttimeoutlen = self._app.timeoutlen = _ESCAPE_WAIT

    @property
    def echoes(self) -> bool:
        return False

    @property
    def width(self) -> int:
        return self._size()[0]

    def say(self, what: RenderableType) -> None:
        self._write(render(what, self.look, self.width))

    def refresh(self) -> None:
        self._app.invalidate()

    def ready(self) -> None:
        self.refresh()

    def stop(self) -> None:
        self._stopped = True
        if self._app.is_running and not self._app.is_done:
            self._app.exit()

    async def run(self, intents: Intents) -> None:
        self._intents = intents
        with self._app.input.raw_mode():
            self._take(typed_ahead(self._app.input.fileno()))
            await self._app.run_async(pre_run=self._stop_if_told, handle_sigint=False)
        self._flush()

    def _take(self, typed: str) -> None:
        *lines, begun = _LINE_END.split(typed)
        for line in filter(str.strip, map(harmless, lines)):
            self._want.submit(line)
        if begun == _CTRL_D:
            self._want.finish()
        else:
            self._editor.insert_text(harmless(begun))

    def _stop_if_told(self) -> None:
        if self._stopped:
            self._app.exit()

    def give_back(self, texts: Sequence[str]) -> None:
        self._editor.text = "\n".join([*texts, self._editor.text]).rstrip("\n")
        self._editor.cursor_position = len(self._editor.text)

    async def answer(self, hint: str) -> str | None:
        self._question, self._hint = _Question(anyio.Event()), drawable(hint, self.look)
        self._answers.reset()
        self._app.layout.focus(self._answers)
        self._guard.arm()
        self.refresh()
        question = self._question
        try:
            await question.done.wait()
        finally:
            self._question = None
            self._app.layout.focus(self._editor)
            self.refresh()
        return question.text

    def _parts(self) -> Parts:
        return Parts(
            editor=self._editor,
            answers=self._answers,
            asking=self._asking,
            prompt=drawable(PROMPT, self.look),
            hint=lambda: [("class:wait" if self._guard.is_closed else "class:prompt", self._hint)],
            size=self._size,
        )

    def _size(self) -> tuple[int, int]:
        size = self._app.output.get_size()
        return size.columns, size.rows

    def _completes_while_typing(self) -> bool:
        text = self._editor.document.text_before_cursor
        return text.startswith("/") or mention(text) is not None

    # Printing

    def _write(self, text: str) -> None:
        """Print soon: what is said in one go takes the moving part away only once."""
        self._held.append(clean_surrogates(text).replace("\n", "\r\n"))
        if self._app.loop is None:
            self._flush()
        elif len(self._held) == 1:
            self._app.loop.call_soon(self._flush)

    def _flush(self) -> None:
        # Drawing again at once, which only the private call does, keeps all of it inside one update.
        if self._away or not self._held:
            return
        text = "".join(self._held)
        self._held.clear()
        output, app = self._app.output, self._app
        if not app.is_running:
            output.write_raw(text)
            output.flush()
            return
        output.write_raw(_BEGIN_UPDATE)
        app.renderer.erase()
        output.write_raw(text)
        app.renderer.reset()
        app._redraw()
        output.write_raw(_END_UPDATE)
        output.flush()

    # Keys

    def _bindings(self) -> KeyBindings:
        keys = KeyBindings()
        asking = self._asking
        editing = has_focus(self._editor) & ~asking
        guarded = asking & Condition(lambda: self._guard.swallows())
        searching = is_searching

        keys.add(Keys.Any, filter=guarded, eager=True)(_nothing)
        keys.add("c-m", filter=asking & ~guarded)(lambda event: self._settle(self._answers.text))
        for declining in ("escape", "c-d"):
            keys.add(declining, filter=asking, eager=True)(lambda event: self._settle(None))
        keys.add("c-c", eager=True)(lambda event: self._interrupt())
        keys.add("escape", filter=editing & ~searching)(lambda event: self._escape())
        keys.add("c-m", filter=editing & ~searching)(self._enter)
        for newline in (("escape", "c-m"), ("c-j",)):
            keys.add(*newline, filter=editing & ~searching)(lambda event: event.current_buffer.insert_text("\n"))
        keys.add("c-d", filter=editing & Condition(lambda: not self._editor.text))(lambda event: self._want.leave())
        for edit in (("c-g",), ("c-x", "c-e")):
            keys.add(*edit, filter=editing & ~searching)(self._open_editor)
        keys.add("c-z")(lambda event: event.app.suspend_to_background())
        keys.add("c-o", filter=editing | asking)(lambda event: self._want.unfold())
        keys.add("s-tab", filter=editing & ~has_completions)(lambda event: self._want.next_mode())
        return keys

    @property
    def _want(self) -> Intents:
        assert self._intents is not None, "keys arrive only while `run` runs"
        return self._intents

    def _enter(self, event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.complete_state and buffer.complete_state.current_completion and not buffer.text.startswith("/"):
            buffer.complete_state = None
            return
        if buffer.document.current_line_before_cursor.endswith("\\"):
            buffer.delete_before_cursor()
            buffer.insert_text("\n")
            return
        text = clean_surrogates(buffer.text)
        if text.strip():
            buffer.append_to_history()
            buffer.reset()
            self._want.submit(text)

    def _escape(self) -> None:
        if self._editor.complete_state:
            self._editor.cancel_completion()
        else:
            self._want.stop_turn()

    def _interrupt(self) -> None:
        if self._want.busy:
            self._want.interrupt()
        elif self._question:
            self._settle(None)
        elif self._editor.text:
            self._editor.reset()
        else:
            self._want.interrupt()

    def _settle(self, text: str | None) -> None:
        if self._question:
            self._question.text = text
            self._question.done.set()

    def _open_editor(self, event: KeyPressEvent) -> None:
        self._away = True
        event.current_buffer.open_in_editor().add_done_callback(lambda task: self._back())

    def _back(self) -> None:
        self._away = False
        self._flush()


def typed_ahead(source: int) -> str:
    """What was typed before the keys were read one by one.

    The terminal's own line editor has ended these lines with Ctrl-J, which as a key means a new line and not "send",
    and keeps a NUL where it took Ctrl-D.
    """
    typed = b""
    while select.select([source], [], [], 0)[0]:
        chunk = os.read(source, _CHUNK)
        if not chunk:
            break
        typed += chunk
    return typed.decode("utf-8", "replace")


def _nothing(event: KeyPressEvent) -> None:
    pass
