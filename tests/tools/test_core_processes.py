import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeAlias

import anyio
import anyio.to_thread
import pytest

from hermes_lite.tools.core import processes
from hermes_lite.tools.core.processes import Background, ProcessTable
from tests.support.promises import promise
from tests.tools.test_core_terminal import GRANDCHILD, is_running
from tests.tools.workbench import Workbench

Story: TypeAlias = Callable[[], Awaitable[None]]


def tell(bench: Workbench, story: Story) -> None:
    """Run `story`; whatever it left running is ended by closing the table."""

    async def whole() -> None:
        try:
            await story()
        finally:
            await bench.resource(ProcessTable).close()

    anyio.run(whole)


async def said(bench: Workbench, name: str, wanted: str, seen: str = "") -> str:
    """The output of the process after `seen` up to `wanted`, polled as a model would."""
    with anyio.fail_after(20):
        while wanted not in seen:
            result = await bench.call("process_manage", action="poll", process=name, wait=10)
            seen += result.text
    return seen


def test_a_process_is_started_talked_to_and_killed(bench: Workbench) -> None:
    async def story() -> None:
        started = await bench.call(
            "process_manage", action="start", command="echo ready; read x; echo got $x; sleep 600", wait=10
        )
        assert started.text == "p1 is running: echo ready; read x; echo got $x; sleep 600\nready"
        sent = await bench.call("process_manage", action="write", process="p1", input="42\n", wait=0)
        await said(bench, "p1", "got 42", sent.text)
        again = await bench.call("process_manage", action="poll", process="p1", wait=0)
        assert again.text.endswith("(no new output)")
        killed = await bench.call("process_manage", action="kill", process="p1")
        assert killed.text.startswith("p1 is killed by signal 15")
        listed = await bench.call("process_manage", action="list")
        assert listed.text.startswith("p1 is killed by signal 15: echo ready")

    tell(bench, story)


def test_the_end_and_the_exit_code_are_told(bench: Workbench) -> None:
    async def story() -> None:
        started = await bench.call("process_manage", action="start", command="echo last words; exit 7", wait=0)
        seen = await said(bench, "p1", "exit code 7", started.text)
        assert "last words" in seen
        dead = await bench.call("process_manage", action="write", process="p1", input="hello\n")
        assert dead.is_error
        assert dead.text == "NOT SENT: p1 takes no input; it is ended with exit code 7."

    tell(bench, story)


@promise("S-F14")
@pytest.mark.parametrize("stubborn", ["", "trap '' TERM; "])
def test_closing_the_table_ends_grandchildren_too(bench: Workbench, tmp_path: Path, stubborn: str) -> None:
    fifo = tmp_path / "pid"
    os.mkfifo(fifo)
    pids: list[str] = []

    async def story() -> None:
        command = stubborn + GRANDCHILD.format(pid=fifo) + "sleep 600"
        await bench.call("process_manage", action="start", command=command, wait=0)
        pids.append(await anyio.to_thread.run_sync(fifo.read_text))
        assert len(bench.resource(ProcessTable).running()) == 1

    tell(bench, story)
    assert bench.resource(ProcessTable).running() == ()
    assert not is_running(pids[0])


@promise("S-F14")
def test_what_a_process_leaves_behind_ends_with_it(bench: Workbench, tmp_path: Path) -> None:
    pid = tmp_path / "pid"

    async def story() -> None:
        command = GRANDCHILD.format(pid=pid) + f"until [ -s {pid} ]; do :; done"
        started = await bench.call("process_manage", action="start", command=command, wait=0)
        await said(bench, "p1", "ended", started.text)

    tell(bench, story)
    assert not is_running(pid.read_text())


@promise("CORE-OUTPUT")
def test_unread_output_is_bounded_and_the_loss_is_told(tmp_path: Path) -> None:
    process = Background("p1", "seq 1 100000", tmp_path, "s")
    assert process.wait_for_end(20)
    text = process.take()
    assert text.endswith("99999\n100000")
    assert "bytes before this were not kept]" in text
    assert len(text) < processes.UNREAD_MOST + 100


def test_a_cancelled_poll_returns_at_once(bench: Workbench) -> None:
    async def story() -> None:
        await bench.call("process_manage", action="start", command="sleep 600", wait=0)
        with anyio.move_on_after(0) as scope:
            await bench.call("process_manage", action="poll", process="p1", wait=60)
        assert scope.cancelled_caught

    tell(bench, story)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"action": "start"}, "NOT DONE: start takes command."),
        ({"action": "write", "process": "p1"}, "NOT DONE: write takes input and process."),
        (
            {"action": "write", "process": "p1", "input": "x", "command": "ls"},
            "NOT DONE: write takes input and process.",
        ),
        ({"action": "list", "command": "ls"}, "NOT DONE: list takes nothing else."),
        ({"action": "poll", "process": "p9"}, "There is no process p9. Known: none."),
        ({"action": "kill", "process": "p9"}, "There is no process p9. Known: none."),
        ({"action": "start", "command": "echo \0"}, "NOT STARTED: embedded null byte"),
    ],
)
def test_what_cannot_be_done_is_explained(bench: Workbench, arguments: dict[str, str], said: str) -> None:
    result = bench.run("process_manage", **arguments)
    assert (result.text, result.is_error) == (said, True)


def test_there_is_an_upper_bound_of_processes(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "RUNNING_MOST", 1)

    async def story() -> None:
        await bench.call("process_manage", action="start", command="sleep 600", wait=0)
        refused = await bench.call("process_manage", action="start", command="sleep 600", wait=0)
        assert refused.text.startswith("NOT STARTED: 1 processes run already")

    tell(bench, story)
