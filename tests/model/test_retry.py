from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from hermes_lite.model.retry import Waits, asked_delay
from tests.support.promises import promise

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@promise("S-C6")
def test_an_http_date_is_read_as_the_seconds_until_then() -> None:
    then = format_datetime(NOW + timedelta(seconds=42), usegmt=True)
    assert asked_delay({"retry-after": then}, "", NOW) == 42


@pytest.mark.parametrize("past", [format_datetime(NOW - timedelta(hours=1), usegmt=True), "-5"])
def test_a_moment_in_the_past_is_now(past: str) -> None:
    assert asked_delay({"retry-after": past}, "", NOW) == 0


@promise("S-C6")
@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Please try again in 1m.", 60),
        ("try again in 2 minutes", 120),
        ("Please retry in 17.5s.", 17.5),
        ('{"@type": "RetryInfo", "retryDelay": "38s"}', 38),
        ("Retry after 250 ms", 0.25),
    ],
)
def test_a_delay_is_read_from_the_words(text: str, seconds: float) -> None:
    assert asked_delay({}, text) == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("headers", "text"), [({}, "slow down"), ({"retry-after": "soon"}, ""), ({"retry-after": ""}, "")]
)
def test_nothing_said_is_nothing_asked(headers: dict[str, str], text: str) -> None:
    assert asked_delay(headers, text) is None


def test_unasked_waits_grow_and_end() -> None:
    waits = Waits(retries=6, cap=100)
    assert [waits.next(None) for _ in range(7)] == [0.5, 1, 2, 4, 8, 8, None]


def test_a_wait_beyond_the_cap_is_refused_and_not_counted() -> None:
    waits = Waits(retries=6, cap=10)
    assert [waits.next(6), waits.next(6), waits.next(4)] == [6, None, 4]
