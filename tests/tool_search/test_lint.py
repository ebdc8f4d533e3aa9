from dataclasses import replace

import pytest

from hermes_lite.tool_search.catalog import Catalogue
from hermes_lite.tool_search.lint import lint
from hermes_lite.tools.spec import ToolSpec
from tests.support.promises import promise
from tests.support.tool_rows import server_tools


def rules(rows: list[ToolSpec]) -> set[tuple[str, str]]:
    return {(finding.tool.rpartition("__")[2], finding.rule) for finding in lint(Catalogue.of(rows))}


def test_a_sound_catalogue_has_no_findings() -> None:
    assert not rules(server_tools("github", {"create_issue": "Create an issue.", "list_issues": "List all issues."}))


@promise("RANK-LINT")
@pytest.mark.parametrize(
    ("tools", "finding"),
    [
        ({"create_issue": ""}, ("create_issue", "no-description")),
        ({"search-a": "Find a thing.", "search_a": "Find another."}, ("search-a", "confusable")),
        ({"up": "Does the very same.", "down": "Does the very same."}, ("up", "confusable")),
    ],
)
def test_a_defect_of_a_tool_is_found(tools: dict[str, str], finding: tuple[str, str]) -> None:
    assert finding in rules(server_tools("s", tools))


@promise("RANK-LINT")
@pytest.mark.parametrize(
    ("original", "rule"), [("pаy", "hostile-name"), ("pay\u202e", "hostile-name"), ("pay\x1b[2J", "hostile-name")]
)
def test_a_name_that_deceives_is_found(original: str, rule: str) -> None:
    [row] = server_tools("s", {"pay": "Pay somebody."})
    assert ("pay", rule) in rules([replace(row, original_name=original)])


@promise("RANK-LINT")
def test_a_name_that_no_provider_takes_is_found() -> None:
    [row] = server_tools("s", {"pay": "Pay somebody."})
    assert lint(Catalogue.of([replace(row, name="a" * 65)]))[0].rule == "long-name"


@promise("RANK-LINT")
def test_a_tool_that_its_own_first_sentence_cannot_find_is_found() -> None:
    crowd = {f"pods_{letter}": "Handle pods of clusters quickly." for letter in "abcdefghij"}
    found = rules(server_tools("s", {**crowd, "zz_last": "Handle pods of clusters quickly."}))
    assert ("zz_last", "unfindable") in found
