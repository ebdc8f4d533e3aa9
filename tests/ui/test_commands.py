"""One table of commands: found by name, alias or beginning, in any case."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from rich.text import Text

from hermes_lite.errors import ConfigError, UsageError
from hermes_lite.ui.command import Command, Desk, completions, find, split
from hermes_lite.ui.commands import COMMANDS
from hermes_lite.ui.configuration import config_screen
from hermes_lite.ui.help import help_screen
from tests.support.promises import promise
from tests.ui.fake import FakeRuntime, answered
from tests.ui.moments import MANUAL, manual_page
from tests.ui.scrollback import shown

NAMES = [name for command in COMMANDS for name in (command.name, *command.aliases)]


async def _silent(text: str, sink: object) -> object:
    return answered("")


RUNTIME = FakeRuntime(_silent)  # type: ignore[arg-type]


def test_no_two_commands_share_a_name() -> None:
    assert len(NAMES) == len(set(NAMES))


@pytest.mark.parametrize("name", NAMES)
def test_a_command_is_found_by_each_of_its_names(name: str) -> None:
    parts = split(f"/{name.upper()}")
    assert parts
    assert name in find(COMMANDS, parts[0]).names


@promise("SCREEN-12")
def test_a_beginning_that_fits_one_command_is_enough() -> None:
    assert find(COMMANDS, "cle").name == "new"
    assert find(COMMANDS, "und").name == "undo"


def test_a_beginning_that_fits_several_names_them() -> None:
    with pytest.raises(UsageError, match="/compact or /context"):
        find([row for row in COMMANDS if row.name in ("compact", "context")], "co")


def test_an_unknown_command_suggests_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        find(COMMANDS, "contxet")
    assert caught.value.mend == "Did you mean /context?"


@pytest.mark.parametrize("text", ("/usr/bin/env is what?", "no /command", "//", "/1", "hello"))
def test_a_path_or_a_sentence_is_no_command(text: str) -> None:
    assert split(text) is None


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("/", ("help", "")),
        ("/model  gpt-5 ", ("model", "gpt-5")),
        ("/?", ("?", "")),
        ("/compact a\nb", ("compact", "a\nb")),
    ],
)
def test_a_command_is_a_name_and_the_rest(text: str, parts: tuple[str, str]) -> None:
    assert split(text) == parts


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_words_after_a_command_that_takes_none_are_refused(command: Command) -> None:
    assert command.accepted("") == ""
    if command.argument:
        assert command.accepted("words") == "words"
    else:
        with pytest.raises(UsageError, match=f"/{command.name} takes nothing after it"):
            command.accepted("words")


@pytest.mark.anyio
@pytest.mark.parametrize("action", ("enable", "disable"))
async def test_a_switch_without_a_server_is_asked_for_one(action: str) -> None:
    desk = cast(Desk, SimpleNamespace(runtime=RUNTIME))
    with pytest.raises(UsageError, match=f"/mcp {action} needs a name"):
        await find(COMMANDS, "mcp").run(desk, action)


@pytest.mark.anyio
@pytest.mark.parametrize(("name", "lines"), [("gpt-5", 1), ("gtp-5", 2)])
async def test_a_model_that_the_endpoint_does_not_list_is_taken_with_a_warning(name: str, lines: int) -> None:
    said: list[Text] = []
    desk = cast(Desk, SimpleNamespace(runtime=FakeRuntime(RUNTIME.script), say=said.append, width=80))
    await find(COMMANDS, "model").run(desk, name)
    assert said[0].plain.startswith(name)
    assert ["not among" in line.plain for line in said[1:]] == [True] * (lines - 1)


@pytest.mark.anyio
@pytest.mark.parametrize("words", ("allow", "forget", "allow terminal:", "deny terminal: "))
async def test_a_rule_that_is_not_there_is_asked_for(words: str) -> None:
    desk = cast(Desk, SimpleNamespace(runtime=RUNTIME, say=lambda what: None))
    with pytest.raises(UsageError, match="needs a rule"):
        await find(COMMANDS, "approve").run(desk, words.strip())


def test_help_shows_every_command_and_finds_by_word() -> None:
    whole = shown(help_screen(COMMANDS, "", 80))
    assert all(f"/{command.name}" in whole for command in COMMANDS)
    part = shown(help_screen(COMMANDS, "window", 80))
    assert "/context" in part
    assert "/quit" not in part
    assert "No command" in shown(help_screen(COMMANDS, "xyzzy", 80))


def test_the_menu_offers_what_may_come_next() -> None:
    assert ("/context", find(COMMANDS, "context").help) in list(completions(COMMANDS, RUNTIME, "/con"))
    assert [text for text, _ in completions(COMMANDS, RUNTIME, "/tools g")] == ["git"]
    assert list(completions(COMMANDS, RUNTIME, "/nothing g")) == []


@promise("SCREEN-23")
def test_the_manual_lists_the_commands_and_keys_that_there_are() -> None:
    assert MANUAL.read_text(encoding="utf-8") == manual_page(), "run scripts/screens --update"


def _config(home: Path, key: str) -> str:
    (home / "config.yaml").write_text("ui: {preview_lines: 7}\n", encoding="utf-8")
    return shown(config_screen(RUNTIME.place.config, key), 200)


def test_config_shows_what_was_changed_and_where(home: Path) -> None:
    text = _config(home, "")
    assert "ui.preview_lines = 7" in text
    assert "config.yaml:1" in text
    assert "ui.plain" not in text


def test_config_shows_what_holds_for_a_key(home: Path) -> None:
    assert _config(home, "ui.plain").split() == ["ui.plain", "=", "auto", "defaults"]
    with pytest.raises(ConfigError):
        _config(home, "ui.plian")
