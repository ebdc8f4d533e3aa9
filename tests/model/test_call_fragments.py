import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_lite.messages import ToolCall
from hermes_lite.model.call_fragments import CallFragments
from tests.support.promises import promise


def entry(name: str | None = None, arguments: object = None, **rest: Any) -> dict[str, Any]:
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    return {"function": function, **rest}


def assembled(*deltas: list[Mapping[str, Any]], taken: tuple[str, ...] = ()) -> tuple[ToolCall, ...]:
    fragments = CallFragments()
    for delta in deltas:
        fragments.add(delta)
    return fragments.calls(taken)


def written(calls: tuple[ToolCall, ...]) -> list[tuple[str, str]]:
    return [(call.name, call.arguments) for call in calls]


def test_fragments_of_two_numbered_calls_are_told_apart() -> None:
    calls = assembled(
        [entry("read", '{"pa', index=0, id="a")],
        [entry("list", "{}", index=1, id="b")],
        [entry(None, 'th": 1}', index=0)],
    )
    assert written(calls) == [("read", '{"path": 1}'), ("list", "{}")]
    assert [call.id for call in calls] == ["a", "b"]


@promise("S-B1")
@pytest.mark.parametrize(
    "deltas",
    [
        pytest.param(
            [[entry("f", '{"n": 1}', index=0, id="a")], [entry("f", '{"n": 2}', index=0, id="b")]], id="ids differ"
        ),
        pytest.param([[entry("f", '{"n": 1}', index=0)], [entry(None, '{"n": 2}', index=0)]], id="run together"),
        pytest.param([[entry("f", '{"n": 1}{"n": 2}', index=0)]], id="in one piece"),
        pytest.param([[entry("f", '{"n": 1}'), entry("f", '{"n": 2}')]], id="no number, no id, one delta"),
        pytest.param([[entry("f", '{"n": 1}')], [entry("f", '{"n": 2}')]], id="no number, no id, two deltas"),
        pytest.param([[entry("f", '{"n"')], [entry(None, ": 1}")], [entry("f", '{"n": 2}')]], id="one of them split"),
        pytest.param(
            [[entry("f", '{"n": 1}', index=0, id="x")], [entry("f", '{"n": 2}', index=0, id="x")]],
            id="one id for both",
        ),
        pytest.param(
            [
                [entry("f", "", index=0, id="a"), entry("f", "", index=0, id="b")],
                [entry(None, '{"n": 1}', id="a"), entry(None, '{"n": 2}', id="b")],
            ],
            id="continued by id",
        ),
    ],
)
def test_two_calls_under_one_number_stay_two(deltas: list[list[Mapping[str, Any]]]) -> None:
    calls = assembled(*deltas)
    assert written(calls) == [("f", '{"n": 1}'), ("f", '{"n": 2}')]
    assert len({call.id for call in calls}) == 2


@promise("S-B2")
def test_a_new_id_in_a_later_chunk_opens_a_call_of_the_same_tool() -> None:
    calls = assembled(
        [entry("read", "", index=0, id="a")],
        [entry(None, '{"path": "x"}', index=0)],
        [entry("read", "", index=0, id="b")],
        [entry(None, '{"path": "y"}', index=0)],
    )
    assert written(calls) == [("read", '{"path": "x"}'), ("read", '{"path": "y"}')]


@pytest.mark.parametrize("again", [{"id": "a"}, {}])
def test_a_name_repeated_in_every_fragment_is_one_call(again: dict[str, str]) -> None:
    calls = assembled(
        [entry("f", '{"n"', index=0, id="a")],
        [entry("f", ": 1}", index=0, **again)],
        [entry("f", "", index=0, **again)],
    )
    assert written(calls) == [("f", '{"n": 1}')]


@pytest.mark.parametrize("nothing", [None, "", "null", "{}", " ", {}])
def test_a_call_without_arguments_has_an_empty_object(nothing: object) -> None:
    assert written(assembled([entry("f", nothing, index=0, id="a")])) == [("f", "{}")]


def test_arguments_sent_as_an_object_become_its_text() -> None:
    ((_, text),) = written(assembled([entry("f", {"a": "ü", "b": [1]}, index=0, id="a")]))
    assert json.loads(text) == {"a": "ü", "b": [1]}


@pytest.mark.parametrize("text", ['{}{"n": 1}', '{"n": 1}{"n": 1}', '{"n": 1}{}'])
def test_a_placeholder_or_an_echo_is_not_a_second_call(text: str) -> None:
    assert written(assembled([entry("f", text, index=0, id="a")])) == [("f", '{"n": 1}')]


@pytest.mark.parametrize(
    "text", ['{"a": ', '{"a":1}{"b"', '"{\\"a\\":1}"', "not json", '{"p":"C:\\dir"}', '{"a":"","b":1}']
)
def test_argument_text_is_never_changed(text: str) -> None:
    assert written(assembled([entry("f", text, index=0, id="a")])) == [("f", text)]


@promise("S-B14")
def test_repeated_ids_skip_no_call() -> None:
    calls = assembled(*([entry("f", f'{{"n": {n}}}', index=n, id="call_0")] for n in range(3)), taken=("call_0_2",))
    assert [call.id for call in calls] == ["call_0", "call_0_3", "call_0_4"]
    assert [call.arguments for call in calls] == ['{"n": 0}', '{"n": 1}', '{"n": 2}']


def test_ids_keep_clear_of_those_that_the_conversation_holds() -> None:
    first = assembled([entry("f", "{}", index=0)])
    second = assembled([entry("f", "{}", index=0)], taken=(first[0].id,))
    assert first[0].id and second[0].id and first[0].id != second[0].id


ARGUMENTS = st.dictionaries(st.text(max_size=4), st.text(max_size=4) | st.integers(), min_size=1, max_size=3)


@promise("S-B14")
@given(
    st.lists(ARGUMENTS, min_size=1, max_size=4, unique_by=str),
    st.sampled_from(["rising", "zero with ids", "ids alone", "names alone"]),
    st.integers(1, 9),
)
def test_as_many_calls_come_out_as_the_model_wrote(objects: list[dict[str, Any]], style: str, size: int) -> None:
    deltas: list[list[Mapping[str, Any]]] = []
    for position, value in enumerate(objects):
        text = json.dumps(value)
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        number = {"rising": {"index": position}, "zero with ids": {"index": 0}}.get(style, {})
        name = {} if style == "names alone" else {"id": f"id{position}"}
        deltas.append([entry("f", pieces[0], **number, **name)])
        follow = {"id": f"id{position}"} if style == "ids alone" else number
        deltas += [[entry(None, piece, **follow)] for piece in pieces[1:]]
    assert [json.loads(call.arguments) for call in assembled(*deltas)] == objects
