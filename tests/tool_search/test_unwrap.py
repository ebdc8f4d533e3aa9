"""What each way of writing a call becomes."""

import json
import re
import string
from dataclasses import replace
from typing import Any

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_lite.messages import ToolCall
from hermes_lite.tool_search.printed import may_be_values
from hermes_lite.tool_search.unwrap import CallError, RealCall, recover_text_calls, unwrap, wrap
from hermes_lite.tools.argument_text import dump
from hermes_lite.tools.registry import Scope
from hermes_lite.tools.spec import Source, SourceStatus, ToolSpec
from tests.support.promises import promise
from tests.support.tool_rows import core_tool, object_schema, server_tools

TEXT = {"type": "string"}


def _tool(server: str, name: str, *parameters: str) -> ToolSpec:
    schema = object_schema(parameters[:1], **dict.fromkeys(parameters, TEXT))
    return replace(server_tools(server, [name])[0], parameters=schema)


ISSUE = _tool("github", "create_issue", "title", "body")
SEARCH_CODE = _tool("github", "search_code", "query")
USER = _tool("crm", "create_user", "name", "arguments", "tool")
CONVERT = _tool("crm", "transform", "input", "parameters")
DIAL = _tool("crm", "dial", "calls")
LEFT, RIGHT = _tool("left", "list_items", "a"), _tool("right", "list_items", "a")
SCOPE = Scope(
    (core_tool("terminal"), ISSUE, SEARCH_CODE, USER, CONVERT, DIAL, LEFT, RIGHT),
    (
        SourceStatus(Source("mcp", "github"), "ready"),
        SourceStatus(Source("mcp", "slow"), "connecting"),
        SourceStatus(Source("mcp", "locked"), "needs_auth"),
    ),
)


