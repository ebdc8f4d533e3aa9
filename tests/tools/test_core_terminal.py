import os
import random
import tracemalloc
from pathlib import Path

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest

from hermes_lite.tools.core.output import Capture, readable
from tests.support.promises import promise
from tests.tools.workbench import Workbench


def is_running(pid: str) -> bool:
    try:
        stat = Path(f"/proc/{int(pid)}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


GRANDCHILD = "sh -c 'echo $$ > {pid}; exec sleep 600' & "


def test_output_and_exit_code_come_back(bench: Workbench) -> None:
    result = bench.run("terminal", command="echo out; echo err >&2; exit 3")
    assert result.text == "out\nerr\n[exit code 3]"
    assert result.is_error
    assert result.data == {"exit_code": 3}
    assert bench.progress == "out\nerr\n"


def test_success_without_output_says_so(bench: Workbench) -> None:
    result = bench.run("terminal", command="true")
    assert (result.text, result.is_error) == ("(no output)", False)


def test_children_know_where_they_run_and_have_no_terminal(bench: Workbench) -> None:
    command = "echo $HERMES_LITE $HERMES_LITE_SESSION; pwd; cat; (: < /dev/tty) 2>/dev/null || echo no tty; cd /; X=1"
    assert bench.run("terminal", command=command).text == f"1 session-1\n{bench.folder}\nno tty"
    assert bench.run("terminal", command='pwd; echo "[$X]"').text == f"{bench.folder}\n[]"


def test_a_folder_may_be_named_and_must_exist(bench: Workbench) -> None:
    (bench.folder / "sub").mkdir()
    assert bench.run("terminal", command="pwd", folder="sub").text == str(bench.folder / "sub")
    missing = bench.run("terminal", command="touch ran", folder="nosuch")
    assert missing.is_error
    assert "no folder" in missing.text


@promise("S-F14")
def test_a_timeout_kills_the_whole_group_and_keeps_the_output(bench: Workbench, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    result = bench.run("terminal", command=GRANDCHILD.format(pid=pid) + "echo before; sleep 600", timeout=1)
    assert result.is_error
    assert result.text.startswith("before\n[killed after 1 seconds")
    assert not is_running(pid.read_text())


@promise("S-F14")
@pytest.mark.parametrize("stubborn", ["", "trap '' TERM INT HUP; "])
def test_stop_kills_backgrounded_grandchildren(bench: Workbench, tmp_path: Path, stubborn: str) -> None:
    fifo = tmp_path / "pid"
    os.mkfifo(fifo)

    async def stopped() -> str:
        async with anyio.create_task_group() as tasks:
            command = stubborn + GRANDCHILD.format(pid=fifo) + "sleep 600"
            tasks.start_soon(lambda: bench.call("terminal", command=command))
            pid = await anyio.to_thread.run_sync(fifo.read_text)
            tasks.cancel_scope.cancel()
        return pid

    assert not is_running(anyio.run(stopped))


@promise("S-F14")
def test_a_stop_at_any_moment_leaves_no_process(bench: Workbench, tmp_path: Path) -> None:
    moments = random.Random(11)

    async def stopped_after(passes: int, pid: Path) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: bench.call("terminal", command=f"echo $$ > {pid}; sleep 600"))
            for _ in range(passes):
                await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()

    for number in range(15):
        pid = tmp_path / f"pid{number}"
        anyio.run(stopped_after, moments.randrange(200), pid)
        assert not (pid.exists() and is_running(pid.read_text() or "0"))


@promise("S-F14")
def test_what_is_left_in_the_background_is_ended_and_told(bench: Workbench, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    wait = f"until [ -s {pid} ]; do :; done; echo done"
    result = bench.run("terminal", command=GRANDCHILD.format(pid=pid) + wait)
    assert not result.is_error
    assert result.text == "done\n[what it left running in the background was ended; use process_manage for that]"
    assert not is_running(pid.read_text())


def test_output_of_what_the_shell_does_not_wait_for_is_kept(bench: Workbench) -> None:
    result = bench.run("terminal", command="echo words > >(cat; echo last)")
    assert result.text == "words\nlast"


@promise("CORE-OUTPUT")
def test_long_output_is_cut_in_the_middle_and_kept_whole(bench: Workbench) -> None:
    result = bench.run("terminal", command="seq 1 100000")
    assert result.text.startswith("1\n2\n3\n")
    assert result.text.endswith("\n99999\n100000")
    assert len(result.text) < bench.settings.output_bytes + 300
    kept = bench.side / "outputs" / "call-1.txt"
    assert f"bytes left out; the whole is in {kept}" in result.text
    assert kept.read_text() == "".join(f"{number}\n" for number in range(1, 100001))
    assert len(bench.progress) <= 20_000


@promise("CORE-OUTPUT")
def test_memory_stays_bounded_however_much_comes(tmp_path: Path) -> None:
    capture = Capture(2000, Path(os.devnull))
    chunk = b"x" * 65536
    tracemalloc.start()
    for _ in range(1000):
        capture.feed(chunk)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    capture.close()
    assert peak < 2_000_000
    assert "the first 50,000,000 bytes are in" in capture.text()


def test_an_output_that_cannot_be_kept_is_still_shown(tmp_path: Path) -> None:
    capture = Capture(100, tmp_path / "no folder" / "out.txt")
    for number in range(100):
        capture.feed(b"%d\n" % number)
    capture.close()
    assert "could not be kept: No such file" in capture.text()
    assert capture.text().endswith("\n99")


@promise("CORE-HARMLESS")
@pytest.mark.parametrize(
    ("written", "read"),
    [
        (b"\x1b[31mred\x1b[0m", "red"),
        (b"\x1b]52;c;cHduZWQ=\x07x", "x"),
        (b"\x1b]8;;http://evil\x1b\\link", "link"),
        (b"10%\r50%\r100%\ndone", "100%\ndone"),
        (b"a\r\nb\r\n", "a\nb\n"),
        (b"\xff\xfe\x00broken \xe2\x82", "��broken �"),
        ("rtl \u202e evil".encode(), "rtl  evil"),
    ],
)
def test_output_is_made_fit_to_read(written: bytes, read: str) -> None:
    assert readable(written) == read


@promise("T-A09")
def test_a_tool_name_typed_as_a_command_gets_a_hint(bench: Workbench) -> None:
    assert "call it with tool_call" in bench.run("terminal", command="mcp__git__git_log --oneline").text
    assert "tool" not in bench.run("terminal", command="no_such_command_anywhere").text


@promise("CORE-TEXT")
def test_a_command_that_no_system_takes_is_not_run(bench: Workbench) -> None:
    for command in ("echo \ud800", "echo \0"):
        result = bench.run("terminal", command=command)
        assert result.is_error
        assert result.text.startswith("NOT RUN")
