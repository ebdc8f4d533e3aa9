"""What `prompt-size` says is what a request carries, and what deferral saves."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from hermes_lite.testing.model_server import ScriptedModel
from hermes_lite.testing.script import Text
from tests.support.cli import Shell, ShellHere, shell_in
from tests.support.promises import promise

CATALOG = Path(__file__).parent.parent / "data" / "catalog"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return shell_in(tmp_path, ShellHere)


def replayed(folder: Path, *names: str) -> dict[str, Any]:
    """Definitions of scripted servers that replay the stored lists of published ones."""
    definitions = {}
    for name in names:
        script = folder / f"{name}.script.json"
        script.write_text(json.dumps({"tools_file": str(CATALOG / f"{name}.json")}), encoding="utf-8")
        definitions[name] = {"command": sys.executable, "args": ["-m", "hermes_lite.testing.mcp_server", str(script)]}
    return definitions


def sent_tools(body: bytes) -> bytes:
    """The bytes of the `tools` value in a request body."""
    text = body.decode()
    start = text.index('"tools":') + len('"tools":')
    _, end = json.JSONDecoder().raw_decode(text, start)
    return text[start:end].encode()


@promise("SIZE-1", "T-I02")
def test_its_bytes_are_those_of_a_captured_request_and_its_rows_sum_to_them(shell: Shell, tmp_path: Path) -> None:
    shell.configure({"mcp_servers": replayed(tmp_path, "github-ref", "stripe"), "model": {"context_length": 128000}})
    with ScriptedModel(Text("hi")) as model:
        shell.configure(
            {**config(shell), "model": {"base_url": model.base_url, "default": "gpt-4o", "context_length": 128000}}
        )
        size = shell.json("prompt-size", "--json")
        assert shell("-p", "hello").returncode == 0
    request = model.requests[0]
    system = request.messages[0]["content"]
    assert size["tools"]["json_bytes"] == len(sent_tools(request.body))
    assert size["tools"]["count"] == len(request.tools)
    assert size["system_prompt"]["chars"] == len(system)
    assert size["system_prompt"]["bytes"] == len(system.encode())
    assert sum(row["json_bytes"] for row in size["sources"]) == size["tools"]["json_bytes"]
    assert (size["platform"], size["model"], size["counted_by"]) == ("cli", "gpt-4o", "o200k exact")


@promise("SIZE-2")
def test_ten_published_servers_cost_at_most_15_per_cent_of_their_schemas(shell: Shell, tmp_path: Path) -> None:
    names = sorted(path.stem for path in CATALOG.glob("*.json"))
    assert len(names) == 10
    shell.configure(
        {"mcp_servers": replayed(tmp_path, *names), "model": {"default": "gpt-4o", "context_length": 128000}}
    )
    deferred = shell.json("prompt-size", "--json")
    assert shell("config", "set", "tools.tool_search.enabled", "off").returncode == 0
    eager = shell.json("prompt-size", "--json")
    assert deferred["missing"] == eager["missing"] == []
    assert deferred["tools"]["tokens"] <= 0.15 * eager["tools"]["tokens"]
    assert deferred["without_deferral"]["tools"] == eager["tools"]
    assert eager["deferred"]["count"] == 0


@promise("SIZE-3")
def test_the_last_seen_lists_stand_in_when_offline(shell: Shell, tmp_path: Path) -> None:
    shell.configure({"mcp_servers": replayed(tmp_path, "stripe")})
    online = shell.json("prompt-size", "--json", "-m", "gpt-4o")
    offline = shell.json("prompt-size", "--json", "--offline", "-m", "gpt-4o")
    assert offline["tools"] == online["tools"]
    assert (online["offline"], offline["offline"]) == (False, True)


@promise("SIZE-4")
def test_a_server_that_did_not_come_is_named(shell: Shell) -> None:
    shell.configure({"mcp_servers": {"ghost": {"command": "/no/such/program"}}})
    size = shell.json("prompt-size", "--json", "-m", "gpt-4o")
    assert any("ghost" in line for line in size["missing"])


@promise("SIZE-5")
def test_a_saved_report_is_compared_and_a_limit_is_an_exit_code(shell: Shell, tmp_path: Path) -> None:
    saved = tmp_path / "before.json"
    assert shell("prompt-size", "-m", "gpt-4o", "--save", str(saved)).returncode == 0
    found = shell.json("prompt-size", "-m", "gpt-4o", "--json", "--against", str(saved))
    assert found["against"]["total_tokens"]["change"] == 0
    assert shell("prompt-size", "-m", "gpt-4o", "--max-tokens", "10").returncode == 4
    assert shell("prompt-size", "-m", "gpt-4o", "--max-tokens", "100000").returncode == 0
    assert shell("prompt-size", "--against", str(tmp_path / "none.json")).returncode == 2


@pytest.mark.parametrize("width", [40, 80, 120])
@promise("SIZE-6")
def test_the_comparison_fits_the_terminal(shell: Shell, width: int) -> None:
    run = shell("prompt-size", "-m", "gpt-4o", "--compare", env={"COLUMNS": str(width)})
    assert run.returncode == 0
    assert "every schema" in run.stdout
    assert max(map(len, run.stdout.splitlines())) <= width


def config(shell: Shell) -> dict[str, Any]:
    loaded = json.loads((shell.home / "config.yaml").read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded
