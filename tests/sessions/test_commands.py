"""`hermes-lite sessions ...` as a person calls it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hermes_lite.cli.sessions_commands import app
from hermes_lite.errors import SessionError, UsageError
from hermes_lite.messages import UserMessage
from hermes_lite.paths import home as current_home
from hermes_lite.sessions.store import SessionStore
from tests.sessions.support import HERE, TURN, talk
from tests.support.promises import promise

run = CliRunner().invoke


@pytest.fixture
def store() -> SessionStore:
    return SessionStore.of(current_home())


@pytest.fixture
def session_id(store: SessionStore) -> str:
    with store.create(HERE, "model-1") as session:
        return talk(session, *TURN).id


def test_list_prints_one_line_a_session(session_id: str) -> None:
    shown = run(app, ["list"]).stdout
    assert shown.startswith(session_id)
    assert shown.rstrip().endswith("5 messages  what is in C:\\users\\unicorn?")
    (entry,) = json.loads(run(app, ["list", "--json"]).stdout)
    assert (entry["id"], entry["cwd"], entry["messages"]) == (session_id, str(HERE), 5)


def test_list_here_shows_those_of_this_folder(session_id: str, store: SessionStore) -> None:
    with store.create(Path.cwd(), "m") as mine:
        talk(mine, UserMessage("mine"))
    shown = run(app, ["list", "--here"]).stdout
    assert mine.id in shown
    assert session_id not in shown


def test_no_sessions_leave_standard_output_empty() -> None:
    done = run(app, ["list"])
    assert (done.exit_code, done.stdout) == (0, "")
    assert "No sessions" in done.stderr
    assert json.loads(run(app, ["list", "--json"]).stdout) == []


def test_export_writes_a_new_file_and_replaces_none(session_id: str, tmp_path: Path) -> None:
    target = tmp_path / "talk.html"
    assert run(app, ["export", session_id[:-1], "--format", "html", "-o", str(target)]).exit_code == 0
    assert target.read_text().startswith("<!doctype html>")
    refused = run(app, ["export", session_id, "-o", str(target)])
    assert isinstance(refused.exception, UsageError)
    assert run(app, ["show", session_id]).stdout == run(app, ["export", session_id]).stdout


def test_delete_asks_first_and_no_is_the_default(session_id: str, store: SessionStore) -> None:
    assert run(app, ["delete", session_id], input="\n").exit_code == 1
    assert store.find(session_id).exists()
    assert run(app, ["delete", session_id], input="y\n").exit_code == 0
    assert store.list() == ()


def test_delete_of_an_unknown_one_deletes_none(session_id: str, store: SessionStore) -> None:
    assert isinstance(run(app, ["delete", "--yes", session_id, "nosuch"]).exception, SessionError)
    assert len(store.list()) == 1


def test_search_prints_excerpts_or_fails(session_id: str) -> None:
    assert "a horn" in run(app, ["search", "horn"]).stdout
    assert json.loads(run(app, ["search", "--json", "horn"]).stdout)[0]["session_id"] == session_id
    assert isinstance(run(app, ["search", "nothing", "such"]).exception, SessionError)


def test_fork_prints_the_new_id(session_id: str, store: SessionStore) -> None:
    fresh = run(app, ["fork", session_id]).stdout.strip()
    assert store.read(fresh).messages == list(TURN)
    assert fresh != session_id


@promise("SESSION-LIGHT")
def test_the_commands_load_no_heavy_library() -> None:
    script = (
        "import sys, hermes_lite.cli.sessions_commands\n"
        "print([name for name in ('openai', 'mcp', 'numpy', 'anyio', 'httpx', 'rich') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
