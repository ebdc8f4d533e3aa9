"""The layers, and what becomes of what cannot be taken over."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from hermes_lite.config import Config, load
from hermes_lite.config.defaults import defaults_file
from hermes_lite.config.document import parse
from hermes_lite.config.schema import KINDS, Key, Schema
from hermes_lite.config.trust import trust
from hermes_lite.errors import ConfigError
from hermes_lite.paths import Home, Project
from tests.support.promises import promise

ENABLED = "tools.tool_search.enabled"


def loaded(
    home: Path, user: str = "", project: Path | None = None, environ: Mapping[str, str] | None = None, **options: str
) -> Config:
    (home / "config.yaml").write_text(user, encoding="utf-8")
    overrides = {key.replace("__", "."): text for key, text in options.items()}
    return load(Home(home), Project(project or home / "nowhere"), environ or {}, overrides)


def default_schema() -> Schema:
    return Schema.of(parse(defaults_file().read_text("utf-8")))


@promise("CONFIG.layers")
def test_each_layer_wins_over_the_one_before_and_says_where_it_is(home: Path, tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.config.parent.mkdir()
    project.config.write_text("agent:\n  max_steps: 3\n  parallel_limit: 3\n")
    trust(Home(home), project)
    user = "# mine\nagent:\n  max_steps: 2\n  parallel_limit: 2\n  tool_timeout: 2\n"
    environ = {"HERMES_LITE__AGENT__MAX_STEPS": "4", "HERMES_LITE_HOME": "ignored"}

    config = loaded(home, user, tmp_path, environ, agent__max_steps="5")

    assert str(config.origin("agent.result_max_chars")) == "defaults"
    assert (config.get("agent.tool_timeout"), str(config.origin("agent.tool_timeout"))) == (
        2,
        f"user ({home / 'config.yaml'}:5)",
    )
    assert (config.get("agent.parallel_limit"), config.origin("agent.parallel_limit").layer) == (3, "project")
    assert (config.get("agent.max_steps"), str(config.origin("agent.max_steps"))) == (
        5,
        "command line (agent.max_steps)",
    )
    by_environment = loaded(home, user, tmp_path, environ)
    assert str(by_environment.origin("agent.max_steps")) == "environment (HERMES_LITE__AGENT__MAX_STEPS)"
    assert config.problems == ()


def test_servers_of_both_files_are_put_together(home: Path, tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.config.parent.mkdir()
    project.config.write_text("mcp_servers:\n  git: {enabled: false}\n  time: {command: t}\n")
    trust(Home(home), project)

    config = loaded(home, "mcp_servers:\n  git: {command: g, args: [a]}\n", tmp_path)

    assert config.get("mcp_servers") == {
        "git": {"command": "g", "args": ["a"], "enabled": False},
        "time": {"command": "t"},
    }
    assert config.get("mcp_servers.git.args") == ["a"]
    assert config.origin("mcp_servers.time").layer == "project"


@promise("CONFIG.trust")
def test_a_project_file_is_read_only_while_it_is_the_one_that_was_trusted(home: Path, tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.config.parent.mkdir()
    project.config.write_text("agent: {approvals: {mode: yolo}}\n")

    before = loaded(home, "", tmp_path)
    trust(Home(home), project)
    after = loaded(home, "", tmp_path)
    project.config.write_text("agent: {approvals: {mode: yolo}, hooks: {session_start: [evil]}}\n")
    changed = loaded(home, "", tmp_path)

    assert (before.get("agent.approvals.mode"), before.untrusted) == ("ask", (project.config,))
    assert (after.get("agent.approvals.mode"), after.untrusted) == ("yolo", ())
    assert (changed.get("agent.approvals.mode"), changed.untrusted) == ("ask", (project.config,))


@promise("S-F2")
@pytest.mark.parametrize(
    ("text", "value"),
    [("off", "off"), ("false", "off"), ("False", "off"), ("true", "auto"), ("on", "on"), ('"off"', "off")],
)
def test_words_that_look_like_booleans_stay_words(home: Path, text: str, value: str) -> None:
    assert loaded(home, f"tools:\n  tool_search:\n    enabled: {text}\n").get(ENABLED) == value


@pytest.mark.parametrize(("text", "value"), [("true", "auto"), ("false", "off")])
def test_a_boolean_may_stand_for_tool_search(home: Path, text: str, value: str) -> None:
    config = loaded(home, f"tools:\n  tool_search: {text}\n")
    assert (config.get(ENABLED), config.problems) == (value, ())
    assert loaded(home, "", environ={"HERMES_LITE__TOOLS__TOOL_SEARCH": text}).get(ENABLED) == value


@promise("CONFIG.problems", "T-J09")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("tools: {tool_search: {enabled: sometimes}}", "`sometimes` is not one of auto, on, off; using auto"),
        ("agent:\n  max_steps: 0", ":2: agent.max_steps: `0` is not a whole number of at least 1; using 60"),
        ("agent:\n  max_stepz: 5", ":2: agent.max_stepz: there is no such key; did you mean agent.max_steps?"),
        ("agent: 5", "agent is a section; a value cannot stand in its place"),
        ("a: [", ":1: while parsing"),
        ("a: 1\na: 2", ":2: the key 'a' stands twice"),
        ("- a", ":1: the file is not a mapping of keys to values"),
        ("a: 1\n---\nb: 2", "a second document begins"),
        ("mcp_servers: {a: 5, b: {command: x}}", "mcp_servers.a: `5` is not a mapping with command"),
        ("agent: {approvals: {allow: read_file}}", "`read_file` is not a list; write [read_file]; using []"),
    ],
)
def test_what_cannot_be_used_is_named_with_its_place_and_what_holds(home: Path, text: str, shown: str) -> None:
    config = loaded(home, text)
    assert len(config.problems) == 1
    if "parsing" not in shown:
        assert shown in str(config.problems[0])
    assert str(home / "config.yaml") in str(config.problems[0])
    assert config.get("agent.max_steps") == 60


def test_one_bad_server_does_not_take_the_others_with_it(home: Path) -> None:
    assert loaded(home, "mcp_servers: {a: 5, b: {command: x}}").get("mcp_servers") == {"b": {"command": "x"}}


def test_a_file_that_cannot_be_decoded_or_read_is_a_problem(home: Path) -> None:
    (home / "config.yaml").write_bytes(b"\xff\xfe")
    assert "not UTF-8" in str(load(Home(home), Project(home), {}).problems[0])
    (home / "config.yaml").unlink()
    (home / "config.yaml").mkdir()
    assert "cannot be read" in str(load(Home(home), Project(home), {}).problems[0])


def test_variables_that_name_nothing_and_values_that_fit_nothing_are_problems(home: Path) -> None:
    environ = {
        "HERMES_LITE__AGENT__STEPS": "1",
        "HERMES_LITE__MCP_SERVERS": "{",
        "HERMES_LITE__AGENT__MAX_STEPS": "x",
    }
    problems = [str(problem) for problem in loaded(home, "", environ=environ).problems]
    assert [problem.partition(":")[0] for problem in problems] == sorted(environ)
    assert "using 60" in problems[0]


def test_an_option_that_names_no_key_is_a_usage_error(home: Path) -> None:
    with pytest.raises(ConfigError, match=r"no key agent\.max_step"):
        loaded(home, "", agent__max_step="3")


@promise("S-F6")
@pytest.mark.parametrize("key", default_schema().keys.values(), ids=lambda key: key.name)
def test_every_key_takes_six_types_and_warns_by_name_of_those_it_cannot_use(home: Path, key: Key) -> None:
    warned = 0
    for text in ("null", "[[1]]", "{x: {y: 1}}", "'@@ not a value'", "true", "-1.5"):
        tree = text
        for name in reversed(key.path):
            tree = f"{{{name}: {tree}}}"
        config = loaded(home, tree)
        warned += bool(config.problems)
        assert all(problem.key.startswith(key.name) for problem in config.problems)
        assert config.get(key.name) is not None
    assert warned >= 2


@promise("CONFIG.defaults")
def test_no_kind_refuses_its_own_default_and_every_kind_has_a_key(home: Path) -> None:
    config = loaded(home)
    assert config.problems == ()
    assert set(KINDS) <= set(config.schema.names)


@promise("CONFIG.defaults")
def test_every_key_of_the_defaults_has_a_comment() -> None:
    lines = defaults_file().read_text("utf-8").splitlines()
    assert [key.name for key in default_schema().keys.values() if "# " not in lines[key.default.line - 1]] == []


def test_a_section_is_plain_nested_values_and_an_unknown_key_names_the_nearest(home: Path) -> None:
    config = loaded(home)
    assert config.section("agent")["approvals"]["mode"] == "ask"
    assert config.section("mcp_servers") == {}
    with pytest.raises(ConfigError) as caught:
        config.get("tool_search.enabled")
    assert "tools.tool_search.enabled" in caught.value.mend
    with pytest.raises(ConfigError, match="single value"):
        config.section(ENABLED)
    with pytest.raises(ConfigError, match="not set"):
        config.get("mcp_servers.git")


def test_text_keys_keep_what_was_written(home: Path) -> None:
    config = loaded(home, "model: {default: 4.10}\nmcp_servers: {a: {command: x, env: {PORT: 0010, ON: off}}}\n")
    assert config.get("model.default") == "4.10"
    assert config.get("mcp_servers.a.env") == {"PORT": "0010", "ON": "off"}


def test_anchors_and_merges_of_yaml_are_read(home: Path) -> None:
    text = "base: &b {command: x, timeout: 5}\nmcp_servers:\n  a:\n    <<: *b\n    timeout: 6\n  b: *b\n"
    servers = loaded(home, text).get("mcp_servers")
    assert servers == {"a": {"command": "x", "timeout": 6}, "b": {"command": "x", "timeout": 5}}


def test_what_was_parsed_before_is_remembered_by_its_content(home: Path) -> None:
    loaded(home, "agent: {max_steps: 2}")
    remembered = sorted((home / "cache" / "config").iterdir())
    assert len(remembered) == 2
    for file in remembered:
        file.write_text("not what we wrote")
    assert loaded(home, "agent: {max_steps: 2}").get("agent.max_steps") == 2
    for number in range(40):
        loaded(home, f"agent: {{max_steps: {number + 2}}}")
    assert len(list((home / "cache" / "config").iterdir())) <= 17


def test_without_a_home_folder_nothing_is_created(tmp_path: Path) -> None:
    assert load(Home(tmp_path / "none"), Project(tmp_path), {}).problems == ()
    assert list(tmp_path.iterdir()) == []
