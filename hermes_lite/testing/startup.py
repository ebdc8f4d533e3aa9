"""How long a person waits: from the start of the process to the chat's prompt, or to a one-shot answer."""

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

from hermes_lite.testing.model_server import ScriptedModel
from hermes_lite.testing.script import Text
from hermes_lite.text import utf8

PROMPT = "›"
LIMIT = 30.0
_HERMES = (sys.executable, "-m", "hermes_lite")


def first_prompt_seconds(home: Path) -> float:
    """Start the chat on a terminal of its own; seconds until its prompt is drawn. Raises `TimeoutError`."""
    controller, terminal = pty.openpty()
    started = time.perf_counter()
    chat = subprocess.Popen(
        (*_HERMES, "--demo"),
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=_environ(home),
        start_new_session=True,
    )
    os.close(terminal)
    try:
        _read_until(controller, PROMPT)
        return time.perf_counter() - started
    finally:
        chat.terminate()
        chat.wait()
        os.close(controller)


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


def _read_until(controller: int, mark: str) -> None:
    seen = b""
    deadline = time.monotonic() + LIMIT
    while utf8(mark) not in seen:
        ready, _, _ = select.select([controller], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            raise TimeoutError(f"no {mark} after {LIMIT:g} s: {seen[-500:]!r}")
        seen += os.read(controller, 65536)
