"""The chat on a real screen: keys in, cells out."""

import os
import re
import signal
from pathlib import Path

import anyio
import pytest

from hermes_lite.approvals.gate import Answer
from hermes_lite.approvals.rules import Rule
from hermes_lite.events import CallStarted, Notice, ReplyEnded, RequestStarted, Sink, TextDelta, TurnEnded
from hermes_lite.messages import AssistantMessage
from hermes_lite.tools.spec import Question
from tests.support.promises import promise
from tests.ui.fake import FakeRuntime, answered, call, reply
from tests.ui.moments import ROWS, asked
from tests.ui.screen import chatting
from tests.ui.scrollback import BARE

pytestmark = pytest.mark.anyio


async def _echo(text: str, sink: Sink) -> TurnEnded:
    reply(sink, f"You said {text}.")
    return answered(f"You said {text}.")


async def _endless(text: str, sink: Sink) -> TurnEnded:
    sink(RequestStarted(1))
    sink(TextDelta("Partial ans"))
    sink(CallStarted("a", "terminal", '{"command": "sleep 600"}'))
    await anyio.sleep_forever()
    raise AssertionError("unreachable")


@promise("SCREEN-14")
async def test_a_message_is_answered_and_the_way_back_is_told(tmp_path: Path) -> None:
    runtime = FakeRuntime(_echo)
    async with chatting(runtime, tmp_path) as screen:
        screen.keys("hello\r")
        await screen.until("You said hello.")
        screen.keys("\x04")
        assert await screen.over() == 0
    assert runtime.asked == ["hello"]
    assert screen.text.endswith(" -r 7f3a91")


async def test_of_a_session_that_holds_nothing_no_way_back_is_told(tmp_path: Path) -> None:
    async with chatting(FakeRuntime(_echo), tmp_path) as screen:
        screen.keys("hello\r")
        await screen.until("You said hello.")
        screen.keys("/new\r")
        await screen.until("new session")
        screen.keys("\x04")
        assert await screen.over() == 0
    assert "To go on" not in screen.text


@promise("SCREEN-15")
async def test_what_is_typed_during_a_turn_is_shown_and_sent_after_it(tmp_path: Path) -> None:
    go = anyio.Event()

    async def waiting(text: str, sink: Sink) -> TurnEnded:
        if text == "first":
            await go.wait()
        return await _echo(text, sink)

    runtime = FakeRuntime(waiting)
    async with chatting(runtime, tmp_path) as screen:
        screen.keys("first\r")
        await screen.until(lambda: runtime.asked == ["first"])
        screen.clock.now += 1
        screen.keys("second\rthird\rhalf")
        await screen.until("↳ third")
        assert runtime.asked == ["first"]
        go.set()
        await screen.until("You said third.")
        assert runtime.asked == ["first", "second", "third"]
        assert "› half" in screen.text


@promise("SCREEN-16")
@pytest.mark.parametrize("key", ("\x1b", "\x03"))
async def test_escape_or_control_c_ends_the_turn_and_keeps_what_was_said(tmp_path: Path, key: str) -> None:
    async with chatting(FakeRuntime(_endless), tmp_path) as screen:
        screen.keys("go\r")
        await screen.until("Partial ans")
        screen.keys(key)
        await screen.until("■ interrupted")
        kept = screen.text
        assert kept.index("Partial ans") < kept.index("■ interrupted")
        assert screen.code is None


async def test_what_waits_comes_back_into_the_editor_when_the_turn_is_stopped(tmp_path: Path) -> None:
    runtime = FakeRuntime(_endless)
    async with chatting(runtime, tmp_path) as screen:
        screen.keys("go\r")
        await screen.until("Partial ans")
        screen.keys("second\rdraft")
        await screen.until("↳ second")
        screen.keys("\x1b")
        await screen.until("■ interrupted")
        await screen.until("› second")
        screen.keys("!\r")
        await screen.until(lambda: len(runtime.asked) == 2)
    assert runtime.asked[1] == "second\ndraft!"


