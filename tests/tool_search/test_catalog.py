from dataclasses import replace

import pytest

from hermes_lite.tool_search.catalog import Catalogue
from hermes_lite.tools.spec import Source, SourceStatus
from tests.support.promises import promise
from tests.support.tool_rows import object_schema, server_tools

ROWS = [
    *server_tools("github", {"create_issue": "Create an issue.", "search": "Search code."}),
    *server_tools("mail", {"sendMail": "Send.", "search": "Search mail.", "search-a": "A.", "search_a": "B."}),
]
CATALOGUE = Catalogue.of(ROWS)


@promise("RANK-ORDER")
def test_the_order_of_rows_and_of_schema_keys_does_not_count() -> None:
    forth = server_tools("s", {"t": "T."}, type="object", properties={"a": {"type": "string"}, "b": {}})
    back = server_tools("s", {"t": "T."}, properties={"b": {}, "a": {"type": "string"}}, type="object")
    assert Catalogue.of([*ROWS, *forth]).digest == Catalogue.of([*back, *reversed(ROWS)]).digest
    assert [entry.name for entry in CATALOGUE.entries] == sorted(row.name for row in ROWS)


@pytest.mark.parametrize("field", ["description", "original_name", "keywords"])
def test_a_change_of_content_changes_the_digest(field: str) -> None:
    changed = replace(ROWS[0], **{field: ("x",) if field == "keywords" else "other"})
    assert Catalogue.of([changed, *ROWS[1:]]).digest != CATALOGUE.digest


def test_an_entry_is_made_once_per_row() -> None:
    assert Catalogue.of(ROWS).entries[0] is CATALOGUE.entries[0]


@pytest.mark.parametrize(
    "name",
    [
        "mcp__github__create_issue",
        "create_issue",
        "functions.create_issue",
        "functions: create_issue",
        " Create-Issue ",
        "createIssue",
        "mcp_github_create_issue",
        "github.create_issue",
        "github_create_issue",
    ],
)
def test_a_name_is_understood_in_its_usual_spellings(name: str) -> None:
    assert [row.name for row in CATALOGUE.resolve(name)] == ["mcp__github__create_issue"]


def test_the_strictest_reading_wins_and_the_rest_are_candidates() -> None:
    assert [row.short_name for row in CATALOGUE.resolve("search_a")] == ["search_a"]
    assert len(CATALOGUE.resolve("SEARCHA")) == 2
    assert {row.source.label for row in CATALOGUE.resolve("search")} == {"github", "mail"}
    assert CATALOGUE.resolve("nothing_like_it") == ()


def test_fields_are_told_apart_by_where_a_text_stands() -> None:
    schema = object_schema(["description"], description={"type": "string", "description": "Body text."})
    [row] = server_tools("s", {"t": "First sentence. Second one."}, **schema)
    fields = Catalogue.of([row]).entries[0].fields
    assert (fields.summary.strip(), fields.details) == ("First sentence.", "Second one.")
    assert (fields.parameters, fields.notes) == ("description", "Body text.")


def test_sources_have_their_state_and_the_number_of_their_tools_here() -> None:
    away = SourceStatus(Source("mcp", "away"), "connecting", 0, "starting")
    told = Catalogue.of(ROWS, [away, SourceStatus(Source("mcp", "mail"), "ready", 99)]).sources()
    assert [(status.source.label, status.state, status.tools) for status in told] == [
        ("away", "connecting", 0),
        ("github", "ready", 2),
        ("mail", "ready", 4),
    ]
