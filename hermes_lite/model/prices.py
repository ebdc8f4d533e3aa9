"""What requests cost and how long a model's context is, by the offline tables of genai-prices.

The package takes 0.3 s to load, so that it is loaded at the first question. It is never asked to fetch newer tables.
"""

from decimal import Decimal
from typing import Any

from hermes_lite.messages import Usage


def cost(usage: Usage, model: str, base_url: str) -> Decimal | None:
    """US dollars for `usage` of `model` at the endpoint; `None` when the price or a count is not known."""
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    found = _calculate(usage, model, base_url)
    return None if found is None else Decimal(found.total_price)


def context_length(model: str, base_url: str) -> int | None:
    """Tokens of the context window of `model` as published, wherever on the network it is served."""
    found = _calculate(_NOTHING, model, base_url) or _calculate(_NOTHING, model, None)
    return None if found is None else found.model.context_window


_NOTHING = Usage(0, 0)


def _calculate(usage: Usage, model: str, base_url: str | None) -> Any:
    from genai_prices import Usage as Tokens
    from genai_prices import calc_price

    tokens = Tokens(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cached_tokens,
    )
    try:
        return calc_price(tokens, model, provider_api_url=base_url)
    except (LookupError, ValueError):
        return None
