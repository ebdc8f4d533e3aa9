import json
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_lite.tokens import counter_for, o200k
from hermes_lite.tool_search.assemble import Assembly, assemble, entry, listing_budget, to_json
from hermes_lite.tool_search.classify import BRIDGE_NAMES
from hermes_lite.tool_search.costs import Cost, measure
from hermes_lite.tools.registry import Registry, Scope
from hermes_lite.tools.spec import Source, SourceState, SourceStatus, ToolSpec
from tests.support.promises import promise
from tests.support.tool_rows import builtin_tool, catalogues, core_tool, object_schema, server_tools, settings

ESTIMATE = counter_for(None)
CORE = [core_tool("terminal"), core_tool("read_file"), builtin_tool("session_search")]
GITHUB = server_tools("github", {"create_issue": "Create an issue.", "list_issues": "List issues."})
SLACK = server_tools("slack", ["post_message"])


def made(
    *rows: ToolSpec, statuses: tuple[SourceStatus, ...] = (), window: int | None = 128_000, **changed: Any
) -> Assembly:
    return assemble(Scope(rows, statuses), settings(**changed), window, ESTIMATE)


def names(assembly: Assembly) -> list[str]:
    return [one["function"]["name"] for one in assembly.array]


def status(kind: str, label: str, state: SourceState) -> SourceStatus:
    return SourceStatus(Source(kind, label), state)  # type: ignore[arg-type]


@promise("ASM-order")
def test_direct_tools_come_first_and_the_bridge_last() -> None:
    assembly = made(*GITHUB, *SLACK, *CORE, pin=("slack.*",))
    assert names(assembly) == ["read_file", "terminal", "session_search", "mcp__slack__post_message", *BRIDGE_NAMES]
    assert json.loads(assembly.array_json) == list(assembly.array)
    assert [row.name for row in assembly.deferred] == [row.name for row in GITHUB]


@promise("ASM-order")
@given(catalogues(), st.sampled_from([None, 4000, 32_000]), st.randoms())
def test_any_order_gives_the_same_bytes(rows: list[ToolSpec], window: int | None, random: Random) -> None:
    before = made(*rows, window=window)
    random.shuffle(rows)
    assert made(*rows, window=window).array_json == before.array_json


@promise("SCHEMA-bytes")
@pytest.mark.parametrize("pin", [(), ("*",)])
def test_a_server_that_shuffles_the_keys_of_its_schemas_leaves_the_same_bytes(pin: tuple[str, ...]) -> None:
    properties = {"zone": {"type": "string", "title": "Zone"}, "at": {"enum": ["now", "later"], "type": "string"}}
    one = server_tools("s", ["t"], type="object", properties=properties, required=["zone"])
    turned = {name: dict(reversed(part.items())) for name, part in reversed(properties.items())}
    two = server_tools("s", ["t"], required=["zone"], properties=turned, type="object")
    assert made(*one, pin=pin).array_json == made(*two, pin=pin).array_json


@promise("LIST-budget", "ASM-bridge", "T-A03")
@given(
    catalogues(), st.none() | st.integers(min_value=1, max_value=2_000_000), st.sampled_from([(), ("*a*",), ("*",)])
)
def test_the_bridge_is_whole_or_absent_and_the_listing_within_its_budget(
    rows: list[ToolSpec], window: int | None, pin: tuple[str, ...]
) -> None:
    assembly = made(*rows, window=window, pin=pin)
    present = set(BRIDGE_NAMES) & set(names(assembly))
    assert present == (set(BRIDGE_NAMES) if assembly.deferred else set())
    assert (assembly.tier == 0) == (not assembly.deferred)
    if assembly.listing:
        assert ESTIMATE.count(assembly.listing.text) <= assembly.budget


@promise("ASM-bridge")
@pytest.mark.parametrize("state", ["connecting", "failed", "needs_auth"])
def test_a_server_that_may_still_come_finds_the_bridge_in_place(state: SourceState) -> None:
    assembly = made(*CORE, statuses=(status("mcp", "late", state),))
    assert names(assembly)[-3:] == list(BRIDGE_NAMES)
    assert assembly.tier == 2
    assert "late" in str(assembly.activation)


@pytest.mark.parametrize("state", ["disabled", "gone", "ready"])
def test_a_server_that_brings_nothing_brings_no_bridge(state: SourceState) -> None:
    assert made(*CORE, statuses=(status("mcp", "off", state),)).tier == 0


def test_connectors_in_scope_bring_the_bridge() -> None:
    assert made(*CORE, statuses=(status("connector", "gmail", "ready"),)).tier == 2


