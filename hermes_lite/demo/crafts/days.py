"""The calendar."""

import calendar
from datetime import UTC, date, datetime


def weekday(day: str) -> str:
    """Which day of the week a date, YYYY-MM-DD, falls on."""
    return f"{date.fromisoformat(day):%A}"


def week_number(day: str) -> str:
    """The ISO week of a date, YYYY-MM-DD."""
    year, week, _ = date.fromisoformat(day).isocalendar()
    return f"week {week} of {year}"


def day_of_year(day: str) -> int:
    """Which day of its year a date, YYYY-MM-DD, is: 1 to 366."""
    return date.fromisoformat(day).timetuple().tm_yday


def is_leap_year(year: int) -> bool:
    """Whether a year has 366 days."""
    return calendar.isleap(year)


def month_calendar(year: int, month: int) -> str:
    """The calendar page of one month."""
    return calendar.month(year, month)


def easter_sunday(year: int) -> str:
    """The date of Easter Sunday in the western churches."""
    century, golden = year // 100, year % 19
    moon = (century - century // 4 - (8 * century + 13) // 25 + 19 * golden + 15) % 30
    moon -= (moon // 28) * (1 - (29 // (moon + 1)) * ((21 - golden) // 11))
    sunday = (year + year // 4 + moon + 2 - century + century // 4) % 7
    shift = moon - sunday
    month = 3 + (shift + 40) // 44
    return date(year, month, shift + 28 - 31 * (month // 4)).isoformat()


def unix_to_date(seconds: float) -> str:
    """Turn a Unix timestamp into a date and time in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def date_to_unix(moment: str) -> int:
    """Turn an ISO date and time into a Unix timestamp; without a zone it is taken as UTC."""
    parsed = datetime.fromisoformat(moment)
    return int((parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp())


def age_on(birthday: str, day: str) -> int:
    """How old, in full years, somebody born on one date is on another, both YYYY-MM-DD."""
    born, then = date.fromisoformat(birthday), date.fromisoformat(day)
    return then.year - born.year - ((then.month, then.day) < (born.month, born.day))
