from decimal import Decimal

import pytest

from hermes_lite.messages import Usage
from hermes_lite.model.prices import cost
from tests.support.promises import promise

OPENAI = "https://api.openai.com/v1"


@promise("MODEL-prices")
def test_a_published_price_gives_the_cost_with_cached_tokens_cheaper() -> None:
    full = cost(Usage(1_000_000, 0), "gpt-5-mini", OPENAI)
    cached = cost(Usage(1_000_000, 0, 1_000_000), "gpt-5-mini", OPENAI)
    assert isinstance(full, Decimal) and isinstance(cached, Decimal)
    assert full > cached > 0


@promise("MODEL-prices")
@pytest.mark.parametrize(
    ("usage", "model", "base_url"),
    [
        (Usage(10, 10), "nobody-knows-this", OPENAI),
        (Usage(10, 10), "gpt-5-mini", "http://127.0.0.1:11434/v1"),
        (Usage(None, 10), "gpt-5-mini", OPENAI),
        (Usage(), "gpt-5-mini", OPENAI),
        (Usage(10, 10), "demo", ""),
        (Usage(10, 10, 99), "gpt-5-mini", OPENAI),
    ],
)
def test_an_unknown_price_is_none_and_not_zero(usage: Usage, model: str, base_url: str) -> None:
    assert cost(usage, model, base_url) is None
