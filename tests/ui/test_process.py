"""The whole command on a terminal of its own, against a model server over real HTTP."""

import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fcntl import ioctl
from pathlib import Path

import pyte
import pytest

from hermes_lite.testing.model_server import ScriptedModel
from hermes_lite.testing.script import Call, Calls, Text
from hermes_lite.ui.guard import QUIET
from tests.support.promises import promise

ROWS, COLUMNS = 24, 80
PATIENCE = 30.0


@dataclass
class Session:
    """A process on a pty whose screen can be read."""

    process: subprocess.Popen[bytes]
    controller: int
    screen: pyte.Screen = field(default_factory=lambda: pyte.Screen(COLUMNS, ROWS))

    def __post_init__(self) -> None:
        self._cells = pyte.ByteStream(self.screen)

    def type(self, text: str) -> None:
        os.write(self.controller, text.encode())

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display).rstrip()

    def until(self, what: str) -> None:
        """Read until `what` stands on the screen; bounded."""
        deadline = time.monotonic() + PATIENCE
        while what not in self.text:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.controller], [], [], left)[0]:
                raise AssertionError(f"{what!r} never came; the screen:\n{self.text}")
            self._cells.feed(os.read(self.controller, 65536))


@contextmanager
def _started(model: ScriptedModel, folder: Path, home: Path) -> Iterator[Session]:
    controller, terminal = pty.openpty()
    ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    command = (sys.executable, "-m", "hermes_lite", "--base-url", model.base_url, "-m", "scripted")
    environ = {**os.environ, "HERMES_LITE_HOME": str(home), "TERM": "xterm-256color", "PYTHONUTF8": "1"}
    before = termios.tcgetattr(terminal)
    with subprocess.Popen(
        command, stdin=terminal, stdout=terminal, stderr=terminal, cwd=folder, env=environ, start_new_session=True
    ) as process:
        try:
            yield Session(process, controller)
            assert termios.tcgetattr(terminal) == before, "the terminal was not put back"
        finally:
            process.kill()
            os.close(terminal)
            os.close(controller)


@promise("SCREEN-25")
@pytest.mark.timeout(120)
def test_a_session_on_a_real_terminal(tmp_path: Path, home: Path) -> None:
    steps = (
        Text("The **answer** is 42."),
        Calls((Call("terminal", {"command": "touch made"}),)),
        Text("Made it."),
        Calls((Call("terminal", {"command": "echo begun && sleep 600"}),)),
    )
    with ScriptedModel(*steps) as model, _started(model, tmp_path, home) as session:
        session.until("›")
        session.type("what is it?\r")
        session.until("The answer is 42.")
        session.type("make it\r")
        session.until("y/s/a/n")
        time.sleep(2 * QUIET)  # what is typed sooner is dropped, and nothing on the screen tells when that ends
        session.type("y\r")
        session.until("Made it.")
        assert (tmp_path / "made").exists()
        session.type("/approve yolo\r")
        session.until("yolo ›")
        session.type("wait\r")
        session.until("sleep 600")
        session.type("\x1b")
        session.until("■ interrupted")
        session.type("\x04")
        session.until("To go on:")
        assert session.process.wait(PATIENCE) == 0
