"""A scripted MCP server over HTTP: streamable HTTP at `/mcp` and the older SSE transport at `/sse`, on a free port.

Used in a test's own process, as a context manager; `python -m hermes_lite.testing.mcp_http SCRIPT.json` serves one by
itself. What it offers is `hermes_lite.testing.mcp_script`'s; the key "http" adds how it behaves as a web server:

    answer     "json" (default) or "sse": how a POST is answered
    page       true: every address answers with an HTML page
    status     {METHOD: HTTP status} answered instead
    cut        methods and "call:TOOL" whose first request is cut off without an answer
    header     {NAME: VALUE}: a request without it is answered 401
    sessions   false: no session id is given out
"""

import json
import socket
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

from hermes_lite.testing.mcp_script import Message, Script
from hermes_lite.text import utf8

_SESSION = "mcp-session-id"


@dataclass(frozen=True, slots=True)
class Received:
    """One request as it came: the JSON-RPC message (empty for a GET or DELETE) and the headers, in lower case."""

    verb: str
    message: Mapping[str, Any]
    headers: Mapping[str, str]


@dataclass(slots=True)
class _Stream:
    """An open event stream of one client; `None` ends it."""

    lines: SimpleQueue[str | None] = field(default_factory=SimpleQueue)

    def send(self, message: Message, event: str = "message") -> None:
        self.lines.put(f"event: {event}\ndata: {json.dumps(message)}\n\n")


