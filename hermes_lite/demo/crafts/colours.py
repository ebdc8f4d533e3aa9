"""Colours for screens."""

import colorsys


def hex_to_rgb(colour: str) -> str:
    """Turn a colour such as #ff8800 into red, green and blue from 0 to 255."""
    return "rgb({}, {}, {})".format(*_parts(colour))


def rgb_to_hex(red: int, green: int, blue: int) -> str:
    """Turn red, green and blue from 0 to 255 into a colour such as #ff8800."""
    return _code((red, green, blue))


def hex_to_hsl(colour: str) -> str:
    """Turn a colour such as #ff8800 into hue, saturation and lightness."""
    hue, light, saturation = colorsys.rgb_to_hls(*(part / 255 for part in _parts(colour)))
    return f"hsl({hue * 360:.0f}, {saturation * 100:.0f}%, {light * 100:.0f}%)"


def mix_colours(first: str, second: str, share: float = 0.5) -> str:
    """Mix two colours; share is how much of the second, from 0 to 1."""
    pairs = zip(_parts(first), _parts(second), strict=True)
    return _code(tuple(round(a + (b - a) * share) for a, b in pairs))


def invert_colour(colour: str) -> str:
    """The opposite of a colour, each part taken from 255."""
    return _code(tuple(255 - part for part in _parts(colour)))


def contrast_ratio(first: str, second: str) -> str:
    """The contrast of two colours by the WCAG rule, from 1 to 21, and what it is enough for."""
    high, low = sorted((_luminance(first), _luminance(second)), reverse=True)
    ratio = (high + 0.05) / (low + 0.05)
    return f"{ratio:.2f}: " + (
        "enough for all text" if ratio >= 7 else "enough for text (AA)" if ratio >= 4.5 else "too low for text"
    )


def _parts(colour: str) -> tuple[int, ...]:
    digits = colour.strip().lstrip("#")
    digits = "".join(2 * digit for digit in digits) if len(digits) == 3 else digits
    if len(digits) != 6:
        raise ValueError("a colour is written like #ff8800")
    return tuple(bytes.fromhex(digits))


def _code(parts: tuple[int, ...]) -> str:
    if not all(0 <= part <= 255 for part in parts):
        raise ValueError("red, green and blue are from 0 to 255")
    return "#" + bytes(parts).hex()


def _luminance(colour: str) -> float:
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (value / 255 for value in _parts(colour))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
