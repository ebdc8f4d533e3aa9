import json

from hermes_lite.tool_search.catalog import Catalogue
from hermes_lite.tool_search.explain import explain, explain_text
from hermes_lite.tool_search.ranking import Index
from tests.support.promises import promise
from tests.support.tool_rows import server_tools

INDEX = Index(
    Catalogue.of(
        [
            *server_tools("github", {"create_issue": "Create an issue.", "get_issue": "Get an issue."}),
            *server_tools("freee", {"create_invoice": "請求書を作成する", "list_deals": "取引の一覧を取得する"}),
        ]
    )
)


@promise("RANK-EXPLAIN")
def test_the_explanation_says_what_was_asked_and_why_each_tool_stands_where_it_does() -> None:
    told = explain(INDEX, "please create a github issue", 5)
    assert told["dropped"] == ["please", "a"]
    assert [term["term"] for term in told["terms"]] == ["create", "github", "issue"]
    assert told["rarest_term"] == {"term": "create", "tools": 2}
    reasons = {tool["name"]: tool["reason"] for tool in told["tools"]}
    assert reasons["mcp__github__create_issue"] in ("sure", "name")
    assert reasons["mcp__github__get_issue"] == "lone-word"
    assert reasons["mcp__freee__create_invoice"] == "other-service"
    first = told["tools"][0]
    assert first["confidence"] >= told["floor"]
    assert first["matched"]["github"] == "source"
    assert first["fields"]["name"] > 0


@promise("RANK-EXPLAIN")
def test_a_japanese_query_is_explained_by_its_own_words() -> None:
    told = explain(INDEX, "請求書を作成してください", 5)
    assert told["matches"][0] == "mcp__freee__create_invoice"
    assert [term["term"] for term in told["terms"]] == ["請求書", "作成"]


@promise("RANK-EXPLAIN")
def test_the_lines_say_what_the_data_says() -> None:
    told = explain(INDEX, "trello move card", 5)
    json.dumps(told)
    text = explain_text(told)
    assert "rarest" in text and "trello" in text
    assert "verdict    nothing, 0 matches" in text


def test_a_query_without_content_is_explained_too() -> None:
    assert "sources" in explain_text(explain(INDEX, "what tools are there", 5))
