"""Units of measure: names, aliases and factors, and conversion between them."""

from collections.abc import Callable

_TABLE = """
length  mm millimetre millimeter = 0.001
length  cm centimetre centimeter = 0.01
length  m metre meter = 1
length  km kilometre kilometer = 1000
length  inch inches in = 0.0254
length  foot feet ft = 0.3048
length  yard yd = 0.9144
length  mile mi = 1609.344
mass    mg milligram = 0.000001
mass    g gram = 0.001
mass    kg kilogram = 1
mass    tonne t = 1000
mass    ounce oz = 0.028349523125
mass    pound lb = 0.45359237
volume  ml millilitre milliliter = 0.001
volume  cl centilitre centiliter = 0.01
volume  l litre liter = 1
volume  cup = 0.2365882365
volume  pint = 0.473176473
volume  gallon gal = 3.785411784
time    second s sec = 1
time    minute min = 60
time    hour h = 3600
time    day d = 86400
time    week = 604800
data    byte b = 1
data    kb kilobyte = 1000
data    mb megabyte = 1000000
data    gb gigabyte = 1000000000
data    kib = 1024
data    mib = 1048576
data    gib = 1073741824
speed   m/s = 1
speed   km/h kmh kph = 0.2777777777777778
speed   mph = 0.44704
speed   knot kn = 0.5144444444444445
"""


def _read(table: str) -> dict[str, tuple[str, str, float]]:
    """Every name, to what it measures, the unit's first name and its factor."""
    units: dict[str, tuple[str, str, float]] = {}
    for line in table.strip().splitlines():
        names, factor = line.split("=")
        kind, *aliases = names.split()
        units |= {alias: (kind, aliases[0], float(factor)) for alias in aliases}
    return units


_UNITS = _read(_TABLE)
_DEGREES = {"celsius": "celsius", "c": "celsius", "fahrenheit": "fahrenheit", "f": "fahrenheit", "kelvin": "kelvin"}
_TO_CELSIUS: dict[str, Callable[[float], float]] = {
    "celsius": lambda value: value,
    "fahrenheit": lambda value: (value - 32) / 1.8,
    "kelvin": lambda value: value - 273.15,
}
_FROM_CELSIUS: dict[str, Callable[[float], float]] = {
    "celsius": lambda value: value,
    "fahrenheit": lambda value: value * 1.8 + 32,
    "kelvin": lambda value: value + 273.15,
}


def convert(value: float, source: str, target: str) -> str:
    """`value` in both units, as a sentence. Raises `ValueError` when they do not measure the same thing."""
    hot, cold = (_DEGREES.get(name.strip().lower().lstrip("°")) for name in (source, target))
    if hot and cold:
        return f"{value:g} {hot} = {_FROM_CELSIUS[cold](_TO_CELSIUS[hot](value)):.6g} {cold}"
    kind, name, factor = _unit(source)
    other_kind, other_name, other_factor = _unit(target)
    if kind != other_kind:
        raise ValueError(f"{name} measures {kind}, {other_name} measures {other_kind}")
    return f"{value:g} {name} = {value * factor / other_factor:.10g} {other_name}"


def _unit(name: str) -> tuple[str, str, float]:
    plain = name.strip().lower()
    found = _UNITS.get(plain) or _UNITS.get(plain.removesuffix("s"))
    if found is None:
        raise ValueError(f"no unit {name!r}; there are {', '.join(sorted({unit for _, unit, _ in _UNITS.values()}))}")
    return found