async def test_questions_are_put_one_after_the_other(tmp_path: Path) -> None:
    answers: list[str | None] = []

    async def script(text: str, sink: Sink) -> TurnEnded:
        async def put(number: int) -> None:
            assert runtime.ask is not None
            answers.append(await runtime.ask(Question(f"Question {number}?")))

        async with anyio.create_task_group() as group:
            group.start_soon(put, 1)
            group.start_soon(put, 2)
        return answered("Done.")

    runtime = FakeRuntime(script)
    async with chatting(runtime, tmp_path) as screen:
        screen.keys("go\r")
        await screen.until("Question 1?")
        assert "Question 2?" not in screen.text
        screen.clock.now += 1
        screen.keys("one\r")
        await screen.until("Question 2?")
        screen.clock.now += 1
        screen.keys("two\r")
        await screen.until("Done.")
    assert answers == ["one", "two"]


async def test_yolo_stands_before_the_prompt(tmp_path: Path) -> None:
    async with chatting(FakeRuntime(_echo), tmp_path) as screen:
        screen.keys("/approve yolo\r")
        await screen.until("yolo ›")


async def test_control_c_twice_leaves(tmp_path: Path) -> None:
    async with chatting(FakeRuntime(_endless), tmp_path) as screen:
        screen.keys("go\r")
        await screen.until("Partial ans")
        screen.keys("\x03\x03")
        assert await screen.over() == 130
    assert "■ interrupted" in screen.text


async def test_control_c_after_a_while_is_a_first_one_again(tmp_path: Path) -> None:
    async with chatting(FakeRuntime(_echo), tmp_path) as screen:
        screen.keys("\x03")
        await screen.until("Ctrl-C again quits")
        screen.clock.now += 2.5
        screen.keys("\x03x")
        await screen.until("› x")
        assert screen.code is None


async def test_control_c_is_a_first_one_again_after_something_was_sent(tmp_path: Path) -> None:
    async with chatting(FakeRuntime(_echo), tmp_path) as screen:
        screen.keys("\x03")
        await screen.until("Ctrl-C again quits")
        screen.keys("hello\r")
        await screen.until("You said hello.")
        screen.keys("\x03x")
        await screen.until("› x")
        assert screen.code is None


@pytest.mark.parametrize("key", ("\x1b", "\x03", "/stop\r"))
async def test_a_command_that_was_interrupted_says_so(tmp_path: Path, key: str) -> None:
    async with chatting(FakeRuntime(_echo), tmp_path) as screen:
        screen.keys("/compact\r")
        await screen.until("› /compact")
        await screen.taken()
        screen.keys(key)
        await screen.until("■ interrupted")


async def test_control_c_clears_a_line_before_it_means_anything_else(tmp_path: Path) -> None:
    async with chatting(FakeRuntime(_echo), tmp_path) as screen:
        screen.keys("draft\x03new")
        await screen.until("› new")
        assert "again quits" not in screen.text


async def test_a_tab_in_a_paste_is_shown_as_room(tmp_path: Path) -> None:
    runtime = FakeRuntime(_echo)
    async with chatting(runtime, tmp_path) as screen:
        screen.keys("\x1b[200~a:\r\n\tb\x1b[201~")
        await screen.until("    b")
        assert "^I" not in screen.text
        screen.keys("\r")
        await screen.until("You said")
    assert runtime.asked == ["a:\n\tb"]


@promise("S-A12")
async def test_a_joined_emoji_is_typed_as_its_parts_and_sent_as_one(tmp_path: Path) -> None:
    runtime = FakeRuntime(_echo)
    async with chatting(runtime, tmp_path) as screen:
        screen.keys("👩‍💻 end")
        await screen.tape.until("👩\u200b💻")
        screen.keys("\r")
        await screen.until("You said")
    assert runtime.asked == ["👩‍💻 end"]


@promise("SCREEN-17")
async def test_a_paste_is_never_sent_by_itself(tmp_path: Path) -> None:
    runtime = FakeRuntime(_echo)
    async with chatting(runtime, tmp_path) as screen:
        screen.keys("\x1b[200~line one\r\nline 日本 👩‍👩‍👧\r\x1b[201~")
        await screen.until("日本")
        assert runtime.asked == []
        screen.keys("end\r")
        await screen.until("You said")
    assert runtime.asked == ["line one\nline 日本 👩‍👩‍👧\nend"]


async def test_what_was_typed_before_the_chat_was_there_is_sent_line_by_line(tmp_path: Path) -> None:
    runtime = FakeRuntime(_echo)
    async with chatting(runtime, tmp_path, typed_before="first\nsecond\r\x1b[Ahalf") as screen:
        await screen.until("You said second.")
        await screen.until("› half")
    assert runtime.asked == ["first", "second"]


