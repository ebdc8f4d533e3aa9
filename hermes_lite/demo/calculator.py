"""The demo server `calculator`: units, dates, time zones and plain arithmetic."""

import ast
import operator
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo, available_timezones

from hermes_lite.demo.serving import READS, serve
from hermes_lite.demo.units import convert

_OPERATORS: dict[type, Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
_LARGEST_POWER = 1000


def convert_time(time: str, source_zone: str, target_zone: str, day: str | None = None) -> str:
    """Convert a clock time from one time zone or city to another: what time is it there when it is 9:00 here?

    time: HH:MM. source_zone, target_zone: a city (Paris, Tokyo, New York) or a zone name (Europe/Paris, UTC).
    day: YYYY-MM-DD, today when left out; it matters around the change to summer time.
    """
    source, target = _zone(source_zone), _zone(target_zone)
    on = date.fromisoformat(day) if day else datetime.now(source).date()
    clock = datetime.strptime(time.strip(), "%H:%M").time()
    there = datetime.combine(on, clock, source).astimezone(target)
    shift = (there.date() - on).days
    when = {0: "the same day", 1: "the next day", -1: "the day before"}[shift]
    return f"{there:%H:%M} in {target.key} ({there:%A, %Y-%m-%d}, {when}) when it is {clock:%H:%M} in {source.key}"


def current_time(zone: str) -> str:
    """The current date and time in a city or time zone."""
    return f"{datetime.now(_zone(zone)):%Y-%m-%d %H:%M, %A} in {_zone(zone).key}"


def convert_unit(value: float, source_unit: str, target_unit: str) -> str:
    """Convert a measure between units of length, mass, volume, time, data, speed or temperature."""
    return convert(value, source_unit, target_unit)


def add_to_date(day: str, amount: int, unit: Literal["days", "weeks", "months", "years"]) -> str:
    """The date that lies a number of days, weeks, months or years after (or, negative, before) a day, YYYY-MM-DD."""
    start = date.fromisoformat(day)
    if unit in ("days", "weeks"):
        found = start + timedelta(days=amount * (7 if unit == "weeks" else 1))
    else:
        found = _months_later(start, amount * (12 if unit == "years" else 1))
    return f"{found.isoformat()} ({found:%A})"


def days_between(start: str, end: str) -> str:
    """The number of days from one date to another, both YYYY-MM-DD."""
    days = (date.fromisoformat(end) - date.fromisoformat(start)).days
    return f"{days} days ({days / 7:.1f} weeks)"


def evaluate(expression: str) -> str:
    """Work out an arithmetic expression with + - * / // % ** and brackets."""
    return f"{_value(ast.parse(expression, mode='eval').body):.15g}"


def _zone(name: str) -> ZoneInfo:
    """The zone of that name, or of the city that its name ends with."""
    wanted = name.strip().replace(" ", "_").lower()
    for known in sorted(available_timezones()):
        if wanted in (known.lower(), known.rpartition("/")[2].lower()):
            return ZoneInfo(known)
    raise ValueError(f"no time zone or city {name!r}; give a zone name such as Europe/Paris")


def _months_later(start: date, months: int) -> date:
    """The same day of a later month, or that month's last day where it is shorter."""
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    end = date(year + (month == 11), (month + 1) % 12 + 1, 1) - timedelta(days=1)
    return end.replace(day=min(start.day, end.day))


def _value(node: ast.expr) -> float:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return number
        case ast.UnaryOp() if type(node.op) in _OPERATORS:
            return _OPERATORS[type(node.op)](_value(node.operand))
        case ast.BinOp() if type(node.op) in _OPERATORS:
            left, right = _value(node.left), _value(node.right)
            if isinstance(node.op, ast.Pow) and (abs(right) > _LARGEST_POWER or abs(left) > 10**_LARGEST_POWER):
                raise ValueError("the power is too large")
            return _OPERATORS[type(node.op)](left, right)
        case _:
            raise ValueError(f"{ast.unparse(node)!r} is not arithmetic")


TOOLS = (convert_time, current_time, convert_unit, add_to_date, days_between, evaluate)

if __name__ == "__main__":
    serve("calculator", ((tool, READS) for tool in TOOLS), instructions="Units, dates, time zones and arithmetic.")
