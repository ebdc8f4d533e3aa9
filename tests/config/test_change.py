"""Setting and unsetting keys of the user's own file, and what is refused."""

import os
import stat
import threading
from hashlib import sha256
from pathlib import Path
from typing import Any

import portalocker
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_lite.config import change, load
from hermes_lite.config.change import append_item, set_members, set_value, unset_value
from hermes_lite.errors import ConfigError
from hermes_lite.paths import Home, Project
from tests.support.promises import promise

ENABLED = "tools.tool_search.enabled"
FILE = "# mine\ntools:\n  tool_search:\n    enabled: auto   # why\n    custom: 1\n"


def write(home: Path, text: str) -> Path:
    file = home / "config.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def effective(home: Path, key: str) -> Any:
    return load(Home(home), Project(home / "nowhere"), {}).get(key)


@promise("CONFIG.words", "CONFIG.bytes")
def test_off_is_stored_as_the_word_and_comes_back_as_it_and_auto_gives_the_file_back(home: Path) -> None:
    file = write(home, FILE)

    done = set_value(Home(home), ENABLED, "off")

    assert (done.old, done.new, done.takes_effect) == ("auto", "off", "in the next session")
    assert file.read_text() == FILE.replace("auto", "off")
    assert effective(home, ENABLED) == "off"
    set_value(Home(home), ENABLED, "auto")
    assert file.read_text() == FILE


@promise("CONFIG.words")
@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("agent.max_steps", "12", 12),
        ("tools.tool_search.threshold_pct", "2.5", 2.5),
        ("model.default", "4.10", "4.10"),
        ("model.default", "off", "off"),
        ("model.default", "", ""),
        ("model.context_length", "auto", "auto"),
        ("model.context_length", "32000", 32000),
        ("tools.tool_search.pin", "[a, 'b c', mcp__git__*]", ["a", "b c", "mcp__git__*"]),
        ("tools.tool_search.pin", '["a"]', ["a"]),
        ("agent.approvals.deny", '[read_file, {terminal: "rm *"}]', ["read_file", {"terminal": "rm *"}]),
        (
            "agent.hooks.pre_tool_call",
            "[{matcher: x, command: y, timeout: 5}]",
            [{"matcher": "x", "command": "y", "timeout": 5}],
        ),
        ("mcp_servers.git", "{command: uvx, args: [mcp-server-git]}", {"command": "uvx", "args": ["mcp-server-git"]}),
        ("mcp_servers.git.timeout", "30", 30),
        ("mcp_servers.git.env.PORT", "0010", "0010"),
        ("tools.tool_search", "false", {"enabled": "off"}),
    ],
)
def test_a_value_is_typed_by_its_key_and_reads_back(home: Path, key: str, text: str, value: Any) -> None:
    set_value(Home(home), key, text)
    found = effective(home, key)
    assert (found if not isinstance(value, dict) else {name: found[name] for name in value}) == value


@promise("CONFIG.refused", "S-F5")
@pytest.mark.parametrize(
    ("key", "text", "shown"),
    [
        ("agent.max_steps", "abc", "`abc` is not a whole number of at least 1"),
        ("agent.max_steps", "0", "`0` is not"),
        ("agent.max_steps", "1.5", "`1.5` is not"),
        (ENABLED, "sometimes", "one of auto, on, off"),
        ("agent.max_stepz", "5", "agent.max_steps"),
        ("nothing.like.it", "5", "config list"),
        ("tools.tool_search.defer", "a", "write [a]"),
        ("tools.tool_search.defer", "[", "not a YAML value"),
        ("tools.tool_search.pin", "[[a]]", "a list is not a text"),
        ("agent", "5", "Its keys: max_steps"),
        ("tools.tool_search", "5", "one of auto, on, off"),
        ("agent.approvals.allow", "[{a: b, c: d}]", "a text or a mapping of one name to a value"),
        ("agent.approvals.allow", "[{a: [d]}]", "is not"),
        ("agent.hooks.pre_tool_call", "[{matcher: x}]", "a mapping with command"),
        ("mcp_servers.git", "5", "is not a mapping"),
        ("a..b", "5", "segment is empty"),
        ("", "5", "segment is empty"),
        ("mcp_servers.", "5", "segment is empty"),
        ('mcp_servers."a.b', "5", "wrongly quoted"),
    ],
)
def test_what_is_refused_says_why_and_writes_nothing(home: Path, key: str, text: str, shown: str) -> None:
    file = write(home, FILE)
    before = sha256(file.read_bytes()).hexdigest()
    with pytest.raises(ConfigError) as caught:
        set_value(Home(home), key, text)
    assert shown in f"{caught.value} {caught.value.mend}"
    assert caught.value.exit_code == 2
    assert sha256(file.read_bytes()).hexdigest() == before


