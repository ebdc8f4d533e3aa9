"""Cutting one key out of, or into, the text of a file: nothing else moves."""

import string
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_lite.config.document import parse
from hermes_lite.config.keys import KeyPath
from hermes_lite.config.nodes import BrokenYaml, Mapped, plain
from hermes_lite.config.surgery import CannotEdit, drop, put
from tests.support.promises import promise

FILE = """\
# my settings

tools:   # everything about tools
    tool_search:
        enabled:   "auto"      # keep me
        pin: [a, 'b c']  # two
        defer:
        # above the list
        - one      # first
        # above two
        - two

        # after the list
        unknown_key: {x: 1,y: [1,  2]}
agent: {max_steps: 5, approvals: {mode: 'ask'}, }   # flow
note: |
    text
      more

empty:
# the end
"""


def changed_lines(before: str, after: str) -> tuple[list[str], list[str]]:
    """The lines that went and the lines that came, between the common head and the common tail."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return old[head : len(old) - tail], new[head : len(new) - tail]


def at(text: str, path: KeyPath) -> Any:
    value = plain(parse(text))
    for name in path:
        value = value[name]
    return value


@promise("CONFIG.bytes")
@pytest.mark.parametrize(
    ("path", "value", "went", "came"),
    [
        (
            "tools.tool_search.enabled",
            "off",
            '        enabled:   "auto"      # keep me',
            '        enabled:   "off"      # keep me',
        ),
        ("tools.tool_search.pin", ["a"], "        pin: [a, 'b c']  # two", "        pin: [a]  # two"),
        ("tools.tool_search.defer", ["one", "two", "three"], "", "        - three"),
        ("tools.tool_search.defer", ["two"], "        - one      # first", ""),
        ("tools.tool_search.limit", 5, "", "        limit: 5"),
        ("agent.approvals.mode", "deny", None, "agent: {max_steps: 5, approvals: {mode: 'deny'}, }   # flow"),
        (
            "agent.tool_timeout",
            7,
            None,
            "agent: {max_steps: 5, approvals: {mode: 'ask'}, tool_timeout: 7, }   # flow",
        ),
        (
            "agent.approvals.allow",
            ["x"],
            None,
            "agent: {max_steps: 5, approvals: {mode: 'ask', allow: [x]}, }   # flow",
        ),
        ("note", "one", "note: |\n    text\n      more", "note: one"),
        ("empty", 3, "empty:", "empty: 3"),
        ("empty.a.b", True, "", "  a:\n    b: true"),
        ("model.default", "gpt", "", "model:\n  default: gpt"),
        ("tools.tool_search.enabled", {"a": 1}, None, "        enabled:   {a: 1}      # keep me"),
    ],
)
def test_only_the_named_key_changes(path: str, value: Any, went: str | None, came: str) -> None:
    after = put(FILE, tuple(path.split(".")), value)
    old, new = changed_lines(FILE, after)
    assert "".join(new).rstrip("\n") == came
    assert went is None or "".join(old).rstrip("\n") == went
    assert at(after, tuple(path.split("."))) == value


@promise("CONFIG.bytes")
@pytest.mark.parametrize(
    "path",
    ["tools.tool_search.limit", "agent.tool_timeout", "agent.approvals.allow", "model.default", "mcp_servers.a.b"],
)
def test_setting_and_unsetting_a_new_key_gives_the_file_back(path: str) -> None:
    keys = tuple(path.split("."))
    assert drop(put(FILE, keys, [1, "x"]), keys) == FILE


@pytest.mark.parametrize(
    ("path", "went", "came"),
    [
        ("tools.tool_search.enabled", '        enabled:   "auto"      # keep me', ""),
        ("note", "note: |\n    text\n      more", ""),
        ("agent.max_steps", None, "agent: {approvals: {mode: 'ask'}, }   # flow"),
        ("agent.approvals", None, "agent: {max_steps: 5, }   # flow"),
        ("agent.approvals.mode", None, "agent: {max_steps: 5, }   # flow"),
        ("tools.tool_search.unknown_key.x", None, "        unknown_key: {y: [1,  2]}"),
        ("empty", "empty:", ""),
    ],
)
def test_only_the_named_key_goes(path: str, went: str | None, came: str) -> None:
    old, new = changed_lines(FILE, drop(FILE, tuple(path.split("."))))
    assert "".join(new).rstrip("\n") == came
    assert went is None or "".join(old).rstrip("\n") == went


def test_a_section_left_empty_goes_with_its_last_key_but_not_with_a_comment() -> None:
    assert drop("a:\n  b:\n    c: 1\nz: 1\n", ("a", "b", "c")) == "z: 1\n"
    assert drop("a:\n  # why\n  c: 1\nz: 1\n", ("a", "c")) == "a:\n  # why\nz: 1\n"


def test_what_is_not_there_cannot_be_dropped() -> None:
    with pytest.raises(KeyError):
        drop(FILE, ("tools", "nope"))
    with pytest.raises(KeyError):
        drop("", ("a",))


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("a: &x {b: 1}\nc: *x\n", ("c", "b")),
        ("a: &x 1\nc: *x\n", ("a",)),
        ("a: 5\n", ("a", "b")),
        ("a: {b: 1\n  }\nc: [1,\n 2]\n", ("c", "d")),
    ],
)
def test_a_layout_that_one_key_cannot_be_changed_in_is_refused(text: str, path: KeyPath) -> None:
    with pytest.raises(CannotEdit):
        put(text, path, 9)


def test_an_alias_is_replaced_where_it_stands() -> None:
    assert put("a: &x {b: 1}\nc: *x  # d\n", ("c",), 2) == "a: &x {b: 1}\nc: 2  # d\n"


def test_a_broken_file_is_named_with_its_place() -> None:
    with pytest.raises(BrokenYaml) as caught:
        put("a: 1\nb: [\n", ("a",), 2)
    assert caught.value.line == 3 or caught.value.line == 2


@pytest.mark.parametrize(
    "text", ["", "# only a comment", "# one\n", "---\n", "\ufeffa: 1\n", "a: 1\n...\n", "a: 1", "{a: 1}\n"]
)
def test_a_key_comes_into_any_file(text: str) -> None:
    after = put(text, ("new", "key"), "x")
    assert at(after, ("new", "key")) == "x"
    assert set(text.split()) - {"1}"} <= set(after.replace("1, new", "1} new").split())


@promise("CONFIG.bytes")
def test_line_ends_of_the_file_are_kept() -> None:
    after = put("a: 1\r\nb:\r\n  c: 2\r\n", ("b", "d"), {"e": [1], "f": "g"})
    assert after == "a: 1\r\nb:\r\n  c: 2\r\n  d:\r\n    e: [1]\r\n    f: g\r\n"
    assert drop(after, ("a",)) == "b:\r\n  c: 2\r\n  d:\r\n    e: [1]\r\n    f: g\r\n"


def existing(text: str, path: KeyPath) -> Any:
    try:
        return at(text, path)
    except (KeyError, TypeError):
        return None


NAMES = st.text(string.ascii_lowercase + "_", min_size=1, max_size=5) | st.sampled_from(
    ["a.b", "on", "null", "1", "x y"]
)
ATOMS = (
    st.booleans()
    | st.integers(-(10**6), 10**6)
    | st.floats(-1e6, 1e6).map(lambda number: round(number, 3))
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
    | st.sampled_from(
        ["off", "on", "yes", "null", "~", "5", "1e3", "a: b", "a #b", "- x", "'", '"', "${V}", "git *", "0x1F", ""]
    )
)
VALUES = st.recursive(
    ATOMS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=6
)
TRAILERS = st.sampled_from(["", " # c", '   # it\'s: "odd" [', "\n# own line", "\n\n"])


SCALARS = ("1", "x", "off", '"q"', "'s'")


@st.composite
def files(draw: st.DrawFn, depth: int = 0) -> str:
    """A block mapping as a person might have written it: odd comments, blank lines, flow and block values."""
    lines: list[str] = []
    for name in draw(st.lists(st.sampled_from(["a", "b", "c", "d"]), unique=True, min_size=1, max_size=3)):
        kind = draw(
            st.sampled_from(
                ["scalar", "flow", "list", "map", "empty", "literal"] if depth < 2 else ["scalar", "list"]
            )
        )
        trailer = draw(TRAILERS)
        match kind:
            case "scalar":
                lines.append(f"{name}: {draw(st.sampled_from(SCALARS))}{trailer}")
            case "flow":
                lines.append(f"{name}: {draw(st.sampled_from(['{b: 1, c: [x, y]}', '[p, q]', '{}', '[]']))}{trailer}")
            case "list":
                lines.append(f"{name}:{trailer}")
                lines += [
                    f"{draw(st.just('  '))}- {item}{draw(TRAILERS)}" for item in draw(st.permutations(["i", "j"]))
                ]
            case "map":
                lines.append(f"{name}:{trailer}")
                inner = draw(files(depth=depth + 1))
                lines += ["  " + line if line and not line.startswith("#") else line for line in inner.splitlines()]
            case "empty":
                lines.append(f"{name}:{trailer}")
            case _:
                lines.append(f"{name}: |\n  some\n   text{draw(st.sampled_from(['', chr(10)]))}")
    return "\n".join(lines) + draw(st.sampled_from(["\n", "", "\n# end\n"]))


def leaves(tree: Mapped) -> dict[KeyPath, Any]:
    return {(name,): plain(node) for name, node in tree.entries.items()}


@promise("CONFIG.bytes")
@settings(max_examples=80, deadline=None)
@given(files(), st.lists(st.sampled_from(["a", "b", "c", "new"]), min_size=1, max_size=3), VALUES)
def test_any_value_set_anywhere_reads_back_and_leaves_all_other_lines(text: str, path: list[str], value: Any) -> None:
    keys = tuple(path)
    try:
        after = put(text, keys, value)
    except CannotEdit:
        before = plain(parse(text))
        for name in keys[:-1]:  # refused only where a single value or a list stands in the way
            before = before.get(name, {}) if isinstance(before, dict) else before
        assert not isinstance(before, dict) or text.count("|")
        return
    assert at(after, keys) == value
    old, new = ("".join(lines).splitlines() for lines in changed_lines(text, after))
    lost = [line for line in old if line.strip().startswith("#") and line not in new]
    is_tall = isinstance(existing(text, keys), list | dict)
    assert is_tall or (lost == [] and (len(old) <= 1 or "|" in text))


@promise("CONFIG.bytes")
@settings(max_examples=60, deadline=None)
@given(files(), st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=3))
def test_any_key_dropped_is_gone_and_all_other_top_keys_stay(text: str, path: list[str]) -> None:
    keys = tuple(path)
    try:
        after = drop(text, keys)
    except KeyError:
        return
    with pytest.raises((KeyError, TypeError)):
        at(after, keys)
    before_top, after_top = leaves(parse(text)), leaves(parse(after))
    assert {key: value for key, value in before_top.items() if key != keys[:1]} == {
        key: value for key, value in after_top.items() if key != keys[:1]
    }
