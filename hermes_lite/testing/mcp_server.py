"""A scripted MCP server over stdio: `python -m hermes_lite.testing.mcp_server SCRIPT.json`.

It speaks JSON-RPC by hand and imports no SDK, so that it starts in a twentieth of a second and forty of them are
cheap. What it says and does is `hermes_lite.testing.mcp_script`'s.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from hermes_lite.testing.mcp_script import Message, Script

_FOREVER = 3600


class StdioServer:
    """One run over this process's standard streams. A delayed answer does not hold up the others."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._data = script.data
        self._lock = threading.Lock()

    def run(self) -> int:
        self._prepare()
        for line in sys.stdin.buffer:
            message = json.loads(line)
            self._record(message)
            label = self._script.label(message)
            self._maybe_crash(label)
            delay = self._data.get("delays", {}).get(label, 0)
            if label in self._data.get("silent", ()):
                continue
            if delay:
                threading.Timer(delay, self._reply, (message,)).start()
            else:
                self._reply(message)
        if self._data.get("stubborn"):
            time.sleep(_FOREVER)
        return 0

    def _prepare(self) -> None:
        if self._data.get("stubborn"):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if self._data.get("children"):
            subprocess.Popen(["/bin/sleep", str(_FOREVER)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        for line in self._data.get("stderr", ()):
            print(line, file=sys.stderr, flush=True)
        time.sleep(self._data.get("delays", {}).get("start", 0))
        self._print(*self._data.get("before", ()))
        self._maybe_crash("start")

    def _reply(self, message: Message) -> None:
        self._print(*(json.dumps(reply, separators=(",", ":")) for reply in self._script.replies(message)))
        if message.get("method") == "initialize":
            self._print(*self._data.get("after", ()))
        if message.get("method") == "tools/list" and "dies" in self._data:
            threading.Timer(self._data["dies"], os._exit, (1,)).start()

    def _print(self, *lines: str) -> None:
        with self._lock:
            for line in lines:
                sys.stdout.write(line + "\n")
            sys.stdout.flush()

    def _record(self, message: Message) -> None:
        if "record" in self._data:
            with Path(self._data["record"]).open("a", encoding="utf-8") as file:
                file.write(json.dumps(message) + "\n")

    def _maybe_crash(self, label: str) -> None:
        crash: dict[str, Any] = self._data.get("crash", {})
        if crash.get("on") != label or self._crashes() >= crash.get("times", _FOREVER):
            return
        if "state" in self._data:
            Path(self._data["state"]).write_text(str(self._crashes() + 1), encoding="utf-8")
        print(crash.get("say", "scripted crash"), file=sys.stderr, flush=True)
        os._exit(crash.get("code", 1))

    def _crashes(self) -> int:
        """How often this server has crashed in earlier runs, by its `state` file."""
        path = Path(self._data.get("state", os.devnull))
        return int(path.read_text(encoding="utf-8") or 0) if path.exists() else 0


if __name__ == "__main__":
    sys.exit(StdioServer(Script.read(Path(sys.argv[1]))).run())
