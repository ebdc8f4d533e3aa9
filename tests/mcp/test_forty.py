"""Forty servers, three of them broken in different ways, behind the real command and a real session.

In the session three of the others are published ones, of two generations of the SDK.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest

from hermes_lite.testing.model_server import ScriptedModel
from hermes_lite.tools.core.process_group import is_gone
from tests.agent.rig import BOUND
from tests.agent.rig import Rig as Session
from tests.support import peers
from tests.support.cli import Shell, shell_in
from tests.support.promises import promise

SCRIPTED = tuple(f"s{n}" for n in range(34))
BROKEN = ("crash", "mute", "noise")
# How a tool of each published server is asked for, and which one is wanted.
PUBLISHED = {
    "git": ("show commit logs", "git_log"),
    "sqlite": ("list database tables", "list_tables"),
    "time": ("convert time between timezones", "convert_time"),
}
WANTED = {**{name: (f"polish {name}", f"polish_{name}") for name in SCRIPTED}, **PUBLISHED}
MARK = "HERMES_LITE_TEST_MARK"
CONFIG: dict[str, Any] = {
    "mcp": {"stop_grace": 0.3, "reconnect_tries": 1, "reconnect_first": 0.01},
    "model": {"default": "gpt-4o"},
}


class Servers:
    """Definitions of scripted servers. A variable marks their processes and everything that these start."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._env = {MARK: str(folder)}

    def scripted(self, name: str, **script: Any) -> dict[str, Any]:
        file = self._folder / f"{name}.json"
        file.write_text(json.dumps({"tools": [_tool(name)], **script}), encoding="utf-8")
        return self.python("-m", "hermes_lite.testing.mcp_server", str(file))

    def python(self, *args: str) -> dict[str, Any]:
        return {"command": sys.executable, "args": list(args), "env": self._env}

    def forty(self) -> dict[str, Any]:
        """All scripted."""
        return {**self._most(), **{name: self.scripted(name) for name in PUBLISHED}}

    def published(self) -> dict[str, Any]:
        """Forty with the published ones among them."""
        repository = self._folder / "repository"
        subprocess.run(["git", "init", "-q", str(repository)], check=True)
        found = {
            "git": peers.git(repository),
            "sqlite": peers.sqlite(self._folder / "data.db"),
            "time": peers.clock(),
        }
        return {**self._most(), **{name: {**definition, "env": self._env} for name, definition in found.items()}}

    def _most(self) -> dict[str, Any]:
        return {
            "crash": self.scripted("crash", crash={"on": "initialize"}),
            "mute": {**self.scripted("mute", silent=["initialize"]), "connect_timeout": 1},
            "noise": {**self.python("-c", "while True: print('x' * 9999)"), "connect_timeout": 1},
            **{name: self.scripted(name, children=name == "s1", stubborn=name == "s2") for name in SCRIPTED},
        }

    def groups(self) -> set[int]:
        """The process groups of all that runs with our mark."""
        return {os.getpgid(int(entry.name)) for entry in Path("/proc").glob("[0-9]*") if self._is_ours(entry)}

    def _is_ours(self, process: Path) -> bool:
        try:
            return f"{MARK}={self._folder}".encode() in (process / "environ").read_bytes().split(b"\0")
        except OSError:
            return False


def _tool(server: str) -> dict[str, Any]:
    return {
        "name": f"polish_{server}",
        "description": f"Polish what {server} keeps.",
        "inputSchema": {"type": "object"},
    }


@pytest.fixture
def servers(tmp_path: Path) -> Servers:
    return Servers(tmp_path)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return shell_in(tmp_path)


@promise("MCP-9")
def test_the_command_settles_lists_what_came_and_leaves_nothing_behind(shell: Shell, servers: Servers) -> None:
    shell.configure({**CONFIG, "mcp_servers": servers.forty()})
    run = shell("tools", "list", "--json")
    assert run.returncode == 0, run.stderr
    listed = {tool["name"] for tool in json.loads(run.stdout)["tools"] if tool["kind"] == "mcp"}
    assert listed == {f"mcp__{name}__polish_{name}" for name in (*SCRIPTED, *PUBLISHED)}
    assert sorted(line.split()[1] for line in run.stderr.splitlines()) == list(BROKEN)
    assert servers.groups() == set()


@promise("MCP-9")
@pytest.mark.anyio
async def test_the_tools_of_each_server_are_found_as_soon_as_it_is_ready(tmp_path: Path, servers: Servers) -> None:
    session = Session.at(tmp_path)
    config = {**CONFIG, "mcp_servers": servers.published(), "tools": {"tool_search": {"search_budget": 0}}}
    found: list[str] = []
    others: list[set[str]] = []
    with ScriptedModel() as model:
        async with session.open(model, config=config, wait=0) as talk:
            with anyio.fail_after(BOUND):
                while len(found) < len(WANTED):
                    states = {status.source.label: status.state for status in talk.runtime.overview().servers}
                    for name in sorted(name for name in WANTED if states[name] == "ready" and name not in found):
                        query, tool = WANTED[name]
                        asked = json.dumps({"queries": [query]})
                        told = json.loads((await talk.runtime.call("tool_search", asked)).text)
                        assert told["results"][0]["matches"][0] == f"mcp__{name}__{tool}"
                        found.append(name)
                        others.append(set(states.values()))
                    await anyio.sleep(0.01)
            await talk.runtime.toolbox.settle(BOUND)
            states = {status.source.label: status.state for status in talk.runtime.overview().servers}
    assert "connecting" in others[0]
    assert {name for name, state in states.items() if state != "ready"} == set(BROKEN)
    assert servers.groups() == set()


@promise("MCP-8")
@pytest.mark.anyio
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL], ids=lambda end: end.name)
async def test_a_command_that_is_stopped_takes_its_servers_along(
    shell: Shell, servers: Servers, end: signal.Signals
) -> None:
    kinds: dict[str, dict[str, Any]] = {
        "plain": {},
        "parent": {"children": True},
        "stubborn": {"stubborn": True, "children": True},
        "mute": {"silent": ["initialize"]},
    }
    definitions = {name: servers.scripted(name, **script) for name, script in kinds.items()}
    shell.configure({**CONFIG, "mcp_servers": definitions})
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        shell.command("tools", "list"), cwd=shell.cwd, env=shell.environ(), stdout=quiet, stderr=quiet
    ) as command:
        await _until(lambda: len(servers.groups()) == len(kinds))
        groups = servers.groups()
        command.send_signal(end)
        await _until(lambda: command.poll() is not None)
    assert command.returncode == (-signal.SIGKILL if end == signal.SIGKILL else 128 + signal.SIGINT)
    assert [await is_gone(group, BOUND) for group in groups] == [True] * len(kinds)
    assert servers.groups() == set()


STARTING = """
import os, signal, subprocess
from hermes_lite.mcp.process import Watchdog
environ = {**os.environ, **Watchdog().mark()}
print(subprocess.Popen(["sleep", "600"], env=environ, start_new_session=True).pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@promise("MCP-8")
@pytest.mark.anyio
async def test_a_server_that_had_only_just_been_started_is_ended_too(shell: Shell) -> None:
    run = await anyio.to_thread.run_sync(shell.python, "-c", STARTING)
    assert await is_gone(int(run.stdout), BOUND)


async def _until(holds: Callable[[], bool]) -> None:
    """Wait until `holds`; what other processes do tells nobody, so it is looked at."""
    with anyio.fail_after(BOUND):
        while not holds():
            await anyio.sleep(0.02)
