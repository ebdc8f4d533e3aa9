import unicodedata

import pytest
from hypothesis import given

from hermes_lite.tool_search.signature import PURPOSE_CHARS, purpose, shared_openings, short_name, signature
from hermes_lite.tools.spec import ToolSpec
from tests.support.promises import promise
from tests.support.tool_rows import any_text, object_schema, server_tools


def tool(name: str = "create_issue", description: str = "", **schema: object) -> ToolSpec:
    return server_tools("github", {name: description}, **schema)[0]


def test_required_parameters_come_first_and_short_enumerations_are_spelled_out() -> None:
    row = tool(
        **object_schema(
            ["repo", "title"],
            body={"type": "string"},
            labels={"type": "array", "items": {"type": "string"}},
            title={"type": "string"},
            state={"enum": ["open", "closed"]},
            repo={"type": "string"},
            limit={"anyOf": [{"type": "integer"}, {"type": "null"}]},
        )
    )
    assert signature(row) == "create_issue(repo, title, body?, labels?: [], limit?: int, state?: open|closed)"


@pytest.mark.parametrize(
    ("schema", "shown"),
    [
        ({"type": "boolean"}, "x?: bool"),
        ({"type": "number"}, "x?: number"),
        ({"type": "object"}, "x?: {}"),
        ({"type": ["array", "null"]}, "x?: []"),
        ({"type": ["string", "integer"]}, "x?"),
        ({"const": "only"}, "x?: only"),
        ({"enum": [1, 7, True]}, "x?: 1|7|true"),
        ({"enum": [f"value{n}" for n in range(50)]}, "x?"),
        ({"enum": ["a\n## heading", "b"]}, "x?"),
        ({"$ref": "#/$defs/side"}, "x?: left|right"),
        ({"$ref": "https://example.com/x"}, "x?"),
        (True, "x?"),
        ({}, "x?"),
    ],
)
def test_a_parameter_says_what_its_value_looks_like(schema: object, shown: str) -> None:
    row = tool("t", properties={"x": schema}, **{"$defs": {"side": {"enum": ["left", "right"]}}})
    assert signature(row) == f"t({shown})"


def test_a_long_signature_is_cut_at_a_parameter() -> None:
    text = signature(tool(**object_schema(["id"], id={}, **{f"option_{n:02}": {} for n in range(60)})))
    assert text.startswith("create_issue(id, option_00?, ")
    assert text.endswith(", …)")
    assert len(text) < 180


def test_parameters_are_called_as_they_are_sent() -> None:
    assert signature(tool("t", **object_schema(["a b"], **{"a b": {}}))).startswith("t(a_b_")


def test_alternatives_at_the_root_are_part_of_the_signature() -> None:
    row = tool("t", oneOf=[object_schema(["by"], by={}, id={}), object_schema(["by"], by={}, name={})])
    assert signature(row) == "t(by, id?, name?)"


@pytest.mark.parametrize(
    ("description", "told"),
    [
        ("Create an issue. Needs a token.", "Create an issue"),
        ("\n\n  🎯 Purpose:\n  Create an issue", "Create an issue"),
        ("**Purpose:**\n# Guardrails:\n- `Create` an issue", "Create an issue"),
        ("<usecase>\nUse it, e.g. daily, vs. weekly. Rest.", "Use it, e.g. daily, vs. weekly"),
        ("発言を投稿します。詳細は後述。", "発言を投稿します。"),
        ("a\x1b[31m\u202eb\tc\u2028d", "ab c"),
        ("---\n***\nReal text", "Real text"),
        (".NET build", ".NET build"),
        ("", ""),
        ("!!! ... ###", ""),
    ],
)
def test_the_purpose_is_the_first_sentence_that_tells_something(description: str, told: str) -> None:
    assert purpose(tool(description=description)) == told


@promise("T-E18")
def test_the_purpose_is_cut_at_a_word_within_sixty_characters() -> None:
    told = purpose(tool(description="Merge " + "a very long explanation " * 400))
    assert len(told) <= PURPOSE_CHARS
    assert told == "Merge a very long explanation a very long explanation a…"


@promise("T-E17")
@pytest.mark.parametrize("offset", range(PURPOSE_CHARS))
def test_the_cut_never_falls_inside_an_emoji(offset: int) -> None:
    told = purpose(tool(description="x" * offset + "👩‍💻" * 40))
    assert len(told) <= PURPOSE_CHARS
    assert told.removesuffix("…").lstrip("x").replace("👩‍💻", "") == ""


def test_what_the_siblings_say_too_is_skipped() -> None:
    texts = {f"fetch_{n}": f"Twilio - Api: This is the public API. Fetch resource {n}." for n in range(5)}
    rows = server_tools("twilio", texts)
    assert purpose(rows[3], shared_openings(rows)) == "Fetch resource 3"


def test_a_label_that_the_siblings_share_is_skipped() -> None:
    rows = server_tools("notion", {f"t{n}": f"Notion | Do thing {n}" for n in range(5)})
    assert purpose(rows[2], shared_openings(rows)) == "Do thing 2"


def test_a_sentence_that_all_share_is_still_told_when_there_is_no_other() -> None:
    rows = server_tools("s", {f"t{n}": "Run a report." for n in range(4)})
    assert purpose(rows[0], shared_openings(rows)) == "Run a report"


def test_a_name_that_is_not_plain_is_shown_as_it_is_sent() -> None:
    assert short_name(tool("create\n## issue")) == "mcp__github__create_issue"
    assert short_name(tool("files.read")) == "files.read"


@promise("T-F09")
@given(any_text, any_text)
def test_no_server_text_can_add_a_line_or_a_control_character(name: str, description: str) -> None:
    for row in server_tools("s", {name: description}) if name.strip() else []:
        line = f"{signature(row)}: {purpose(row)}"
        assert line.splitlines() == [line]
        assert not line.startswith(("#", " "))
        assert not {unicodedata.category(char) for char in line} & {"Cc", "Cs", "Co", "Zl", "Zp"}
