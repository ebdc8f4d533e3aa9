"""The scripted model, asked with nothing but the standard library."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from hermes_lite.testing.model_server import Call, Calls, Cut, Gate, Page, Raw, ScriptedModel, Slow, Status, Text
from hermes_lite.testing.script import Recorded, Step
from tests.support.promises import promise


@contextmanager
def asking(base_url: str, text: str = "hello") -> Iterator[HTTPResponse]:
    parts = urlsplit(base_url)
    body = json.dumps({"messages": [{"role": "user", "content": text}], "tools": []})
    with closing(HTTPConnection(parts.hostname or "", parts.port or 0, timeout=10)) as connection:
        connection.request("POST", parts.path + "/chat/completions", body, {"X-Mark": "m"})
        with connection.getresponse() as response:
            yield response


def body_of(base_url: str) -> bytes:
    with asking(base_url) as response:
        return response.read()


def hang_up_is_fine(base_url: str) -> None:
    with suppress(HTTPException, OSError):
        body_of(base_url)


def read(base_url: str, text: str = "hello") -> list[Mapping[str, Any]]:
    """The chunks of one streamed answer."""
    with asking(base_url, text) as response:
        assert response.headers["content-type"] == "text/event-stream"
        lines = response.read().decode().splitlines()
    assert lines[-2] == "data: [DONE]"
    return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: {")]


def deltas(chunks: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [choice["delta"] for chunk in chunks for choice in chunk["choices"] if choice["delta"]]


@promise("SCRIPT-wire")
def test_steps_are_answered_in_order_and_requests_recorded() -> None:
    with ScriptedModel(Text("Hello", size=2), Status(429, "later", {"retry-after": "3"})) as model:
        chunks = read(model.base_url, "first")
        assert [delta["content"] for delta in deltas(chunks)[1:]] == ["He", "ll", "o"]
        assert chunks[-1]["usage"]["prompt_tokens"] == 100
        with asking(model.base_url, "second") as refused:
            assert (refused.status, refused.headers["retry-after"]) == (429, "3")
            assert json.loads(refused.read())["error"]["message"] == "later"
    assert [request.messages[0]["content"] for request in model.requests] == ["first", "second"]
    first = model.requests[0]
    assert (first.path, first.headers["x-mark"]) == ("/v1/chat/completions", "m")
    assert json.loads(first.body) == first.json and first.tools == []


@promise("SCRIPT-wire")
def test_calls_are_split_and_numbered_as_the_step_says() -> None:
    calls = (Call("f", {"a": 1}), Call("g", "{broken", id="x"))
    with ScriptedModel(Calls(calls, size=4), Calls(calls, numbering="none", send_ids=False)) as model:
        first = [entry for delta in deltas(read(model.base_url)) for entry in delta.get("tool_calls", ())]
        second = [entry for delta in deltas(read(model.base_url)) for entry in delta.get("tool_calls", ())]
    assert [(entry["index"], entry.get("id")) for entry in first] == [(0, "call_s0"), (0, None), (1, "x"), (1, None)]
    assert "".join(entry["function"]["arguments"] for entry in first) == '{"a": 1}{broken'
    assert all("index" not in entry and "id" not in entry for entry in second)


def test_a_step_may_be_a_function_of_the_request() -> None:
    def echo(request: Recorded) -> Step:
        return Text(request.messages[-1]["content"].upper())

    with ScriptedModel(echo) as model:
        assert "".join(delta["content"] for delta in deltas(read(model.base_url, "loud"))) == "LOUD"


@promise("SCRIPT-wire")
@pytest.mark.parametrize("at", ["headers", "line"])
def test_a_cut_tears_the_connection(at: str) -> None:
    with ScriptedModel(Cut(at, "Half")) as model, pytest.raises((HTTPException, ConnectionError)):  # type: ignore[arg-type]
        body_of(model.base_url)


def test_a_cut_before_the_finish_reason_ends_the_body_properly() -> None:
    with ScriptedModel(Cut("finish", "Half")) as model:
        body = body_of(model.base_url)
    assert b"Half" in body and b"[DONE]" not in body


def test_raw_chunks_and_pages_are_sent_as_they_are() -> None:
    with ScriptedModel(Raw((b"data: \xff\n\n", "{bad", {"a": 1}), done=False), Page("<p>", "text/html")) as model:
        assert body_of(model.base_url) == b'data: \xff\n\ndata: {bad\n\ndata: {"a": 1}\n\n'
        with asking(model.base_url) as page:
            assert (page.headers["content-type"], page.read()) == ("text/html", b"<p>")


@promise("SCRIPT-gate")
def test_a_slow_answer_waits_at_its_gate() -> None:
    gate = Gate()
    with ScriptedModel(Slow(Text("Hello", size=2), gate, after=2)) as model, asking(model.base_url) as response:
        gate.wait_reached()
        assert b"He" in response.readline() + response.readline() + response.readline()
        gate.open()
        assert b"[DONE]" in response.read()


@promise("SCRIPT-gate")
def test_a_gate_before_the_headers_holds_the_whole_answer() -> None:
    gate = Gate()
    with ScriptedModel(Slow(Text("Hello"), gate)) as model:
        answered = threading.Event()
        thread = threading.Thread(target=lambda: (body_of(model.base_url), answered.set()))
        thread.start()
        gate.wait_reached()
        assert not answered.is_set()
        gate.open()
        thread.join()
    assert answered.is_set()


def test_leaving_lets_go_of_a_gate_that_nobody_opened() -> None:
    gate = Gate()
    with ScriptedModel(Slow(Text("Hello"), gate)) as model:
        thread = threading.Thread(target=hang_up_is_fine, args=(model.base_url,))
        thread.start()
        gate.wait_reached()
    thread.join()


@promise("SCRIPT-verify")
def test_a_step_that_nobody_asked_for_fails_the_test_and_is_named() -> None:
    with (
        pytest.raises(AssertionError, match="2 steps, but 1 requests") as failure,
        ScriptedModel(Text("one"), Text("two")) as model,
    ):
        read(model.base_url, "hello there")
    assert "step 2: Text(text='two'" in str(failure.value)
    assert "hello there" in str(failure.value)


@promise("SCRIPT-verify")
def test_a_request_without_a_step_is_refused_and_fails_the_test() -> None:
    with pytest.raises(AssertionError, match="0 steps, but 1 requests"), ScriptedModel() as model:
        assert b"no step for this request" in body_of(model.base_url)


def test_an_error_in_the_test_is_not_hidden_by_the_script() -> None:
    with pytest.raises(KeyError), ScriptedModel(Text("one")):
        raise KeyError("the test's own")


def test_the_model_list_and_other_routes_are_answered_and_not_counted() -> None:
    with ScriptedModel(model="m", entry={"context_length": 5}, routes={"/props": {"n": 1}}) as model:
        parts = urlsplit(model.base_url)
        found = {}
        for path in ("/v1/models", "/props", "/nowhere"):
            with closing(HTTPConnection(parts.hostname or "", parts.port or 0, timeout=10)) as connection:
                connection.request("GET", path)
                response = connection.getresponse()
                found[path] = (response.status, json.loads(response.read()))
    assert found["/v1/models"][1]["data"] == [{"id": "m", "object": "model", "context_length": 5}]
    assert found["/props"] == (200, {"n": 1})
    assert found["/nowhere"][0] == 404


@promise("SCRIPT-process")
def test_a_script_file_is_served_by_a_process_of_its_own(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    steps = [{"kind": "calls", "calls": [{"name": "f", "arguments": {"a": 1}}]}, {"kind": "text", "text": "Done"}]
    script.write_text(json.dumps(steps), encoding="utf-8")
    command = [sys.executable, "-m", "hermes_lite.testing.model_server", str(script)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout and process.stdin and process.stderr
        base_url = process.stdout.readline().strip()
        assert deltas(read(base_url))[1]["tool_calls"][0]["function"]["name"] == "f"
        process.stdin.close()
        assert "2 steps, but 1 requests" in process.stderr.read()
        assert process.wait(10) == 1
