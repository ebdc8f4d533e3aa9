import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_lite.tool_search.words import chunks, fold, pairs, parts, prose_terms, spellings, split_terms, stem, terms
from tests.support.promises import promise


@pytest.mark.parametrize(
    ("identifier", "split"),
    [
        ("create_issue", ("create", "issue")),
        ("listPullRequests", ("list", "pull", "requests")),
        ("HTTPServer", ("http", "server")),
        ("API-post-search", ("api", "post", "search")),
        ("base64", ("base", "64")),
        ("listIssuesV2", ("list", "issues", "v2")),
        ("repos/get", ("repos", "get")),
        ("GitHub's", ("git", "hub")),
    ],
)
def test_an_identifier_is_split_at_separators_case_and_digits(identifier: str, split: tuple[str, ...]) -> None:
    assert parts(identifier) == split


def test_the_joined_form_of_an_identifier_is_kept() -> None:
    assert terms("create_issue") == ["creat", "issu", "createissu"]
    assert split_terms("create_issue") == ["creat", "issu"]


def test_a_proper_name_is_one_word_in_prose_and_two_in_an_identifier() -> None:
    assert prose_terms("GitHub") == ["github"]
    assert terms("GitHub") == ["git", "hub", "github"]


def test_width_accents_and_inflection_make_no_difference() -> None:
    assert terms("Ｇｍａｉｌ résumés") == terms("gmail resume")
    assert terms("отчёты") == terms("отчёта")
    assert terms("queries") == terms("query")


def test_marks_that_make_another_letter_stay() -> None:
    assert fold("ガ") == "ガ" != fold("カ")


@promise("T-C03")
@pytest.mark.parametrize(
    "text", ["公众号", "メール", "이메일", "ไทย", "écrire", "почта", "ελληνικά", "عربي", "हिन्दी"]
)
def test_every_script_makes_terms(text: str) -> None:
    assert terms(text)


@promise("T-C03")
@given(st.text(min_size=1))
def test_terms_hold_for_any_text_and_hold_no_space(text: str) -> None:
    assert all(term and not any(char.isspace() for char in term) for term in terms(text))
    assert any(char.isalpha() for char in text) <= bool(terms(text) or not any(map(str.isalnum, fold(text))))


def test_runs_without_spaces_become_single_characters_and_pairs() -> None:
    assert terms("天气预报") == ["天", "气", "预", "报", "天气", "气预", "预报"]
    assert pairs("天") == ("天",)


def test_spellings_are_the_words_as_they_were_written() -> None:
    assert spellings(["circleci_list", "GitHub"])["circleci"] == stem("circleci")
    assert "github" in spellings(["GitHub"])


def test_chunks_keep_identifiers_whole() -> None:
    assert chunks("call repos.get_issue for 天气 now") == ["call", "repos.get_issue", "for", "天气", "now"]