@promise("S-F4")
@pytest.mark.parametrize(
    "text", [b"tools: [\n", b"a: 1\na: 2\n", b"- x\n", b"\xff\xfe", b"a: 1\n\tb: 2\n", b"a: 1\n---\nb: 2\n"]
)
def test_a_broken_file_is_refused_with_line_and_column_and_stays_as_it_is(home: Path, text: bytes) -> None:
    file = home / "config.yaml"
    file.write_bytes(text)
    for attempt in (
        lambda: set_value(Home(home), "agent.max_steps", "5"),
        lambda: unset_value(Home(home), "agent.max_steps"),
        lambda: append_item(Home(home), "tools.tool_search.pin", "x"),
    ):
        with pytest.raises(ConfigError, match="nothing was written") as caught:
            attempt()
        assert str(file) in str(caught.value)
    assert file.read_bytes() == text


def test_force_writes_a_key_that_nobody_knows(home: Path) -> None:
    file = write(home, FILE)
    set_value(Home(home), "my.own.key", "[1, x]", force=True)
    assert file.read_text() == FILE + "my:\n  own:\n    key: [1, x]\n"


def test_unset_makes_the_default_hold_again_and_says_when_there_is_nothing_to_unset(home: Path) -> None:
    file = write(home, FILE)
    assert unset_value(Home(home), ENABLED).old == "auto"
    assert file.read_text() == FILE.replace("    enabled: auto   # why\n", "")
    with pytest.raises(ConfigError, match="is not set in"):
        unset_value(Home(home), ENABLED)
    with pytest.raises(ConfigError, match="no key"):
        unset_value(Home(home), "tools.nope")


def test_a_boolean_for_a_section_is_spelled_out_before_another_key_joins_it(home: Path) -> None:
    file = write(home, "tools:\n  tool_search: false  # no\n")
    set_value(Home(home), "tools.tool_search.search_budget", "9")
    assert file.read_text() == "tools:\n  tool_search: {enabled: off, search_budget: 9}  # no\n"
    assert effective(home, ENABLED) == "off"


def test_members_join_a_table_in_one_write_and_it_keeps_what_it_had(home: Path) -> None:
    members = {"a": {"command": "x"}, "b.c": {"url": "https://h"}}
    set_members(Home(home), "mcp_servers", members)
    file = home / "config.yaml"
    assert file.read_text() == "mcp_servers:\n  a:\n    command: x\n  b.c:\n    url: https://h\n"
    write(home, "mcp_servers:\n  mine: {command: y}  # dear\n  a: {command: z}\n")
    set_members(Home(home), "mcp_servers", members)
    assert file.read_text().startswith("mcp_servers:\n  mine: {command: y}  # dear\n")
    assert effective(home, "mcp_servers.a.command") == "x"
    with pytest.raises(ConfigError):
        set_members(Home(home), "mcp_servers", {"c": {"command": "x"}, "d": {"timeout": "soon"}})
    assert "c" not in load(Home(home), Project(home / "nowhere"), {}).section("mcp_servers")


