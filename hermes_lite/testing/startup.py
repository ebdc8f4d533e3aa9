"""How long a person waits: from the start of the process to the chat's prompt, or to a one-shot answer."""

import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hermes_lite.testing.model_server import ScriptedModel
from hermes_lite.testing.script import Text
from hermes_lite.text import utf8

PROMPT = "›"
LIMIT = 30.0
_HERMES = (sys.executable, "-m", "hermes_lite")


class Chat:
    """A chat on a terminal of its own."""

    def __init__(self, controller: int, process: subprocess.Popen[bytes]) -> None:
        self._controller = controller
        self._process = process
        self._seen = b""
        self._started = time.perf_counter()

    def type(self, text: str) -> None:
        os.write(self._controller, utf8(text))

    def exit_code(self) -> int:
        """Wait until the chat has left by itself. Raises `TimeoutExpired`."""
        return self._process.wait(LIMIT)

    def seconds_until(self, mark: str, times: int = 1) -> float:
        """Seconds from the start of the process until `mark` has come `times` times. Raises `TimeoutError`."""
        deadline = time.monotonic() + LIMIT
        while self._seen.count(utf8(mark)) < times:
            ready, _, _ = select.select([self._controller], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError(f"no {mark} after {LIMIT:g} s: {self._seen[-500:]!r}")
            self._seen += os.read(self._controller, 65536)
        return time.perf_counter() - self._started


@contextmanager
def chat_on_a_terminal(home: Path) -> Iterator[Chat]:
    """Start the chat, on the demo planner."""
    controller, terminal = pty.openpty()
    process = subprocess.Popen(
        (*_HERMES, "--demo"),
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=_environ(home),
        start_new_session=True,
    )
    os.close(terminal)
    try:
        yield Chat(controller, process)
    finally:
        process.terminate()
        process.wait()
        os.close(controller)


def early_prompt_seconds(home: Path) -> float:
    """Seconds until a person can type; what is typed is run once the chat has been loaded."""
    with chat_on_a_terminal(home) as chat:
        return chat.seconds_until(PROMPT)


def chat_seconds(home: Path) -> float:
    """Seconds until the chat itself has drawn its prompt."""
    with chat_on_a_terminal(home) as chat:
        return chat.seconds_until(PROMPT, 2)


def one_shot_seconds(home: Path) -> float:
    """Seconds of one `-p` run against a local server that answers at once."""
    with ScriptedModel(Text("hello")) as model:
        started = time.perf_counter()
        subprocess.run(
            (*_HERMES, "-p", "hi", "--base-url", model.base_url),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env=_environ(home),
            check=True,
        )
        return time.perf_counter() - started


def _environ(home: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    own = {"HERMES_LITE_HOME": str(home), "HERMES_LITE__MODEL__LOCAL_SERVERS": "[]"}
    return {**kept, **own, "TERM": "xterm-256color", "PYTHONUTF8": "1"}