async def test_a_paste_of_broken_text_breaks_nothing(tmp_path: Path) -> None:
    runtime = FakeRuntime(_echo)
    async with chatting(runtime, tmp_path) as screen:
        screen.pipe.send_bytes(b"\x1b[200~a\xed\xa0\x80b \x1b]52;c;eA==\x07\x1b[201~\r")
        await screen.until("You said")
    runtime.asked[0].encode("utf-8")


@promise("SCREEN-28")
@pytest.mark.parametrize("newline", ("\x1b\r", "\n", "\\\r", "\x1b[13;2u", "\x1b[27;2;13~", "\x1b[13;3u"))
async def test_a_message_may_have_several_lines(tmp_path: Path, newline: str) -> None:
    runtime = FakeRuntime(_echo)
    async with chatting(runtime, tmp_path) as screen:
        screen.keys(f"one{newline}two\r")
        await screen.until("You said")
    assert runtime.asked == ["one\ntwo"]


@pytest.mark.parametrize("key", ("\x1b[99;5u", "\x1b[27;5;99~", "\x1b[27u"))
async def test_control_c_and_escape_mean_the_same_however_the_terminal_reports_them(tmp_path: Path, key: str) -> None:
    async with chatting(FakeRuntime(_endless), tmp_path) as screen:
        screen.keys("go\r")
        await screen.until("Partial ans")
        screen.keys(key)
        await screen.until("■ interrupted")
        assert screen.code is None


async def test_the_terminal_is_not_asked_to_report_keys_otherwise(tmp_path: Path) -> None:
    async with chatting(FakeRuntime(_echo), tmp_path) as screen:
        screen.keys("hi\r")
        await screen.until("You said hi.")
        assert not re.search(r"\x1b\[(>[\d;]*[um]|=[\d;]*u)", screen.tape.getvalue())


async def test_earlier_lines_come_back_with_up_and_control_r(tmp_path: Path) -> None:
    runtime = FakeRuntime(_echo)
    async with chatting(runtime, tmp_path) as screen:
        for line in ("alpha", "beta"):
            screen.keys(f"{line}\r")
            await screen.until(f"You said {line}")
        screen.keys("\x1b[A\x1b[A\r")
        await screen.until(lambda: len(runtime.asked) == 3)
        screen.keys("\x12bet")
        await screen.until("earlier lines with: bet")
        screen.keys("\r")
        await screen.until("› beta")
        screen.keys("\r")
        await screen.until(lambda: len(runtime.asked) == 4)
    assert runtime.asked[2:] == ["alpha", "beta"]


async def test_commands_complete_and_run(tmp_path: Path) -> None:
    async with chatting(FakeRuntime(_echo), tmp_path) as screen:
        screen.keys("/cont")
        await screen.until("what fills the window")
        screen.keys("\t\r")
        await screen.until("12.4k of 128k tokens")


async def test_a_command_that_does_not_exist_names_the_nearest(tmp_path: Path) -> None:
    async with chatting(FakeRuntime(_echo), tmp_path) as screen:
        screen.keys("/contxet\r")
        await screen.until("Did you mean /context?")


async def test_help_answers_while_a_turn_runs(tmp_path: Path) -> None:
    async with chatting(FakeRuntime(_endless), tmp_path) as screen:
        screen.keys("go\r")
        await screen.until("Partial ans")
        screen.keys("/mcp\r")
        await screen.until("401 Unauthorized")
        screen.keys("/stop\r")
        await screen.until("■ interrupted")


@promise("S-A11")
async def test_pieces_of_mouse_reports_are_not_typed_into_the_editor(tmp_path: Path) -> None:
    runtime = FakeRuntime(_echo)
    async with chatting(runtime, tmp_path) as screen:
        for piece in ("\x1b", "[<0;1", "0;10", "M", "\x1b[<0;10;1", "0m"):
            screen.keys(piece)
        screen.keys("clean\r")
        await screen.until("You said")
    assert runtime.asked == ["clean"]


@promise("S-A7")
async def test_without_colours_the_prompt_is_there_and_the_cursor_shows(tmp_path: Path) -> None:
    async with chatting(FakeRuntime(_echo), tmp_path, look=BARE) as screen:
        screen.keys("hi\r")
        await screen.until("You said hi.")
        tape = screen.tape.getvalue()
        assert tape.rfind("\x1b[?25h") >= tape.rfind("\x1b[?25l")
        assert "\x1b[3" not in tape
        assert any(line.startswith("›") for line in screen.visible)