def test_a_list_grows_by_one_item_once_and_keeps_its_comments(home: Path) -> None:
    file = write(home, "agent:\n  approvals:\n    allow:\n      - read_file  # mine\n")
    rule = {"terminal": "git status*"}
    append_item(Home(home), "agent.approvals.allow", rule)
    append_item(Home(home), "agent.approvals.allow", rule)
    assert file.read_text().splitlines()[3:] == ["      - read_file  # mine", "      - terminal: git status*"]


@promise("CONFIG.atomic")
def test_mode_and_symbolic_link_are_kept_and_a_new_file_is_private(home: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.yaml"
    real.write_text(FILE)
    real.chmod(0o640)
    (home / "config.yaml").symlink_to(real)
    set_value(Home(home), ENABLED, "on")
    assert (home / "config.yaml").is_symlink()
    assert "enabled: on" in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert [file.name for file in tmp_path.iterdir()] == ["dotfiles.yaml"]

    fresh = Home(tmp_path / "fresh")
    set_value(fresh, ENABLED, "on")
    assert stat.S_IMODE(fresh.config.stat().st_mode) == 0o600
    assert stat.S_IMODE(fresh.root.stat().st_mode) == 0o700


@promise("CONFIG.atomic")
def test_a_write_that_fails_midway_leaves_the_old_file_and_no_other(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(home, FILE)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ConfigError, match="No space left"):
        set_value(Home(home), ENABLED, "on")
    assert file.read_text() == FILE
    assert sorted(path.name for path in home.iterdir()) == [".config.lock", "config.yaml"]


@promise("CONFIG.atomic")
def test_many_writers_at_once_lose_nothing(home: Path) -> None:
    write(home, "# shared\n")
    writers = [
        threading.Thread(target=append_item, args=(Home(home), "tools.tool_search.pin", f"tool_{number}"))
        for number in range(5)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert sorted(effective(home, "tools.tool_search.pin")) == [f"tool_{number}" for number in range(5)]


@promise("CONFIG.atomic")
def test_a_second_writer_that_never_ends_is_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(home, FILE)
    monkeypatch.setattr(change, "_PATIENCE", 0.01)
    with portalocker.Lock(home / ".config.lock", mode="a"), pytest.raises(ConfigError, match="another program"):
        set_value(Home(home), ENABLED, "on")
    assert file.read_text() == FILE


@promise("CONFIG.written")
@pytest.mark.parametrize(("key", "name"), [(ENABLED, "config.yaml"), ("OPENAI_API_KEY", ".env")])
def test_a_file_that_cannot_be_written_is_named_and_never_a_temporary_one(
    home: Path, monkeypatch: pytest.MonkeyPatch, key: str, name: str
) -> None:
    file = home / name
    file.write_text("")
    opened = os.open

    def refusing(path: Path, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_CREAT:
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, flags, mode)

    monkeypatch.setattr(os, "open", refusing)
    with pytest.raises(ConfigError) as caught:
        set_value(Home(home), key, "on")
    assert str(caught.value) == f"{file} cannot be written (Permission denied); nothing was changed"
    monkeypatch.undo()
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(ConfigError, match=r"cannot be written \(Permission denied"):
        set_value(Home(home), key, "on")
    assert file.read_text() == ""


@promise("CONFIG.written")
@pytest.mark.parametrize("name", ["config.yaml", ".env"])
def test_what_is_no_file_of_text_is_never_read_or_written(home: Path, name: str) -> None:
    key = {"config.yaml": ENABLED, ".env": "OPENAI_API_KEY"}[name]
    file = home / name
    os.mkfifo(file)
    with pytest.raises(ConfigError, match="not a file"):
        set_value(Home(home), key, "on")
    file.unlink()
    file.mkdir()
    with pytest.raises(ConfigError, match="not a file"):
        set_value(Home(home), key, "on")
    file.rmdir()
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="not UTF-8"):
        set_value(Home(home), key, "on")
    assert file.read_bytes() == b"\xff\xfe"
    with file.open("wb") as large:
        large.truncate(9_000_000)
    with pytest.raises(ConfigError, match="larger than 8 MB"):
        set_value(Home(home), key, "on")


@promise("CONFIG.written")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: 1\n---\nb: 2\n", "2:1: a second document begins"),
        ("\ta: 1\n", "1:1: a tab stands where only spaces may"),
        ("@a: 1\n", "a value cannot begin with `@`"),
        ("a: [1\n", "a `,` or `]` is missing"),
        ('a: "x\n', "a quote is never closed"),
        ("a: b: c\n", "1:5: a second `:` stands in the line"),
        ("a: *b\n", "`*b` refers to nothing"),
        ("a: \x01\n", "the character U+0001 cannot stand in it"),
        ("a:\n  b: 1\n c: 2\n", "the line is not indented like those before it"),
        ("a: 1\nb\nc: 2\n", "a `:` is missing after a key"),
        ('a: "\\q"\n', "`\\q` means nothing between double quotes"),
    ],
)
def test_a_fault_of_yaml_is_said_in_plain_words(home: Path, text: str, words: str) -> None:
    write(home, text)
    with pytest.raises(ConfigError) as caught:
        set_value(Home(home), ENABLED, "on")
    assert words in str(caught.value)


