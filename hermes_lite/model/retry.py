"""When a refused request is sent again: what the endpoint asks for, and how long we are willing to wait at all."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

FIRST_DELAY, LONGEST_DELAY = 0.5, 8.0
_SECONDS_OF = {"ms": 0.001, "s": 1.0, "sec": 1.0, "second": 1.0, "m": 60.0, "min": 60.0, "minute": 60.0}
_IN_WORDS = re.compile(
    r"(?:(?:try|retry)\s+(?:again\s+)?(?:in|after)|retry[-_ ]?delay\W{1,5})\s*"
    r"(\d+(?:\.\d+)?)\s*(ms|sec|second|s|min|minute|m)s?\b",
    re.IGNORECASE,
)


def asked_delay(headers: Mapping[str, str], text: str, now: datetime | None = None) -> float | None:
    """The seconds that a refusal asks us to wait; `None` when it does not say.

    Read from `retry-after-ms`, `retry-after` (seconds or an HTTP date), else from the words of the error `text`
    ("try again in 7.6s", "retryDelay": "17s"). `headers` has lower-case names.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    named = headers.get("retry-after")
    if named is not None:
        seconds = _number(named)
        return seconds if seconds is not None else _until(named, now or datetime.now(UTC))
    match = _IN_WORDS.search(text)
    return float(match[1]) * _SECONDS_OF[match[2].lower()] if match else None


def _number(text: str | None) -> float | None:
    try:
        return max(0.0, float(text)) if text else None
    except ValueError:
        return None


def _until(text: str, now: datetime) -> float | None:
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0.0, (moment.replace(tzinfo=moment.tzinfo or UTC) - now).total_seconds())


@dataclass(slots=True)
class Waits:
    """The waits of one request: at most `retries` of them and `cap` seconds together."""

    retries: int
    cap: float
    taken: int = 0
    waited: float = 0.0

    def next(self, asked: float | None) -> float | None:
        """The seconds to wait now, counted as waited; `None` when it is time to give up."""
        delay = asked if asked is not None else min(FIRST_DELAY * 2**self.taken, LONGEST_DELAY)
        if self.taken >= self.retries or self.waited + delay > self.cap:
            return None
        self.taken += 1
        self.waited += delay
        return delay
