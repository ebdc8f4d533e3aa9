"""`mcp test`: the session's own way of starting a server, with everything that it finds."""

import os
import sys
from pathlib import Path

import pytest

from hermes_lite.mcp.probe import probe
from tests.mcp.rig import Rig, limits, tool
from tests.support.promises import promise

pytestmark = pytest.mark.anyio


@promise("S-M14")
async def test_a_probe_shows_the_resolved_command_the_tools_and_the_last_words(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    definition = rig.scripted(tools=[tool("t"), tool("a\nb")], stderr=["loading", "ready"], instructions="Use me.")
    (server,) = rig.read({"s": {**definition, "command": "python"}}).servers
    report = await probe(server, limits=limits(), logs=rig.folder / "logs", cwd=rig.folder)
    assert report.status.state == "ready"
    assert report.address.startswith("/")
    assert "hermes_lite.testing.mcp_server" in report.address
    assert [row.original_name for row in report.rows] == ["t"]
    assert [drop.name for drop in report.dropped] == ["a b"]
    assert (report.instructions, report.words) == ("Use me.", ("loading", "ready"))


async def test_a_probe_of_a_server_that_dies_gives_its_reason(rig: Rig) -> None:
    (server,) = rig.read({"s": rig.scripted(crash={"on": "start", "say": "ImportError: no FastMCP"})}).servers
    report = await probe(server, limits=limits(), logs=rig.folder / "logs", cwd=rig.folder)
    assert report.status.state == "failed"
    assert "ImportError: no FastMCP" in report.status.detail
    assert report.words == ("ImportError: no FastMCP",)


@promise("S-M14")
async def test_a_server_gets_the_safe_part_of_the_environment_and_its_own(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_SECRET", "s")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    show = "import os, sys; print(sorted(os.environ.items()), os.getcwd(), file=sys.stderr)"
    definition = {"command": "python3", "args": ["-c", show], "env": {"OWN": "1"}, "cwd": str(rig.folder)}
    (server,) = rig.read({"s": definition}).servers
    (words,) = (await probe(server, limits=limits(), logs=rig.folder / "logs", cwd=rig.folder)).words
    assert all(
        name in words for name in ("'PATH'", "'HTTPS_PROXY'", "'LC_ALL'", "('OWN', '1')", "('HERMES_LITE', '1')")
    )
    assert "SOME_SECRET" not in words
    assert words.endswith(str(rig.folder))
    (open_server,) = rig.read({"s": {**definition, "inherit_env": True}}).servers
    report = await probe(open_server, limits=limits(), logs=rig.folder / "logs", cwd=rig.folder)
    assert "SOME_SECRET" in report.words[-1]
