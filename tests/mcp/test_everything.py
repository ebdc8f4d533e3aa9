"""`@modelcontextprotocol/server-everything` from npm, feature by feature, over each of its transports."""

import json
import os
import socket
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest

from hermes_lite.mcp.wishes import Completion, Wish
from hermes_lite.tools.spec import Question, ToolResult
from tests.mcp.rig import BOUND, Rig
from tests.support import peers
from tests.support.promises import promise

PATHS = {"stdio": "", "streamableHttp": "/mcp", "sse": "/sse"}

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(
        not peers.EVERYTHING.is_file(),
        reason="server-everything is not there: scripts/test installs it where it finds npm and Node 20",
    ),
]


@asynccontextmanager
async def definition(wire: str) -> AsyncIterator[dict[str, Any]]:
    """The definition of the server, which runs by itself unless `wire` is stdio."""
    command = ["node", str(peers.EVERYTHING), wire]
    if wire == "stdio":
        yield {"command": command[0], "args": command[1:]}
        return
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environ = {**os.environ, "PORT": str(port)}
    with subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            await _until_open(port)
            yield {"url": f"http://127.0.0.1:{port}{PATHS[wire]}", "type": "sse" if wire == "sse" else "http"}
        finally:
            server.kill()


async def _until_open(port: int) -> None:
    with anyio.fail_after(BOUND):
        while True:
            try:
                async with await anyio.connect_tcp("127.0.0.1", port):
                    return
            except OSError:
                await anyio.sleep(0.02)


async def person(question: Question) -> str | None:
    """Takes the first choice, else leaves out what may be left out."""
    return question.choices[0] if question.choices else "" if "optional" in question.text else "Ada"


async def model(wish: Wish) -> Completion | None:
    return Completion(f"heard {wish.turns[-1][1]}", "m1")


@promise("MCP-62")
@pytest.mark.parametrize("wire", PATHS)
async def test_every_feature_of_server_everything_works(rig: Rig, wire: str) -> None:
    async with (
        definition(wire) as server,
        rig.pool({"all": {**server, "sampling": True}}, ask=person, complete=model) as pool,
    ):
        await pool.wait_settled()
        await rig.until(lambda: "mcp__all__trigger-sampling-request" in rig.names())

        async def call(name: str, /, **arguments: Any) -> ToolResult:
            result = await rig.call(f"mcp__all__{name}", **arguments)
            assert not result.is_error, result.text
            return result

        assert (await call("echo", message="héllo 🎯")).text == "Echo: héllo 🎯"
        assert "3" in (await call("get-sum", a=1, b=2)).text
        assert "image/png" in (await call("get-tiny-image")).text
        structured = await call("get-structured-content", location="Chicago")
        assert structured.data == json.loads(structured.text)
        assert "[resource demo://" in (await call("get-resource-links", count=2)).text
        assert "Resource 1" in (await call("get-resource-reference", resourceType="Text", resourceId=1)).text
        await call("trigger-long-running-operation", duration=0.3, steps=3)
        assert rig.progress() == ["1/3", "2/3", "3/3"]
        assert rig.folder.name in (await call("get-roots-list")).text
        assert "heard" in (await call("trigger-sampling-request", prompt="hello", maxTokens=10)).text
        assert "Ada" in (await call("trigger-elicitation-request")).text
        assert "demo://" in (await call("read_resource")).text
        assert "# " in (await call("read_resource", uri="demo://resource/static/document/features.md")).text
        prompt = await call("get_prompt", name="args-prompt", arguments={"city": "Kyoto"})
        assert "Kyoto" in prompt.text
        assert "simple-prompt" in pool.prompts()["all"]
        assert "all" in pool.instructions()
        wrong = await rig.call("mcp__all__get-sum", a="one")
        assert wrong.is_error
        assert {drop.name for drop in rig.registry.dropped()} == {"simulate-research-query"}
