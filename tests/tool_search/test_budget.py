import pytest

from hermes_lite.tool_search.budget import SearchBudget, normalised, refusal
from tests.support.promises import promise


@pytest.mark.parametrize(
    ("one", "other"),
    [("create issue", "Issue,  CREATE!"), ("a a b", "b a"), ("課題 作成", "作成　課題"), ("ÉCOLE", "école")],
)
def test_queries_of_the_same_words_are_the_same_query(one: str, other: str) -> None:
    assert normalised(one) == normalised(other)


@promise("BRIDGE-BUDGET")
def test_a_search_is_unproductive_when_it_finds_nothing_new_or_repeats_itself() -> None:
    budget = SearchBudget(2)
    budget.note(["create issue"], ["a", "b"])
    budget.note(["make issue"], ["b", "c"])
    assert not budget.exhausted
    budget.note(["open issue"], ["a", "c"])
    assert not budget.exhausted
    budget.note(["issue create"], ["a", "d"])
    assert budget.exhausted


@promise("BRIDGE-BUDGET")
def test_a_search_with_one_new_query_and_a_new_tool_is_productive() -> None:
    budget = SearchBudget(1)
    budget.note(["create issue"], ["a"])
    budget.note(["create issue", "send mail"], ["a", "m"])
    assert not budget.exhausted


@promise("T-K06")
def test_admission_follows_the_order_of_the_calls() -> None:
    budget = SearchBudget(1)
    admitted = []
    for query in ("one", "two", "three"):
        admitted.append(not budget.exhausted)
        budget.note([query], [])
    assert admitted == [True, False, False]


@promise("BRIDGE-BUDGET")
def test_the_refusal_names_the_ways_out_that_the_session_has() -> None:
    asked = refusal(3, ["mcp__a__b"], can_ask=True)
    assert asked["budgetCap"] == 3
    assert "clarify" in asked["message"]
    assert "mcp__a__b" in asked["message"]
    assert "clarify" not in refusal(3, [], can_ask=False)["message"]