@promise("T-J13")
def test_without_anything_to_defer_the_array_is_that_of_a_build_without_tool_search() -> None:
    plain = to_json([entry(row) for row in sorted(CORE[:2], key=lambda row: row.name)])
    assert made(*CORE[:2]).array_json == plain
    assert made(*CORE[:2], enabled="off").array_json == plain


@promise("T-J13")
def test_switched_off_every_tool_is_shown_in_full() -> None:
    assembly = made(*CORE, *GITHUB, enabled="off", statuses=(status("mcp", "late", "connecting"),))
    rows = {row.name: row for row in (*CORE, *GITHUB)}
    assert set(names(assembly)) == set(rows)
    assert list(assembly.array) == [entry(rows[name]) for name in names(assembly)]
    assert (assembly.tier, assembly.deferred, assembly.bridge, assembly.listing) == (0, (), (), None)


@promise("T-A06")
def test_a_pinned_tool_is_in_the_array_and_not_in_the_listing() -> None:
    assembly = made(*GITHUB, *SLACK, pin=("post_message",))
    assert "mcp__slack__post_message" in names(assembly)
    assert "slack" not in assembly.bridge[0].description


def test_without_a_listing_the_bridge_stands_alone() -> None:
    assembly = made(*GITHUB, listing="off")
    assert assembly.listing is None
    assert assembly.tier == 2
    assert "create_issue" not in assembly.array_json


@promise("T-C06")
def test_the_search_description_names_the_languages_of_the_tools() -> None:
    rows = server_tools("rail", {"query": "查询车票余票信息"})
    assert "Chinese" in made(*rows).bridge[0].description


@promise("ASM-budget")
@pytest.mark.parametrize(
    ("window", "percent", "cap", "budget"),
    [
        (4000, 5, 4000, 200),
        (128_000, 5, 4000, 4000),
        (1_000_000, 5, 4000, 4000),
        (32_768, 5, 4000, 1638),
        (None, 5, 4000, 4000),
        (None, 5, 20_000, 10_000),
        (8000, 0, 4000, 0),
    ],
)
def test_the_budget_follows_the_window(window: int | None, percent: float, cap: int, budget: int) -> None:
    assert listing_budget(settings(threshold_pct=percent, listing_max_tokens=cap), window) == budget


@promise("ASM-bridge-size")
def test_the_bridge_is_small() -> None:
    bridge = made(*GITHUB, listing="off").bridge
    assert o200k().count(to_json([entry(row) for row in bridge])) <= 650


@promise("T-J01")
def test_the_decision_is_told_with_its_inputs() -> None:
    assert str(made(*GITHUB, window=32_000).activation) == (
        "Tool Search on (enabled: auto): 2 tools wait behind search; "
        "listing budget 1,600 tokens (5 % of 32,000 tokens, capped), counted by estimate x1"
    )
    assert "off (enabled: off): switched off by tools.tool_search.enabled" in str(
        made(*GITHUB, enabled="off").activation
    )
    assert "no tool waits behind search" in str(made(*CORE).activation)


@promise("T-J05")
def test_the_model_changes_how_tokens_are_counted_and_nothing_else() -> None:
    scope = Scope((*CORE, *GITHUB))
    models = [
        assemble(scope, settings(), 128_000, counter_for(model)) for model in ("gpt-5", "claude-4.7", "any", None)
    ]
    assert len({(one.direct, one.tier, len(one.deferred)) and one.array_json for one in models}) == 1


@promise("T-D07", "T-D10")
def test_the_same_inputs_give_the_same_object() -> None:
    rows = (*CORE, *GITHUB)
    assert made(*rows) is made(*rows)


@promise("T-D01")
def test_a_server_that_flaps_leaves_the_same_bytes() -> None:
    registry, source = Registry(), GITHUB[0].source
    registry.replace(CORE[0].source, CORE)
    registry.replace(source, GITHUB)
    before = assemble(registry.scope(), settings(), 128_000, ESTIMATE)
    registry.mark(source, "failed", "exit 1")
    away = assemble(registry.scope(), settings(), 128_000, ESTIMATE)
    registry.replace(source, [replace(row, parameters=dict(row.parameters)) for row in reversed(GITHUB)])
    again = assemble(registry.scope(), settings(), 128_000, ESTIMATE)
    assert away.array_json != before.array_json
    assert "github: failed" in away.bridge[0].description
    assert again.array_json == before.array_json


@promise("T-D08")
def test_rows_of_a_reconnected_server_replace_the_old_ones() -> None:
    old = made(*GITHUB)
    fresh = [replace(row) for row in GITHUB]
    new = made(*fresh)
    assert new.array_json == old.array_json
    assert all(one is other for one, other in zip(new.deferred, fresh, strict=True))


def test_a_changed_description_is_seen_at_once() -> None:
    made(*GITHUB)
    changed = [replace(GITHUB[0], description="Open a ticket."), GITHUB[1]]
    assert "Open a ticket" in made(*changed).bridge[0].description