@promise("S-A2", "S-A4")
async def test_a_long_answer_never_repaints_what_scrolled_by(tmp_path: Path) -> None:
    blocks = [f"Paragraph {number} of the answer." for number in range(40)]
    chunks = [f"{word} " for word in "\n\n".join(blocks).split(" ")]

    async def slowly(text: str, sink: Sink) -> TurnEnded:
        for chunk in chunks:
            sink(TextDelta(chunk))
            await anyio.lowlevel.checkpoint()
        sink(ReplyEnded(AssistantMessage("".join(chunks))))
        return answered("".join(chunks))

    async with chatting(FakeRuntime(slowly), tmp_path) as screen:
        screen.keys("go\r")
        await screen.until("3.2 s")
        lines = [line for line in screen.lines if line.startswith("Paragraph")]
        assert lines == blocks
        assert screen.tape.getvalue().count("\x1b[J") + screen.tape.getvalue().count("\x1b[0J") < len(chunks)


@promise("SCREEN-26", "S-A2")
async def test_lines_of_code_stand_in_the_scrollback_once_each_while_the_block_is_open(tmp_path: Path) -> None:
    lines = [f"value_{number} = {number}" for number in range(60)]
    shown: list[str] = []

    async def program(text: str, sink: Sink) -> TurnEnded:
        sink(TextDelta("```python\n"))
        for line in lines:
            sink(TextDelta(f"{line}\n"))
            await anyio.lowlevel.checkpoint()
        await screen.until(lines[-1])
        shown.extend(line.strip() for line in screen.lines if "value_" in line)
        sink(ReplyEnded(AssistantMessage("```python\n" + "\n".join(lines) + "\n```")))
        return answered("")

    async with chatting(FakeRuntime(program), tmp_path, columns=40, rows=20) as screen:
        screen.keys("go\r")
        await screen.until("3.2 s")
        assert shown == lines
        assert [line.strip() for line in screen.lines if "value_" in line] == lines


async def test_every_status_and_menu_fits_a_narrow_screen(tmp_path: Path) -> None:
    async with chatting(FakeRuntime(_echo), tmp_path, columns=40, rows=20) as screen:
        screen.keys("/co")
        await screen.until("/context")
        screen.keys("\x03what now\r")
        await screen.until("You said what now.")
        assert screen.visible[-1] == "" or "gpt-5-mini" in screen.text


async def _gated(runtime: FakeRuntime) -> Answer:
    assert runtime.approve is not None
    return await runtime.approve(asked(ROWS["terminal"], {"command": "make"}, "", Rule("terminal", "make")))


def _asking(answers: list[Answer]) -> FakeRuntime:
    async def script(text: str, sink: Sink) -> TurnEnded:
        answers.append(await _gated(runtime))
        return answered("Done.")

    runtime = FakeRuntime(script)
    return runtime


async def test_an_approval_is_a_letter_and_enter(tmp_path: Path) -> None:
    answers: list[Answer] = []
    async with chatting(_asking(answers), tmp_path) as screen:
        screen.keys("go\r")
        await screen.until("y/s/a/n")
        screen.clock.now += 1
        screen.keys("y\r")
        await screen.until("Done.")
    assert answers == [Answer("once")]


@promise("SCREEN-18")
async def test_keys_typed_ahead_answer_no_question(tmp_path: Path) -> None:
    answers: list[Answer] = []
    async with chatting(_asking(answers), tmp_path) as screen:
        screen.keys("go\r")
        await screen.until("y/s/a/n")
        for _ in range(5):
            screen.keys("y\r")
            await screen.taken()
            screen.clock.now += 0.4
        assert answers == []
        screen.clock.now += 0.2
        screen.keys("\r")
        await screen.until("Done.")
    assert answers == [Answer("no")]


@pytest.mark.parametrize("key", ("\x1b", "\x04"))
async def test_escape_says_no_at_any_time(tmp_path: Path, key: str) -> None:
    answers: list[Answer] = []
    async with chatting(_asking(answers), tmp_path) as screen:
        screen.keys("go\r")
        await screen.until("y/s/a/n")
        screen.keys(key)
        await screen.until("Done.")
    assert answers == [Answer("no")]


