import pytest

from hermes_lite.tool_search.catalog import Catalogue
from hermes_lite.tool_search.query import Query
from hermes_lite.tool_search.ranking import Index
from hermes_lite.tool_search.thesaurus import kind_of, segments, stand_ins, terms_of
from tests.support.promises import promise
from tests.support.tool_rows import server_tools

INDEX = Index(
    Catalogue.of(
        [
            *server_tools("circleci", {"run_pipeline": "Run a pipeline."}),
            *server_tools("github", {"create_issue": "Create an issue.", "delete_branch": "Delete a branch."}),
            *server_tools("azure", {"keyvault_secret_get": "Get a secret."}),
        ]
    )
)


def read(text: str) -> Query:
    return INDEX.read(text).query


def words(text: str) -> list[str]:
    return [concept.text for concept in read(text).concepts]


@promise("RANK-FILLERS")
@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("please create a github issue", ["create", "github", "issue"]),
        ("how can I find a tool to delete my branch?", ["delete", "branch"]),
        ("GitHub の issue を作成してください", ["github", "issue", "作成"]),
        ("请帮我创建一个 issue", ["创建", "issue"]),
    ],
)
def test_filler_words_are_dropped(query: str, asked: list[str]) -> None:
    assert [word for word in words(query) if word != "find"] == asked


def test_a_word_counts_once_whatever_its_form() -> None:
    assert words("issue issues Issue") == ["issue"]


def test_a_short_and_a_full_name_are_one_concept() -> None:
    assert words("gh github issue") == ["gh", "issue"]


def test_an_expression_of_several_words_is_one_concept() -> None:
    assert words("turn off pull request") == ["turn off", "pull request"]


def test_words_are_joined_and_split_as_the_catalogue_writes_them() -> None:
    assert "circl ci" not in words("circle ci pipeline")
    assert ("circleci",) in [other.terms for other in read("circle ci").concepts[0].alternatives]
    assert ("keyvault",) in [other.terms for other in read("key vault").concepts[0].alternatives]


@promise("RANK-TYPO")
@pytest.mark.parametrize("typo", ["gihtub", "githb", "githubb"])
def test_a_misspelt_word_means_its_only_neighbour(typo: str) -> None:
    assert ("github",) in [other.terms for other in read(f"{typo} issue").concepts[0].alternatives]


def test_clauses_that_act_are_intents_of_their_own() -> None:
    query = read("github create issue; delete branch")
    assert [[query.concepts[at].text for at in intent] for intent in query.intents] == [
        ["github", "create", "issue"],
        ["github", "delete", "branch"],
    ]
    for both in ("create issue or delete branch", "create issue + delete branch", "create issue | delete branch"):
        assert len(read(both).intents) == 2
    assert len(read("search and replace").intents) == 1
    assert len(read("create or update file").intents) == 1


@pytest.mark.parametrize(
    "query", ["what tools are there?", "list all tools", "", "どんなツールがありますか", "有什么工具"]
)
def test_asking_for_the_tools_asks_for_the_sources(query: str) -> None:
    assert INDEX.search(query, 5).verdict == "sources"


def test_an_unspaced_run_is_cut_into_the_words_that_are_known() -> None:
    assert list(segments("帮我创建日历")) == ["创建", "日历"]


def test_words_of_two_languages_stand_for_each_other() -> None:
    assert stand_ins(terms_of("作成"))[terms_of("create")] == "translation"
    assert stand_ins(terms_of("db"))[terms_of("database")] == "synonym"


def test_the_kind_of_a_word_is_that_of_its_own_form() -> None:
    assert [kind_of(terms_of(word)) for word in ("github", "list", "set", "calendar", "zyx")] == [
        "name", "view", "action", "object", "word",
    ]  # fmt: skip