@promise("CONFIG.written")
def test_a_home_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(ConfigError, match="its folder is a file"):
        set_value(Home(tmp_path / "file"), ENABLED, "on")
    with pytest.raises(ConfigError, match="cannot be written"):
        set_value(Home(tmp_path / "file" / "home"), ENABLED, "on")


@promise("CONFIG.secrets")
def test_a_secret_goes_to_the_private_env_file_and_other_lines_of_it_stay(home: Path) -> None:
    env = home / ".env"
    env.write_text("# keys\nexport OTHER_TOKEN='a b'\nOPENAI_API_KEY=old # mine\n")
    env.chmod(0o644)
    done = set_value(Home(home), "OPENAI_API_KEY", 'sk-"$x')
    assert (done.old, done.new, done.secret) == ("old", 'sk-"$x', True)
    assert env.read_text() == '# keys\nexport OTHER_TOKEN=\'a b\'\nOPENAI_API_KEY="sk-\\"\\$x"\n'
    assert stat.S_IMODE(env.stat().st_mode) == 0o600
    assert not (home / "config.yaml").exists()
    assert unset_value(Home(home), "OPENAI_API_KEY").new is None
    assert env.read_text() == "# keys\nexport OTHER_TOKEN='a b'\n"
    with pytest.raises(ConfigError, match="not set"):
        unset_value(Home(home), "OPENAI_API_KEY")
    with pytest.raises(ConfigError, match="one line"):
        set_value(Home(home), "OPENAI_API_KEY", "a\nb")


def test_a_lone_surrogate_is_written_as_what_utf8_can_hold(home: Path) -> None:
    set_value(Home(home), "model.default", "a\ud800b")
    assert effective(home, "model.default") == "a\ufffdb"


@promise("CONFIG.words")
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_any_text_set_is_the_text_that_is_read(home: Path, text: str) -> None:
    write(home, FILE)
    set_value(Home(home), "model.default", text)
    assert effective(home, "model.default") == text
    assert (home / "config.yaml").read_text(encoding="utf-8").startswith(FILE)


@promise("CONFIG.written")
def test_a_circle_of_links_is_named_and_left_alone(home: Path) -> None:
    (home / ".env").symlink_to(home / ".env")
    with pytest.raises(ConfigError, match="Too many levels of symbolic links"):
        set_value(Home(home), "OPENAI_API_KEY", "sk-0123456789abcdefghij")
    assert (home / ".env").is_symlink()