class HttpServer:
    """Serves one script until left. `received` grows as requests come; `forget` makes every session unknown."""

    def __init__(self, data: Mapping[str, Any], *, port: int = 0, folder: Path | None = None) -> None:
        self.script = Script.of(data, folder or Path())
        self.received: list[Received] = []
        self._port = port
        self._server: ThreadingHTTPServer | None = None
        self._sessions: set[str] = set()
        self._streams: dict[str, _Stream] = {}
        self._listened = threading.Event()
        self._cut: set[str] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/mcp"

    @property
    def sse_url(self) -> str:
        return f"http://127.0.0.1:{self._port}/sse"

    def __enter__(self) -> Self:
        handler = type("Handler", (_Handler,), {"owner": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", self._port), handler)
        self._server.daemon_threads = True
        self._port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        for stream in list(self._streams.values()):
            stream.lines.put(None)
        self._server.shutdown()
        self._server.server_close()

    def forget(self) -> None:
        """What a restart does: every session id given out so far is unknown."""
        self._sessions.clear()
        for stream in list(self._streams.values()):
            stream.lines.put(None)

    def announce(self, method: str) -> None:
        """Send a notification to every client that listens."""
        for stream in list(self._streams.values()):
            stream.send({"jsonrpc": "2.0", "method": method})

    def wait_for_listener(self, seconds: float) -> bool:
        """Wait until a client listens for notifications; whether one does."""
        return self._listened.wait(seconds)

    def methods(self) -> list[str]:
        """The methods of the messages received so far."""
        return [str(item.message["method"]) for item in self.received if "method" in item.message]

    def cuts(self, message: Message) -> bool:
        """Whether this request is to be cut off; each that the script names is, once."""
        wanted = set(self.script.data.get("http", {}).get("cut", ())) - self._cut
        found = wanted & {message.get("method"), f"call:{(message.get('params') or {}).get('name')}"}
        self._cut |= found
        return bool(found)

    def open_session(self) -> str:
        session = uuid4().hex
        self._sessions.add(session)
        return session

    def knows(self, session: str | None) -> bool:
        return session in self._sessions

    def stream(self, session: str) -> _Stream:
        self._listened.set()
        return self._streams.setdefault(session, _Stream())

    def find_stream(self, session: str) -> _Stream | None:
        return self._streams.get(session)

    def drop_stream(self, session: str) -> None:
        self._streams.pop(session, None)


class _Handler(BaseHTTPRequestHandler):
    """One request. The owner is set by `HttpServer`, which makes a subclass for itself."""

    owner: HttpServer
    protocol_version = "HTTP/1.1"

    @property
    def _web(self) -> Mapping[str, Any]:
        web: Mapping[str, Any] = self.owner.script.data.get("http", {})
        return web

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        self._note(message)
        status = self._web.get("status", {}).get(message.get("method"))
        if self._turned_away():
            return
        if self.owner.cuts(message):
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
        elif status is not None:
            self._send(status, b"scripted status", "text/plain")
        elif urlsplit(self.path).path == "/messages":
            self._post_to_stream(message)
        elif urlsplit(self.path).path == "/sse":
            self._send(405, b"", "text/plain")
        elif self._is_lost(message):
            self._send(404, b"no such session", "text/plain")
        elif message.get("id") is None or "method" not in message:
            list(self.owner.script.replies(message))
            self._send(202, b"", "text/plain")
        else:
            self._answer(message)

    def do_GET(self) -> None:
        self._note({})
        if self._turned_away():
            return
        if urlsplit(self.path).path == "/sse":
            session = self.owner.open_session()
            self._stream(session, f"event: endpoint\ndata: /messages?session_id={session}\n\n")
        elif not self.owner.knows(self.headers.get(_SESSION)):
            self._send(405, b"", "text/plain")
        else:
            self._stream(self.headers[_SESSION], "")

    def do_DELETE(self) -> None:
        self._note({})
        self.owner.drop_stream(self.headers.get(_SESSION, ""))
        self._send(200, b"", "text/plain")

    def _answer(self, message: Message) -> None:
        *others, answer = self.owner.script.replies(message)
        is_first = message["method"] == "initialize" and self._web.get("sessions", True)
        headers = {_SESSION: self.owner.open_session()} if is_first else {}
        if self._web.get("answer") == "sse":
            events = "".join(f"event: message\ndata: {json.dumps(item)}\n\n" for item in (*others, answer))
            self._send(200, utf8(events), "text/event-stream", headers)
            return
        stream = self.owner.find_stream(self.headers.get(_SESSION, ""))
        if stream is not None:
            for item in others:
                stream.send(item)
        self._send(200, json.dumps(answer).encode(), "application/json", headers)

    def _post_to_stream(self, message: Message) -> None:
        stream = self.owner.stream(parse_qs(urlsplit(self.path).query)["session_id"][0])
        for reply in self.owner.script.replies(message):
            stream.send(reply)
        self._send(202, b"", "text/plain")

    def _stream(self, session: str, first: str) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        stream = self.owner.stream(session)
        self._write(first)
        while (line := stream.lines.get()) is not None:
            if not self._write(line):
                break
        self.owner.drop_stream(session)

    def _write(self, text: str) -> bool:
        try:
            self.wfile.write(utf8(text))
            self.wfile.flush()
        except OSError:
            return False
        return True

    def _turned_away(self) -> bool:
        """Whether the request was answered without looking at it: a web page, or no credentials."""
        if self._web.get("page"):
            self._send(200, b"<!doctype html><title>Hello</title>", "text/html; charset=utf-8")
            return True
        wanted = self._web.get("header", {})
        if any(self.headers.get(name) != value for name, value in wanted.items()):
            self._send(401, b"", "text/plain", {"www-authenticate": "Bearer"})
            return True
        return False

    def _is_lost(self, message: Message) -> bool:
        session = self.headers.get(_SESSION)
        return session is not None and not self.owner.knows(session) and message.get("method") != "initialize"

    def _note(self, message: Mapping[str, Any]) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.owner.received.append(Received(self.command, message, headers))

    def _send(self, status: int, body: bytes, kind: str, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {
            "content-type": kind,
            "content-length": str(len(body)),
            "connection": "close",
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self._write(body.decode())

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the test's output clean: what came is in `received`."""


if __name__ == "__main__":
    path = Path(sys.argv[1])
    with HttpServer(json.loads(path.read_text(encoding="utf-8")), folder=path.parent) as server:
        print(server.url, flush=True)
        sys.stdin.read()
