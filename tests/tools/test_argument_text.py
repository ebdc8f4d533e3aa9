import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_lite.tools.argument_text import Malformed, dump, is_object, parse
from tests.support.promises import promise

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@promise("S-B6")
@pytest.mark.parametrize("text", [None, "", "  \n", "null", "{}", " {} ", '"null"', '""', '"{}"', "```json\n{}\n```"])
def test_no_arguments_in_any_spelling_are_an_empty_object(text: str | None) -> None:
    assert parse(text) == {}


@promise("S-B11")
@pytest.mark.parametrize(
    "text", ['"{\\"a\\":1}"', '"\\"{\\\\\\"a\\\\\\":1}\\""', '```json\n{"a": 1}\n```', '```\n"{\\"a\\":1}"\n```']
)
def test_arguments_encoded_more_than_once_are_the_object_inside(text: str) -> None:
    assert parse(text) == {"a": 1}


@promise("S-B4")
@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (r"C:\path", "C:\\path"),
        (r"C:\Program Files\x", "C:\\Program Files\\x"),
        (r"C:\users\unicorn", "C:\\users\\unicorn"),
        (r"\d+", "\\d+"),
        (r"^\w+\.\w+$", "^\\w+\\.\\w+$"),
        (r"\[x\]", "\\[x\\]"),
        (r"it\'s", "it\\'s"),
        (r"\$HOME", "\\$HOME"),
        (r"\x41", "\\x41"),
        (r"\0", "\\0"),
        (r"\(a\)", "\\(a\\)"),
        (r"say \"\d\"", 'say "\\d"'),
        (r"a\ b", "a\\ b"),
        (r"C:\\path", "C:\\path"),
        (r"\\d+", "\\d+"),
        (r"line\nbreak", "line\nbreak"),
        (r"tab\there", "tab\there"),
        (r"\u00e9", "é"),
        ("raw\nbreak", "raw\nbreak"),
        ("raw\ttab", "raw\ttab"),
    ],
)
def test_backslashes_are_read_when_they_can_mean_one_thing(written: str, meant: str) -> None:
    assert parse(f'{{"a": "{written}", "b": 1}}') == {"a": meant, "b": 1}


@promise("S-B4")
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (r'{"p": "C:\new\path"}', "backslash"),
        (r'{"p": "\\server\share"}', "backslash"),
        (r'{"p": "C:\table\x"}', "backslash"),
        ('{"p": "C:\\dir\\"}', "backslash"),
        ('{"a": "x', "end in the middle"),
        ('{"a": 1, ', "end in the middle"),
        ('{"a": [1, 2', "end in the middle"),
        ('{"a": 1}{"b": 2}', "another value follows"),
        ('{}{"a": 1}', "another value follows"),
        ('{"a": 1} and more', "another value follows"),
        ("{'a': 1}", "double quotes"),
        ('{"a": NaN}', "NaN"),
        ("[1, 2]", "of type array"),
        ('"words"', "Expecting value"),
        ("words", "Expecting value"),
        ("7", "of type integer"),
        ("[" * 100_000, "out of bounds"),
        ('{"a": ' + "9" * 5000 + "}", "out of bounds"),
    ],
)
def test_unreadable_arguments_are_quoted_and_never_become_an_empty_object(text: str, reason: str) -> None:
    read = parse(text)
    assert isinstance(read, Malformed)
    assert reason in read.reason
    refusal = read.refusal("save")
    assert refusal.startswith("NOT RUN: save was not invoked")
    assert text[:20].replace("\\\\", "\\")[:4] in refusal


@promise("S-B8")
def test_an_empty_value_keeps_its_neighbours_and_its_bytes() -> None:
    text = '{"a":"","b":1}'
    assert is_object(text)
    assert parse(text) == {"a": "", "b": 1}
    assert dump(parse(text)) == text


@given(st.dictionaries(st.text(), json_values, max_size=5))
def test_what_is_valid_json_is_read_as_json(value: dict[str, object]) -> None:
    assert parse(json.dumps(value)) == json.loads(dump(value))


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    read = parse(text)
    assert isinstance(read, dict | Malformed)
    dump(read).encode() if isinstance(read, dict) else read.refusal("tool").encode()
