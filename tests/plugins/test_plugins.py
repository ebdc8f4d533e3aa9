"""Plugins: what one may add, where it is found, and that a broken one stops nothing."""

import json
from pathlib import Path
from textwrap import dedent

import pytest

from hermes_lite.plugins import load_plugins
from hermes_lite.testing.model_server import ScriptedModel
from hermes_lite.testing.script import Call, Calls, Text
from tests.support.cli import Shell, ShellHere, shell_in
from tests.support.promises import promise

DICE = """
    def register(plugin):
        schema = {"type": "object", "properties": {"sides": {"type": "integer"}}}
        plugin.tool("roll", "Roll dice.", schema, roll, risk="read")
        plugin.tool("count sides", "Count.", {"type": "object"}, lambda arguments: [1, 2])
        plugin.hook("PreToolUse", guard, matcher="dice__roll")

    async def roll(arguments):
        return f"rolled {arguments['sides']}"

    def guard(event):
        if event["tool_input"]["sides"] > 6:
            return {"decision": "block", "reason": "too many sides"}
"""


def write(folder: Path, name: str, source: str) -> None:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(dedent(source), encoding="utf-8")


@promise("PLUGIN-1")
def test_a_plugin_s_tools_and_hooks_are_in_its_rows(tmp_path: Path) -> None:
    write(tmp_path, "dice.py", DICE)
    (dice,) = load_plugins(["dice", "dice"], tmp_path)
    assert dice.fault == ""
    assert [(row.name, row.short_name, row.source.kind) for row in dice.rows] == [
        ("dice__roll", "roll", "plugin"),
        ("dice__count_sides", "count sides", "plugin"),
    ]
    assert [(hook.event, hook.matcher) for hook in dice.hooks] == [("pre_tool_call", "dice__roll")]


@promise("PLUGIN-2")
@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("import nothing_of_that_name", "ModuleNotFoundError"),
        ("raise SystemExit(3)", "SystemExit"),
        ("x = (", "SyntaxError"),
        ("x = 1", "AttributeError"),
        ("def register(plugin): plugin.hook('nope', print)", "there is no event 'nope'"),
        ("def register(plugin): [plugin.tool('a', '', {}, print) for _ in 'ab']", "added twice"),
    ],
)
def test_a_broken_plugin_says_why_and_adds_nothing(tmp_path: Path, source: str, fault: str) -> None:
    write(tmp_path, "broken.py", source)
    write(tmp_path, "dice.py", DICE)
    broken, dice = load_plugins(["broken", "dice"], tmp_path)
    assert fault in broken.fault
    assert (broken.rows, broken.hooks) == ((), ())
    assert dice.rows


@promise("PLUGIN-2")
@pytest.mark.parametrize(
    ("name", "fault"),
    [("absent", "absent.py"), ("../dice", "letters, digits"), ("a__b", "letters, digits"), ("mcp", "is not mcp")],
)
def test_a_plugin_that_is_not_there_names_where_it_was_looked_for(tmp_path: Path, name: str, fault: str) -> None:
    (plugin,) = load_plugins([name], tmp_path)
    assert fault in plugin.fault


@promise("PLUGIN-3")
def test_folders_and_installed_packages_are_plugins_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "home", "boxed/__init__.py", "from .more import register")
    write(tmp_path / "home", "boxed/more.py", DICE)
    write(tmp_path / "site", "packed_dice.py", DICE)
    write(tmp_path / "site", "packed-1.dist-info/METADATA", "Name: packed\nVersion: 1\n")
    write(tmp_path / "site", "packed-1.dist-info/entry_points.txt", "[hermes_lite.plugins]\npacked = packed_dice\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    boxed, packed = load_plugins(["boxed", "packed"], tmp_path / "home")
    assert [row.name for row in (*boxed.rows, *packed.rows)] == [
        "boxed__roll",
        "boxed__count_sides",
        "packed__roll",
        "packed__count_sides",
    ]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    shell = shell_in(tmp_path, ShellHere)
    write(shell.home / "plugins", "dice.py", DICE)
    return shell


@promise("PLUGIN-4")
def test_its_tools_wait_behind_search_and_its_hooks_stop_calls(shell: Shell) -> None:
    shell.configure({"plugins": {"enabled": ["dice", "absent"]}})
    rolls = [{"name": "roll", "arguments": {"sides": sides}} for sides in (6, 20)]
    script = (Calls((Call("tool_call", {"calls": rolls}),)), Text("done"))
    with ScriptedModel(*script) as model:
        run = shell("-p", "roll", "--base-url", model.base_url)
        results = [message["content"] for message in model.requests[1].messages if message["role"] == "tool"]
        listed = json.dumps(model.requests[0].tools)
    assert (run.returncode, run.stdout.strip()) == (0, "done")
    assert "absent is not available" in run.stderr
    assert "roll(sides?: int)" in listed
    assert results[0] == "rolled 6"
    assert "too many sides" in results[1]


@promise("PLUGIN-2")
def test_the_doctor_names_each_plugin(shell: Shell) -> None:
    shell.configure(
        {"plugins": {"enabled": ["dice", "absent"]}, "model": {"default": "m", "base_url": "http://x/v1"}}
    )
    run = shell("doctor", "--json")
    found = {finding["area"]: finding["level"] for finding in json.loads(run.stdout)}
    assert (found["plugin dice"], found["plugin absent"]) == ("ok", "error")
    assert run.returncode == 1
