"""A model that says what a script says, behind real HTTP and SSE on a free loopback port.

    with ScriptedModel(Calls((Call("read_file", {"path": "a.txt"}),)), Text("It says hello.")) as model:
        ...  # run anything against model.base_url
    model.requests[1].messages

It starts within milliseconds and serves from threads, so that it works for async tests, plain ones, and ones that
start the command as a process. Leaving the block fails when the script and the requests did not meet.
`python -m hermes_lite.testing.model_server SCRIPT.json` prints the base URL and serves until its input ends.
"""

import json
import socket
import sys
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from hermes_lite.testing.script import (
    Answer,
    Call,
    Calls,
    Cut,
    Gate,
    Page,
    Raw,
    Recorded,
    Scripted,
    Slow,
    Status,
    Step,
    Text,
    answer,
)

__all__ = [
    "Call",
    "Calls",
    "Cut",
    "Gate",
    "Page",
    "Raw",
    "Recorded",
    "ScriptedModel",
    "Slow",
    "Status",
    "Step",
    "Text",
]

_NO_STEP = Status(400, "the script has no step for this request")


class ScriptedModel:
    """Serves `steps` in order; a step may be a function of the request.

    `model` is the name in its model list, `entry` further fields there (`{"context_length": 8192}`); `routes` maps
    other paths, `/props` and the like, to the JSON they answer with, or to a function of the request that gives it.
    """

    def __init__(
        self,
        *steps: Scripted,
        model: str = "scripted",
        entry: Mapping[str, Any] | None = None,
        routes: Mapping[str, Any] | None = None,
    ) -> None:
        self.model = model
        self.requests: list[Recorded] = []
        self.questions: list[Recorded] = []
        self._steps = steps
        self._lock = threading.Lock()
        listing = {"object": "list", "data": [{"id": model, "object": "model", **(entry or {})}]}
        self._routes = {"/v1/models": listing, **(routes or {})}
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.scripted = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()
        if error is None:
            self.verify()

    def close(self) -> None:
        """Stop serving; open gates and connections are let go."""
        self._server.shutdown()
        for step in self._steps:
            if isinstance(step, Slow):
                step.gate.open()
        self._server.hang_up()
        self._server.server_close()
        self._thread.join()

    def verify(self) -> None:
        """Raise `AssertionError` unless every step was asked for and every request had a step."""
        if len(self.requests) == len(self._steps):
            return
        lines = [f"the script has {len(self._steps)} steps, but {len(self.requests)} requests came"]
        lines += [f"  step {n}: {_short(step)}" for n, step in enumerate(self._steps, 1)]
        lines += [f"  request {n}: {_ask(request)}" for n, request in enumerate(self.requests, 1)]
        raise AssertionError("\n".join(lines))

    def answer_post(self, request: Recorded) -> Answer:
        """The answer to a chat request, which is recorded."""
        with self._lock:
            position = len(self.requests)
            self.requests.append(request)
        scripted = self._steps[position] if position < len(self._steps) else _NO_STEP
        return answer(scripted(request) if callable(scripted) else scripted, self.model)

    def answer_other(self, request: Recorded) -> Answer:
        """The answer to anything else: a route, or 404."""
        self.questions.append(request)
        if request.path not in self._routes:
            return answer(Status(404, f"nothing at {request.path}"), self.model)
        route = self._routes[request.path]
        value = route(request) if callable(route) else route
        return answer(Page(json.dumps(value), "application/json"), self.model)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    scripted: ScriptedModel

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._connections: set[socket.socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._connections.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        for connection in list(self._connections):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                self._connections.discard(connection)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def do_GET(self) -> None:
        self._send(self.server.scripted.answer_other(self._record()))

    def do_POST(self) -> None:
        request = self._record()
        scripted = self.server.scripted
        is_chat = request.path.endswith("/chat/completions")
        self._send(scripted.answer_post(request) if is_chat else scripted.answer_other(request))

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing: the output belongs to the test."""

    def _record(self) -> Recorded:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        return Recorded(self.path, {key.lower(): value for key, value in self.headers.items()}, body)

    def _send(self, reply: Answer) -> None:
        try:
            self._write(reply)
        except ConnectionError:
            self.close_connection = True

    def _write(self, reply: Answer) -> None:
        if reply.gate:
            reply.gate.pass_through()
        if reply.status:
            self._write_head(reply)
        for piece in reply.pieces:
            if isinstance(piece, Gate):
                piece.pass_through()
            else:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        if reply.torn:
            self.close_connection = True
        else:
            self.wfile.write(b"0\r\n\r\n")

    def _write_head(self, reply: Answer) -> None:
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Transfer-Encoding", "chunked")
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()


def _short(thing: object) -> str:
    text = repr(thing)
    return text if len(text) <= 160 else text[:157] + "..."


def _ask(request: Recorded) -> str:
    """The last message of a request, which says best what was asked."""
    return _short(request.messages[-1])


def load_script(path: Path) -> list[Step]:
    """Read a JSON list of steps: objects with the step's fields and its kind, `{"kind": "text", "text": "hi"}`."""
    return [_step(dict(entry)) for entry in json.loads(path.read_text(encoding="utf-8"))]


_KINDS = {"text": Text, "calls": Calls, "raw": Raw, "status": Status, "cut": Cut, "page": Page}


def _step(fields: dict[str, Any]) -> Any:
    kind = _KINDS[fields.pop("kind")]
    if kind is Calls:
        fields["calls"] = tuple(Call(**call) for call in fields["calls"])
    return kind(**fields)


def main(arguments: list[str]) -> int:
    try:
        with ScriptedModel(*load_script(Path(arguments[0]))) as model:
            print(model.base_url, flush=True)
            sys.stdin.read()
    except AssertionError as difference:
        print(difference, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