@promise("SCREEN-31")
async def test_control_o_shows_the_open_question_in_full_and_still_asks(tmp_path: Path) -> None:
    content = "\n".join(f"line {number}" for number in range(100))
    answers: list[Answer] = []

    async def gated(text: str, sink: Sink) -> TurnEnded:
        assert runtime.approve is not None
        answers.append(await runtime.approve(asked(ROWS["write_file"], {"path": "a", "content": content})))
        return answered("Done.")

    runtime = FakeRuntime(gated)
    async with chatting(runtime, tmp_path) as screen:
        screen.keys("go\r")
        await screen.until("y/n")
        assert "line 99" not in screen.text
        screen.clock.now += 1
        screen.keys("\x0f")
        await screen.until("line 99")
        screen.keys("y\r")
        await screen.until("Done.")
    assert answers == [Answer("once")]


async def test_control_c_in_a_question_ends_the_turn(tmp_path: Path) -> None:
    answers: list[Answer] = []
    async with chatting(_asking(answers), tmp_path) as screen:
        screen.keys("go\r")
        await screen.until("y/s/a/n")
        screen.keys("\x03")
        await screen.until("■ interrupted")
        screen.keys("/cost\r")
        await screen.until("$0.0123")
    assert answers == []


async def test_shift_tab_changes_what_asks(tmp_path: Path) -> None:
    async with chatting(FakeRuntime(_echo), tmp_path) as screen:
        screen.keys("\x1b[Z")
        await screen.until("auto-edit")
        screen.keys("/approve\r")
        await screen.until("terminal: git status*")
        screen.keys("/approve deny\r")
        await screen.until("Approvals: deny")


async def test_models_are_listed_with_the_one_that_answers_marked(tmp_path: Path) -> None:
    async with chatting(FakeRuntime(_echo), tmp_path) as screen:
        screen.keys("/model\r")
        await screen.until("● gpt-5-mini")
        screen.keys("/model gpt-5-n")
        await screen.until(lambda: screen.text.count("gpt-5-nano") == 2)
        screen.keys("\t\r")
        await screen.until("gpt-5-nano · https")


async def test_stopping_nothing_is_said_to_do_nothing(tmp_path: Path) -> None:
    async with chatting(FakeRuntime(_echo), tmp_path) as screen:
        screen.keys("/stop\r")
        await screen.until("nothing is running")


async def test_a_rule_is_forgotten_by_name(tmp_path: Path) -> None:
    async with chatting(FakeRuntime(_echo), tmp_path) as screen:
        screen.keys("/approve forget allow ter")
        await screen.until("forget allow terminal: git status*")
        screen.keys("\t\r")
        await screen.until("config.yaml: allow terminal: git status*")
        screen.keys("/approve forget\r")
        await screen.until("/approve forget needs a rule")


async def test_a_session_is_taken_up_where_it_was(tmp_path: Path) -> None:
    async with chatting(FakeRuntime(_echo), tmp_path) as screen:
        screen.keys("/resume\r")
        await screen.until("rename the flag everywhere")
        screen.keys("/resume 51c0de\r")
        await screen.until("Two tests are left.")


async def test_a_shell_line_runs_at_once(tmp_path: Path) -> None:
    async with chatting(FakeRuntime(_echo), tmp_path) as screen:
        screen.keys("!ls\r")
        await screen.until("README.md")


async def test_control_o_shows_the_last_output_in_full(tmp_path: Path) -> None:
    async def long(text: str, sink: Sink) -> TurnEnded:
        call(sink, "terminal", "{}", "\n".join(f"line {number}" for number in range(50)))
        return answered("")

    async with chatting(FakeRuntime(long), tmp_path) as screen:
        screen.keys("go\r")
        await screen.until("+47 lines")
        screen.keys("\x0f")
        await screen.until("line 49")


async def test_what_happens_outside_a_turn_is_told(tmp_path: Path) -> None:
    runtime = FakeRuntime(_echo)
    async with chatting(runtime, tmp_path) as screen:
        assert runtime.outside is not None
        runtime.outside(Notice("warning", "jira: 401 Unauthorized"))
        await screen.until("! jira: 401 Unauthorized")


@promise("SCREEN-22")
async def test_a_termination_signal_leaves_in_good_order(tmp_path: Path) -> None:
    async with chatting(FakeRuntime(_endless), tmp_path) as screen:
        screen.keys("go\r")
        await screen.until("Partial ans")
        os.kill(os.getpid(), signal.SIGTERM)
        assert await screen.over() == 143
    assert "■ interrupted" in screen.text