def written(arguments: Any, name: str = "tool_call") -> tuple[RealCall | CallError, ...]:
    """What a call becomes whose arguments are `arguments`, or their text."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return unwrap([ToolCall("call_Ab3dEf9h", name, text)], SCOPE)


def became(arguments: Any, name: str = "tool_call") -> list[tuple[str, dict[str, Any]] | str]:
    """Name and arguments of each real call, the code of each error."""
    return [
        item.code if isinstance(item, CallError) else (item.row.name, item.arguments)
        for item in written(arguments, name)
    ]


def issue(**arguments: Any) -> tuple[str, dict[str, Any]]:
    return ISSUE.name, arguments


def nested(inner: Any) -> Any:
    return {"name": "tool_call", "arguments": inner}


CREATE = {"name": "create_issue", "arguments": {"title": "T"}}

ENVELOPES: list[tuple[str, Any, list[Any]]] = [
    ("canonical", {"calls": [CREATE]}, [issue(title="T")]),
    ("two entries", {"calls": [CREATE, {"name": "terminal", "arguments": {}}]}, [issue(title="T"), ("terminal", {})]),
    ("one object for the list", {"calls": CREATE}, [issue(title="T")]),
    ("a JSON string of the list", {"calls": json.dumps([CREATE])}, [issue(title="T")]),
    ("a JSON string of one object", {"calls": json.dumps(CREATE)}, [issue(title="T")]),
    ("JSON strings in the list", {"calls": [json.dumps(CREATE), CREATE]}, [issue(title="T"), issue(title="T")]),
    ("the whole text encoded twice", json.dumps(json.dumps({"calls": [CREATE]})), [issue(title="T")]),
    ("a fenced text", "```json\n" + json.dumps({"calls": [CREATE]}) + "\n```", [issue(title="T")]),
    ("a bare list", [CREATE], [issue(title="T")]),
    ("the entry at top level", CREATE, [issue(title="T")]),
    ("a name for the list", {"calls": "create_issue"}, [issue()]),
    ("names in the list", {"calls": ["create_issue", "terminal"]}, [issue(), ("terminal", {})]),
    ("tool_calls for calls", {"tool_calls": [CREATE]}, [issue(title="T")]),
    ("call for calls", {"call": CREATE}, [issue(title="T")]),
    ("arguments as JSON text", {"name": "create_issue", "arguments": '{"title":"T"}'}, [issue(title="T")]),
    ("arguments encoded twice", {"name": "create_issue", "arguments": dump('{"title":"T"}')}, [issue(title="T")]),
    ("arguments null", {"name": "create_issue", "arguments": None}, [issue()]),
    ("arguments blank", {"name": "create_issue", "arguments": " "}, [issue()]),
    ("no arguments", {"name": "create_issue"}, [issue()]),
    ("args", {"name": "create_issue", "args": {"title": "T"}}, [issue(title="T")]),
    ("input", {"name": "create_issue", "input": {"title": "T"}}, [issue(title="T")]),
    ("parameters", {"name": "create_issue", "parameters": {"title": "T"}}, [issue(title="T")]),
    ("params as text", {"name": "create_issue", "params": '{"title":"T"}'}, [issue(title="T")]),
    ("tool for name", {"tool": "create_issue", "arguments": {"title": "T"}}, [issue(title="T")]),
    ("tool_name for name", {"tool_name": "create_issue", "args": {"title": "T"}}, [issue(title="T")]),
    ("function for name", {"function": "create_issue", "args": {"title": "T"}}, [issue(title="T")]),
    ("the OpenAI shape", {"id": "x", "type": "function", "function": CREATE}, [issue(title="T")]),
    ("the flat OpenAI shape", {"id": "x", "type": "function", **CREATE}, [issue(title="T")]),
    ("keyed by the tool's name", {"create_issue": {"title": "T"}}, [issue(title="T")]),
    ("a list keyed by names", {"calls": [{"create_issue": {"title": "T"}}]}, [issue(title="T")]),
    ("flattened", {"name": "create_issue", "title": "T", "body": "B"}, [issue(title="T", body="B")]),
    ("flattened in the list", {"calls": [{"name": "create_issue", "title": "T"}]}, [issue(title="T")]),
    ("part inside, part beside", {**CREATE, "body": "B"}, [issue(title="T", body="B")]),
    ("two holders, one of them empty", {**CREATE, "input": {}}, [issue(title="T")]),
    ("two holders with one value", {**CREATE, "args": {"title": "T"}}, [issue(title="T")]),
    ("two holders with two values", {**CREATE, "args": {"title": "U"}}, ["conflict"]),
    ("flat beside empty arguments", {"name": "create_issue", "arguments": {}, "titel": "T"}, [issue(titel="T")]),
    ("chatter beside the arguments", {**CREATE, "reason": "asked"}, [issue(title="T")]),
    ("the same value inside and beside", {**CREATE, "title": "T"}, [issue(title="T")]),
    ("two values for one parameter", {**CREATE, "title": "U"}, ["conflict"]),
    ("name and tool alike", {"name": "create_issue", "tool": "create_issue", "title": "T"}, [issue(title="T")]),
    ("nested once", {"calls": [{"name": "tool_call", "arguments": {"calls": [CREATE]}}]}, [issue(title="T")]),
    ("nested by key", {"tool_call": {"calls": [CREATE]}}, [issue(title="T")]),
    ("calls in calls", {"calls": {"calls": [CREATE]}}, [issue(title="T")]),
    ("nested twice", nested(nested(CREATE)), [issue(title="T")]),
    ("nested once too often", nested(nested(nested(CREATE))), ["nested"]),
    ("spaces around the name", {"name": "  create_issue ", "arguments": {"title": "T"}}, [issue(title="T")]),
    ("spaces in the keys", {" name ": "create_issue", "arguments ": {"title": "T"}}, [issue(title="T")]),
    ("a functions. prefix", {"name": "functions.create_issue", "arguments": {}}, [issue()]),
    ("a functions: prefix", {"name": "functions:create_issue", "arguments": {}}, [issue()]),
    ("a default_api. prefix", {"name": "default_api.create_issue", "arguments": {}}, [issue()]),
    ("a tool: prefix", {"name": "tool:create_issue", "arguments": {}}, [issue()]),
    ("a number of the call", {"name": "functions.create_issue:0", "arguments": {}}, [issue()]),
    ("a mark of a channel", {"name": "create_issue<|channel|>commentary", "arguments": {}}, [issue()]),
    ("nothing but a prefix", {"name": "functions.", "arguments": {}}, ["unknown-tool"]),
    ("another case", {"name": "Create_Issue", "arguments": {}}, [issue()]),
    ("another separator", {"name": "create-issue", "arguments": {}}, [issue()]),
    ("camel case", {"name": "createIssue", "arguments": {}}, [issue()]),
    ("the full name", {"name": ISSUE.name, "arguments": {}}, [issue()]),
    ("a short name of two tools", {"name": "list_items", "arguments": {}}, ["ambiguous-name"]),
    ("the full name of one of them", {"name": LEFT.name, "a": "1"}, [(LEFT.name, {"a": "1"})]),
    ("a tool with a parameter `name`", {"tool": "create_user", "name": "Bo"}, [(USER.name, {"name": "Bo"})]),
    (
        "a tool with parameters `name` and `arguments`",
        {"name": "create_user", "arguments": {"name": "Bo", "arguments": "x", "tool": "t"}},
        [(USER.name, {"name": "Bo", "arguments": "x", "tool": "t"})],
    ),
    ("`arguments` as a parameter", {"name": "create_user", "arguments": "x y"}, [(USER.name, {"arguments": "x y"})]),
    ("a parameter `tool`, flat", {"name": "create_user", "tool": "saw"}, [(USER.name, {"tool": "saw"})]),
    ("a parameter `input`, flat", {"name": "transform", "input": "raw"}, [(CONVERT.name, {"input": "raw"})]),
    ("a parameter `input`, held", {"name": "transform", "input": {"input": "r"}}, [(CONVERT.name, {"input": "r"})]),
    ("`input` as an object", {"name": "transform", "input": {"z": 1}}, [(CONVERT.name, {"input": {"z": 1}})]),
    ("a parameter `calls`, flat", {"name": "dial", "calls": "555"}, [(DIAL.name, {"calls": "555"})]),
    ("a core tool", {"name": "terminal", "arguments": {"command": "l"}}, [("terminal", {"command": "l"})]),
    ("nothing", "", ["empty"]),
    ("null", "null", ["empty"]),
    ("an empty object", {}, ["empty"]),
    ("an empty list", {"calls": []}, ["empty"]),
    ("an entry without a name", {"calls": [{"arguments": {"title": "T"}}]}, ["no-name"]),
    ("a blank name", {"calls": [{"name": " ", "arguments": {}}]}, ["no-name"]),
    ("a number for an entry", {"calls": [7]}, ["no-name"]),
    ("a bad entry between good ones", {"calls": [CREATE, {}, "zzz", CREATE]},
     [issue(title="T"), "no-name", "unknown-tool", issue(title="T")]),
    ("truncated", '{"calls":[{"name":"create_issue","arguments":{"title":"T"', ["malformed"]),
    ("two envelopes run together", json.dumps({"calls": [CREATE]}) * 2, ["malformed"]),
    ("arguments that are no JSON", {"name": "create_issue", "arguments": "title=T"}, ["malformed"]),
    ("arguments that are a list", {"name": "create_issue", "arguments": [1]}, ["malformed"]),
    ("plain backslashes", r'{"name":"create_issue","arguments":{"title":"C:\path"}}', [issue(title="C:\\path")]),
    ("eleven entries", {"calls": [CREATE] * 11}, ["over-cap"]),
    ("ten entries", {"calls": [CREATE] * 10}, [issue(title="T")] * 10),
    ("a search as an entry", {"name": "tool_search", "arguments": {"queries": ["x"]}}, ["nested-bridge"]),
    ("an unknown tool", {"name": "make_coffee", "arguments": {}}, ["unknown-tool"]),
    ("a tool of a source that is coming", {"name": "mcp__slow__anything"}, ["source-not-ready"]),
    ("a tool of a source that is not here", {"name": "mcp__secret__anything"}, ["not-in-scope"]),
]  # fmt: skip


@promise("BRIDGE-LENIENT", "T-E05", "T-E08", "T-E14", "T-E15", "T-E20")
@pytest.mark.parametrize(("arguments", "calls"), [pytest.param(a, c, id=name) for name, a, c in ENVELOPES])
def test_each_way_of_writing_an_envelope_becomes_its_calls_or_their_refusal(arguments: Any, calls: list[Any]) -> None:
    assert became(arguments) == calls


def test_the_table_of_envelopes_is_large_enough_to_mean_something() -> None:
    assert len(ENVELOPES) >= 60


@promise("BRIDGE-DIRECT", "T-A10", "T-A12")
@pytest.mark.parametrize(
    "name", ["create_issue", ISSUE.name, "functions.create_issue", "Create-Issue", " create_issue"]
)
def test_a_deferred_tool_called_by_its_own_name_runs(name: str) -> None:
    (item,) = written('{"title":"T"}', name)
    assert isinstance(item, RealCall)
    assert item.call == ToolCall("call_Ab3dEf9h", ISSUE.name, '{"title":"T"}', "direct")
    assert item.resolved_from == (None if name == ISSUE.name else name)


@promise("BRIDGE-BYTES")
@pytest.mark.parametrize("text", ['{ "title" : "T" }', '{"title":"\\u00e9"}', '{"title":"","body":1}'])
def test_the_text_of_a_direct_call_is_kept_to_the_byte(text: str) -> None:
    (item,) = written(text, ISSUE.name)
    assert item.call.arguments == text


@pytest.mark.parametrize("text", ["", "null", '"{}"', '"{\\"title\\":\\"T\\"}"', r'{"title":"C:\path"}'])
def test_a_text_that_a_provider_would_not_take_back_is_written_anew(text: str) -> None:
    (item,) = written(text, ISSUE.name)
    assert isinstance(item, RealCall)
    assert item.call.arguments == dump(item.arguments)


@promise("BRIDGE-NEVER-RAISES")
@pytest.mark.parametrize(
    "text",
    ['{"calls":' * 400 + "1" + "}" * 400, "[" * 900 + "]" * 900, '{"name":"create_issue","arguments":' + "[" * 500],
)
def test_nesting_without_end_is_refused_and_not_followed(text: str) -> None:
    assert became(text) == ["malformed"]
    assert recover_text_calls(text, SCOPE) == ()


@pytest.mark.parametrize("name", ["send mail!", "発送", "a" * 200, "", " ", "x.y/z"])
def test_a_refused_call_is_stored_under_a_name_that_providers_take_back(name: str) -> None:
    for item in (*written("{}", name), *written({"name": name, "arguments": {}})):
        assert isinstance(item, CallError)
        assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", item.call.name)


@promise("BRIDGE-FAIL-CLOSED")
def test_a_direct_call_that_cannot_be_read_is_quoted_and_not_run() -> None:
    (item,) = written('{"title": "T", "body": "half', ISSUE.name)
    assert isinstance(item, CallError)
    assert item.code == "malformed"
    assert item.text == (
        f"NOT RUN: {ISSUE.name} was not invoked, because its arguments could not be read: they end in the middle.\n"
        'Given: {"title": "T", "body": "half\n'
        "Send the call again with the arguments as one JSON object."
    )
    assert json.loads(item.call.arguments) == {"unreadable": '{"title": "T", "body": "half'}


@promise("BRIDGE-SEEN")
def test_what_is_stored_and_shown_is_the_real_tool_with_the_bridge_as_a_field() -> None:
    (item,) = written({"calls": [{"name": "create_issue", "arguments": {"title": "é"}}]})
    assert item.call == ToolCall("call_Ab3dEf9h", ISSUE.name, '{"title":"é"}', "bridge")


@promise("T-E20")
def test_a_batch_over_the_cap_states_the_cap_and_shows_how_to_split() -> None:
    (item,) = written({"calls": [{"name": f"t{n}", "arguments": {}} for n in range(12)]})
    assert isinstance(item, CallError)
    answer = json.loads(item.text)
    assert "at most 10" in answer["message"]
    assert [len(part) for part in answer["split"]] == [10, 2]
    assert [name for part in answer["split"] for name in part] == [f"t{n}" for n in range(12)]


@promise("BRIDGE-THREE-REFUSALS", "T-I08")
@pytest.mark.parametrize(
    ("name", "error", "named"),
    [
        ("create_isue", "unknown-tool", ISSUE.name),
        ("list_items", "ambiguous-name", LEFT.name),
        ("mcp__slow__pay", "source-not-ready", "connecting"),
        ("mcp__locked__pay", "source-not-ready", "needs_auth"),
        ("mcp__secret__pay", "not-in-scope", "github"),
    ],
)
def test_a_refusal_names_the_true_cause_and_the_next_step(name: str, error: str, named: str) -> None:
    (item,) = written({"name": name, "arguments": {}})
    assert isinstance(item, CallError)
    answer = json.loads(item.text)
    assert answer["error"] == item.code == error
    assert answer["message"].startswith("NOT RUN: ")
    assert named in json.dumps(answer.get("did_you_mean", answer.get("available_sources")))


@promise("T-B16")
@pytest.mark.parametrize("name", ["Bash", "Glob", "Grep", "KnowledgeSearch", "TodoWrite"])
def test_a_name_from_another_shell_is_answered_with_what_can_do_the_same(name: str) -> None:
    rows = server_tools(
        "desk",
        {
            "run_command": "Run a shell command.",
            "find_files": "Find files by name pattern.",
            "search_text": "Search text in files.",
            "search_notes": "Search notes and documents.",
            "todo_list": "Keep a todo list.",
        },
    )
    (item,) = unwrap([ToolCall("c1", name, "{}")], Scope(tuple(rows)))
    assert isinstance(item, CallError)
    expected = dict(
        zip(["Bash", "Glob", "Grep", "KnowledgeSearch", "TodoWrite"], [row.name for row in rows], strict=True)
    )
    assert next(iter(json.loads(item.text)["did_you_mean"])) == expected[name]


@promise("T-E05")
@pytest.mark.parametrize(
    ("arguments", "queries"),
    [
        ({"queries": ["a", "b"]}, ["a", "b"]),
        ({"queries": "a"}, ["a"]),
        ({"query": "a"}, ["a"]),
        ({"queries": '["a", "b"]'}, ["a", "b"]),
        ({"queries": [{"query": "a"}, "b", " "]}, ["a", "b"]),
        ({}, []),
    ],
)
def test_a_search_takes_its_queries_however_they_are_written(arguments: Any, queries: list[str]) -> None:
    (item,) = written({**arguments, "limit": 3}, "functions.tool_search")
    assert isinstance(item, RealCall)
    assert item.call.name == "tool_search"
    assert item.arguments == {"queries": queries, "limit": 3}


@promise("S-B14", "BRIDGE-IDS")
def test_every_wire_call_gives_at_least_one_item_and_every_item_an_id_of_its_own() -> None:
    calls = [
        ToolCall("same", "terminal", "{}"),
        ToolCall("same", "terminal", "{}"),
        ToolCall("", "terminal", "{}"),
        ToolCall("", "tool_call", json.dumps({"calls": [CREATE, CREATE]})),
        ToolCall("same", "nonsense", "{"),
    ]
    items = unwrap(calls, SCOPE)
    assert [item.call.name for item in items] == ["terminal"] * 3 + [ISSUE.name] * 2 + ["nonsense"]
    assert len({item.call.id for item in items}) == 6
    assert items[0].call.id == "same"
    assert items == unwrap(calls, SCOPE)


@promise("BRIDGE-IDS")
@pytest.mark.parametrize(
    ("wire", "alphabet"),
    [
        ("aB3dE5gH9", string.ascii_letters + string.digits),
        ("call_abc123XYZ", string.ascii_letters + string.digits),
        ("toolu_01A09q90qw90lq917835lq9", string.ascii_letters + string.digits),
        ("call_5f3a9c", "0123456789abcdef"),
        ("chatcmpl-tool-0f4e2d1c", "0123456789abcdef"),
        ("123456789", string.digits),
        ("0f4e2d1c-aaaa-4bbb-8ccc-0123456789ab", "0123456789abcdef-"),
    ],
)
def test_a_derived_id_has_the_length_and_the_characters_of_its_parent(wire: str, alphabet: str) -> None:
    items = unwrap([ToolCall(wire, "tool_call", json.dumps({"calls": [CREATE] * 10}))], SCOPE)
    assert items[0].call.id == wire
    for item in items[1:]:
        prefix = wire[: wire.rfind("_") + 1] or ("chatcmpl-tool-" if wire.startswith("chat") else "")
        assert len(item.call.id) == len(wire)
        assert item.call.id.startswith(prefix)
        assert set(item.call.id[len(prefix) :]) <= set(alphabet)
    assert len({item.call.id for item in items}) == 10


def test_ids_that_the_conversation_already_holds_are_not_given_again() -> None:
    (item,) = unwrap([ToolCall("call_0", "terminal", "{}")], SCOPE, taken=["call_0"])
    assert item.call.id != "call_0"
    assert len(item.call.id) == len("call_0")


PRINTED = [
    ("bare", '{"name": "create_issue", "arguments": {"title": "T"}}'),
    ("parameters", '{"name": "create_issue", "parameters": {"title": "T"}}'),
    ("fenced", '```json\n{"name": "create_issue", "arguments": {"title": "T"}}\n```'),
    ("tagged", '<tool_call>\n{"name": "create_issue", "arguments": {"title": "T"}}\n</tool_call>'),
    ("doubled braces", '{{"name": "create_issue", "arguments": {{"title": "T"}}}}'),
    ("doubled outer braces", '{{"name": "create_issue", "arguments": {"title": "T"}}}'),
    ("a list", '[{"name": "create_issue", "arguments": {"title": "T"}}]'),
    ("a mark before", '[TOOL_CALLS] [{"name": "create_issue", "arguments": {"title": "T"}}]'),
    ("another mark", '<|python_tag|>{"name": "create_issue", "parameters": {"title": "T"}}'),
    ("a named tag", '<function=create_issue>{"title": "T"}</function>'),
    ("the OpenAI shape", json.dumps({"type": "function", "function": CREATE})),
    ("the envelope", '{"calls": [{"name": "create_issue", "arguments": {"title": "T"}}]}'),
]  # fmt: skip


@promise("BRIDGE-PRINTED")
@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in PRINTED])
def test_a_reply_that_is_nothing_but_a_call_is_recovered_as_that_call(text: str) -> None:
    (item,) = unwrap(recover_text_calls(text, SCOPE), SCOPE)
    assert isinstance(item, RealCall)
    assert (item.row, item.arguments) == (ISSUE, {"title": "T"})
    assert len(item.call.id) == 9
    assert item.call.id.isalnum()


@promise("BRIDGE-PRINTED")
@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in PRINTED])
def test_a_printed_call_is_held_back_from_its_first_character_on(text: str) -> None:
    assert all(may_be_values(text[:end]) for end in range(len(text)))
    assert may_be_values("\n ")
    assert not may_be_values("Sure: " + text)


@promise("BRIDGE-PRINTED")
def test_several_printed_calls_are_several_calls() -> None:
    text = "\n".join(
        f"<tool_call>{json.dumps({'name': name, 'arguments': {}})}</tool_call>" for name in ("terminal", "dial")
    )
    calls = recover_text_calls(text, SCOPE)
    assert [call.name for call in calls] == ["terminal", "dial"]
    assert len({call.id for call in calls}) == 2


@promise("BRIDGE-PRINTED")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        "[1, 2]",
        "Here it is: " + json.dumps(CREATE),
        json.dumps(CREATE) + "\nDone.",
        "```json\n" + json.dumps(CREATE) + "\n```\nI will run this.",
        json.dumps({"name": "make_coffee", "arguments": {}}),
        json.dumps({"name": "create_issue"}),
        json.dumps({"name": "create_issue", "status": "ok"}),
        json.dumps({"name": "create_issue", "arguments": {}, "result": "ok"}),
        json.dumps({"name": "list_items", "arguments": {}}),
        json.dumps([CREATE, {"name": "make_coffee", "arguments": {}}]),
        "<tool_call>" + json.dumps(CREATE),
        "<function=create_issue>{}</function><function=create_issue>{half</function>",
        "<tool_call>" + json.dumps(CREATE)[:-4] + "</tool_call>",
        json.dumps(CREATE)[:-3],
        "{" * 50_000,
    ],
)
def test_json_inside_prose_or_naming_no_known_tool_stays_text(text: str) -> None:
    assert recover_text_calls(text, SCOPE) == ()


arguments_of_any_kind = st.dictionaries(
    st.text(max_size=8),
    st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3)),
    max_size=4,
)
real_calls = st.lists(
    st.builds(
        lambda row, arguments: ToolCall("aB3dE5gH9", row.name, dump(arguments), "bridge"),
        st.sampled_from(SCOPE.rows),
        arguments_of_any_kind,
    ),
    min_size=1,
    max_size=10,
)


@promise("BRIDGE-ROUND-TRIP")
@hypothesis.settings(max_examples=50)
@given(real_calls)
def test_unwrap_gives_back_what_wrap_put_in(calls: list[ToolCall]) -> None:
    items = unwrap([wrap(calls)], SCOPE)
    assert [replace(item.call, id="aB3dE5gH9") for item in items] == calls
    assert items[0].call.id == "aB3dE5gH9"
    assert all(isinstance(item, RealCall) and item.resolved_from is None for item in items)


json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10) | st.sampled_from(["create_issue", "tool_call"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["calls", "name", "tool", "arguments", "args", "input", "function", "type", "title"])
            | st.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@promise("BRIDGE-NEVER-RAISES")
@given(st.lists(st.tuples(st.text(max_size=6), st.sampled_from(["tool_call", "terminal", "x"]) | st.text(max_size=6),
                          json_like.map(json.dumps) | st.text(max_size=30)), max_size=4))  # fmt: skip
def test_whatever_a_model_writes_becomes_items_with_ids_and_storable_arguments(
    wire: list[tuple[str, str, str]],
) -> None:
    calls = [ToolCall(*parts) for parts in wire]
    items = unwrap(calls, SCOPE)
    assert len(items) >= len(calls)
    assert len({item.call.id for item in items}) == len(items)
    for item in items:
        assert item.call.name
        assert isinstance(json.loads(item.call.arguments), dict)
        item.call.arguments.encode()
