"""One table of commands: found by name, alias or beginning, in any case."""

from dataclasses import replace

import pytest

from hermes_lite.errors import UsageError
from hermes_lite.ui.commands import COMMANDS, completions, find, help_screen, split
from tests.support.promises import promise
from tests.ui.fake import FakeRuntime, answered
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
    assert name in (find(parts[0]).name, *find(parts[0]).aliases)


@promise("SCREEN-12")
def test_a_beginning_that_fits_one_command_is_enough() -> None:
    assert find("cle").name == "new"
    assert find("und").name == "undo"


def test_a_beginning_that_fits_several_names_them() -> None:
    with pytest.raises(UsageError, match="/compact or /context"):
        find("co", [replace(find("compact"), aliases=()), find("context")])


def test_an_unknown_command_suggests_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        find("contxet")
    assert caught.value.mend == "Did you mean /context?"


@pytest.mark.parametrize("text", ("/usr/bin/env is what?", "no /command", "/", "//", "/1", "hello"))
def test_a_path_or_a_sentence_is_no_command(text: str) -> None:
    assert split(text) is None


@pytest.mark.parametrize(
    ("text", "parts"),
    [("/model  gpt-5 ", ("model", "gpt-5")), ("/?", ("?", "")), ("/compact a\nb", ("compact", "a\nb"))],
)
def test_a_command_is_a_name_and_the_rest(text: str, parts: tuple[str, str]) -> None:
    assert split(text) == parts


def test_help_shows_every_command_and_finds_by_word() -> None:
    whole = shown(help_screen("", 80))
    assert all(f"/{command.name}" in whole for command in COMMANDS)
    part = shown(help_screen("window", 80))
    assert "/context" in part
    assert "/quit" not in part
    assert "No command" in shown(help_screen("xyzzy", 80))


def test_the_menu_offers_what_may_come_next() -> None:
    assert ("/context", find("context").help) in list(completions(RUNTIME, "/con"))
    assert [text for text, _ in completions(RUNTIME, "/tools g")] == ["git"]
    assert list(completions(RUNTIME, "/nothing g")) == []
