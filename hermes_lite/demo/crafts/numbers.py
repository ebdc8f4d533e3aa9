"""Statistics and whole numbers."""

import math
import statistics


def mean(numbers: list[float]) -> float:
    """The arithmetic mean (average) of numbers."""
    return statistics.fmean(numbers)


def median(numbers: list[float]) -> float:
    """The middle value of numbers."""
    return statistics.median(numbers)


def standard_deviation(numbers: list[float]) -> float:
    """The standard deviation of numbers as a sample."""
    return statistics.stdev(numbers)


def percentile(numbers: list[float], per_cent: float) -> float:
    """The value below which a share of the numbers lies, by linear interpolation."""
    ordered = sorted(numbers)
    place = (len(ordered) - 1) * per_cent / 100
    low, part = math.floor(place), place % 1
    return ordered[low] + (ordered[min(low + 1, len(ordered) - 1)] - ordered[low]) * part


def describe_numbers(numbers: list[float]) -> str:
    """Count, sum, smallest, largest, mean and median of numbers at once."""
    parts = {"count": len(numbers), "sum": math.fsum(numbers), "min": min(numbers), "max": max(numbers)}
    values = {**parts, "mean": statistics.fmean(numbers), "median": statistics.median(numbers)}
    return ", ".join(f"{name} {value:g}" for name, value in values.items())


def correlation(first: list[float], second: list[float]) -> float:
    """How closely two rows of numbers move together, from -1 to 1."""
    return statistics.correlation(first, second)


def prime_factors(number: int) -> list[int]:
    """The prime factors of a whole number up to 10^12."""
    if not 1 < number <= 10**12:
        raise ValueError("the number is from 2 to 10^12")
    factors, divisor = [], 2
    while divisor * divisor <= number:
        while number % divisor == 0:
            factors.append(divisor)
            number //= divisor
        divisor += 1
    return factors + ([number] if number > 1 else [])


def greatest_common_divisor(first: int, second: int) -> int:
    """The greatest whole number that divides both."""
    return math.gcd(first, second)


def to_roman(number: int) -> str:
    """Write a number from 1 to 3999 in Roman numerals."""
    if not 0 < number < 4000:
        raise ValueError("Roman numerals go from 1 to 3999")
    written = ""
    for value, sign in zip(
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        ("M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"),
        strict=True,
    ):
        count, number = divmod(number, value)
        written += sign * count
    return written


def compound_interest(amount: float, per_cent: float, years: int) -> float:
    """What an amount grows to with a yearly interest over some years."""
    return round(amount * (1 + per_cent / 100) ** years, 2)


def fibonacci(count: int) -> list[int]:
    """The first numbers of the Fibonacci sequence, at most 100."""
    found = [0, 1]
    while len(found) < min(count, 100):
        found.append(found[-1] + found[-2])
    return found[: max(0, count)]
