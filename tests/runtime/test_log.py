"""The product's log: searches are explained at `debug`, and a failing consumer is told there."""

import json
from pathlib import Path

from hermes_lite.testing.model_server import ScriptedModel
from hermes_lite.testing.script import Call, Calls, Text
from tests.support.cli import ShellHere, shell_in
from tests.support.promises import promise


@promise("LOG-1")
def test_a_search_of_the_model_is_explained_in_the_debug_log(tmp_path: Path) -> None:
    shell = shell_in(tmp_path, ShellHere)
    shell.configure({"log": {"level": "debug"}})
    with ScriptedModel(Calls((Call("tool_search", {"queries": ["to-do list"]}),)), Text("done")) as model:
        assert shell("-p", "what can you do", "--base-url", model.base_url).returncode == 0
    (line,) = (shell.home / "logs" / "hermes-lite.log").read_text(encoding="utf-8").splitlines()
    explained = json.loads(line.partition(" search ")[2])
    assert (explained["query"], explained["matches"][0]) == ("to-do list", "todo_list")


@promise("LOG-2")
def test_an_unremarkable_run_leaves_no_log(tmp_path: Path) -> None:
    shell = shell_in(tmp_path, ShellHere)
    with ScriptedModel(Text("hi")) as model:
        assert shell("-p", "hello", "--base-url", model.base_url).returncode == 0
    assert not (shell.home / "logs" / "hermes-lite.log").exists()
