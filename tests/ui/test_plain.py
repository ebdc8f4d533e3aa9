"""The chat where nothing can be redrawn: pipes, dumb terminals, screen readers."""

import io
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TextIO

import anyio
import pytest

from hermes_lite.approvals.gate import Answer
from hermes_lite.approvals.rules import Rule
from hermes_lite.events import Notice, Sink, TurnEnded
from hermes_lite.ui.banner import Welcome
from hermes_lite.ui.chat import Chat
from hermes_lite.ui.terminal import PlainTerminal
from tests.support.promises import promise
from tests.ui.fake import SETTINGS, FakeRuntime, answered, reply
from tests.ui.moments import ROWS, asked
from tests.ui.screen import PATIENCE, Clock, Tape
from tests.ui.scrollback import APPENDED

pytestmark = pytest.mark.anyio


async def _echo(text: str, sink: Sink) -> TurnEnded:
    await anyio.lowlevel.checkpoint()
    reply(sink, f"You said {text}.")
    return answered(f"You said {text}.")


async def _chat(runtime: FakeRuntime, source: TextIO, out: TextIO) -> int:
    with anyio.fail_after(PATIENCE):
        chat = Chat(runtime, SETTINGS, lambda chat: PlainTerminal(APPENDED, source, out), Clock())
        return await chat.run(Welcome("0.1.0", "it is there"))


@pytest.fixture(params=("pipe", "file"))
def typed(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[str], TextIO]]:
    opened: list[TextIO] = []

    def lines(text: str) -> TextIO:
        if request.param == "file":
            (tmp_path / "lines").write_text(text, encoding="utf-8")
            opened.append((tmp_path / "lines").open(encoding="utf-8"))
        else:
            reader, writer = os.pipe()
            os.write(writer, text.encode())
            os.close(writer)
            opened.append(os.fdopen(reader, encoding="utf-8"))
        return opened[-1]

    yield lines
    for stream in opened:
        stream.close()


@promise("SCREEN-20")
async def test_piped_lines_are_all_answered_before_the_chat_ends(typed: Callable[[str], TextIO]) -> None:
    runtime, out = FakeRuntime(_echo), io.StringIO()
    assert await _chat(runtime, typed("first\ntwo\\\nlines\nlast without an end"), out) == 0
    assert runtime.asked == ["first", "two\nlines", "last without an end"]
    assert "\x1b" not in out.getvalue()
    assert "› first" in out.getvalue()


async def test_a_question_on_a_pipe_is_declined(typed: Callable[[str], TextIO]) -> None:
    answers: list[Answer] = []

    async def gated(text: str, sink: Sink) -> TurnEnded:
        assert runtime.approve is not None
        answers.append(await runtime.approve(asked(ROWS["terminal"], {"command": "make"}, "", Rule("terminal"))))
        return answered("")

    runtime = FakeRuntime(gated)
    await _chat(runtime, typed("go\ny\n"), io.StringIO())
    assert answers[0] == Answer("no")


@asynccontextmanager
async def _on_a_dumb_terminal(runtime: FakeRuntime) -> AsyncIterator[tuple[Callable[[str], None], Tape]]:
    ours, theirs = os.openpty()
    tape = Tape()
    with os.fdopen(theirs, encoding="utf-8") as source:
        async with anyio.create_task_group() as group:
            group.start_soon(_chat, runtime, source, tape)
            yield lambda text: _type(ours, text), tape
            group.cancel_scope.cancel()
    os.close(ours)


def _type(terminal: int, text: str) -> None:
    os.write(terminal, text.encode())


async def test_what_a_terminal_echoes_is_not_said_again() -> None:
    async with _on_a_dumb_terminal(FakeRuntime(_echo)) as (type_, tape):
        await tape.until("> ")
        type_("hello\n")
        await tape.until("You said hello.")
        assert "› hello" not in tape.getvalue()


async def test_what_happens_meanwhile_is_followed_by_the_prompt() -> None:
    runtime = FakeRuntime(_echo)
    async with _on_a_dumb_terminal(runtime) as (_, tape):
        await tape.until("> ")
        assert "Ctrl-C interrupts" in tape.getvalue()
        assert runtime.outside is not None
        runtime.outside(Notice("warning", "jira: 401 Unauthorized"))
        assert tape.getvalue().endswith("\n! jira: 401 Unauthorized\n> ")


async def test_a_question_takes_the_next_line_and_none_before_it() -> None:
    answers: list[Answer] = []

    async def gated(text: str, sink: Sink) -> TurnEnded:
        assert runtime.approve is not None
        answers.append(await runtime.approve(asked(ROWS["terminal"], {"command": "make"}, "", Rule("terminal"))))
        return answered("Done.")

    runtime = FakeRuntime(gated)
    async with _on_a_dumb_terminal(runtime) as (type_, tape):
        await tape.until("> ")
        type_("go\n")
        await tape.until("y/s/a/n")
        type_("y\n")
        await tape.until("Done.")
    assert answers == [Answer("once")]


@promise("SCREEN-21")
def test_the_chat_is_there_before_a_model_or_a_server_client_is_loaded() -> None:
    late = ("openai", "mcp", "rich.markdown", "pygments")
    program = f"import sys, hermes_lite.ui.chat\nprint([name for name in {late!r} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"