@promise("T-G05", "T-G08")
def test_a_tool_outside_the_scope_stands_nowhere() -> None:
    registry = Registry()
    for rows in (CORE[:2], GITHUB, SLACK):
        registry.replace(rows[0].source, rows)
    registry.mark(Source("mcp", "secret"), "connecting")
    assembly = assemble(registry.scope(["core", "github"]), settings(), 128_000, ESTIMATE)
    assert {row.name for row in (*assembly.direct, *assembly.deferred)} == {row.name for row in (*CORE[:2], *GITHUB)}
    for word in ("slack", "post_message", "secret"):
        assert word not in assembly.array_json


@promise("T-G02", "T-G04")
@pytest.mark.parametrize(
    ("toolsets", "bridged"), [(["core"], False), (["slack"], True), (["core", "github"], True), ([], False)]
)
def test_a_narrowed_scope_has_the_bridge_if_it_holds_tools_that_wait(toolsets: list[str], bridged: bool) -> None:
    registry = Registry()
    for rows in (CORE[:2], GITHUB, SLACK):
        registry.replace(rows[0].source, rows)
    assembly = assemble(registry.scope(toolsets), settings(), 128_000, ESTIMATE)
    assert [row.name for row in assembly.bridge] == (list(BRIDGE_NAMES) if bridged else [])


@promise("T-G01", "T-G09")
@given(catalogues(), st.data())
def test_a_narrowed_scope_costs_no_more_and_knows_nothing_of_the_rest(
    rows: list[ToolSpec], data: st.DataObject
) -> None:
    whole = made(*rows)
    labels = sorted({row.source.label for row in rows})
    granted = data.draw(st.sets(st.sampled_from(labels)))
    narrow = made(*(row for row in rows if row.source.label in granted))
    assert len(narrow.array_json) <= len(whole.array_json)
    assert {row.source.label for row in (*narrow.direct, *narrow.deferred)} <= granted
    assert made(*rows) == whole


@promise("ASM-activate")
def test_found_tools_are_appended_and_nothing_before_them_changes() -> None:
    scope, active = Scope((*CORE, *GITHUB, *SLACK)), settings(strategy="activate")
    found = ("mcp__slack__post_message", "unknown", "terminal", "mcp__github__create_issue")
    steps = [assemble(scope, active, 128_000, ESTIMATE, activated=found[:n]) for n in range(5)]
    assert names(steps[4]) == [*names(steps[0]), "mcp__slack__post_message", "mcp__github__create_issue"]
    for before, after in pairwise(steps):
        assert after.array_json.startswith(before.array_json.removesuffix("]"))
        assert after.deferred == before.deferred


@promise("ASM-activate")
def test_the_strategy_bridge_appends_nothing() -> None:
    scope = Scope((*CORE, *GITHUB))
    found = assemble(scope, settings(), 128_000, ESTIMATE, activated=["mcp__github__create_issue"])
    assert found is assemble(scope, settings(), 128_000, ESTIMATE)


def test_schemas_and_descriptions_are_sent_as_providers_take_them() -> None:
    odd = server_tools("s", {"t": "Hidden\u202e text\ud800"}, properties={"x": {"type": "array"}}, required=None)
    (sent,) = made(*odd, pin=("*",)).array
    assert sent["function"]["description"] == "Hidden text"
    assert sent["function"]["parameters"] == {
        "type": "object",
        "properties": {"x": {"type": "array", "items": {}}},
    }


@promise("T-I02", "T-I10")
@given(catalogues(), st.sampled_from(["auto", "off"]))
def test_costs_by_source_sum_to_what_is_sent(rows: list[ToolSpec], enabled: str) -> None:
    assembly = made(*rows, enabled=enabled, pin=("*a*",))
    costs = measure(assembly, ESTIMATE)
    assert sum((cost for _, cost in costs.sources), Cost()) == costs.total
    assert costs.total.bytes == len(assembly.array_json.encode())
    assert costs.total.count == len(assembly.array)
    assert costs.eager.bytes == len(made(*rows, enabled="off").array_json.encode())
    assert costs.deferred.count == len(assembly.deferred)


def test_an_empty_array_costs_nothing() -> None:
    assert measure(made(), ESTIMATE).total == Cost()


@promise("T-K01")
def test_a_catalogue_of_ordinary_size_costs_less_deferred_than_eager() -> None:
    schema = object_schema(["path"], path={"type": "string", "description": "Where to look for it, as a full path."})
    rows = [row for n in range(5) for row in server_tools(f"s{n}", [f"tool_{m}" for m in range(12)], **schema)]
    costs = measure(made(*CORE, *rows), ESTIMATE)
    assert costs.total.tokens < costs.eager.tokens / 2
