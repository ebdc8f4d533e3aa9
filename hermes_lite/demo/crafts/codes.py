"""Hashes, encodings and number systems."""

import base64
import binascii
import hashlib
import html
import uuid
import zlib
from typing import Literal
from urllib.parse import quote, unquote, urlsplit

from hermes_lite.text import utf8

_MORSE_SIGNS = (
    ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.."
    " ----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----."
)
_MORSE = dict(zip("abcdefghijklmnopqrstuvwxyz0123456789", _MORSE_SIGNS.split(), strict=True))


def hash_text(text: str, algorithm: Literal["md5", "sha1", "sha256", "sha512"] = "sha256") -> str:
    """The hash of a text as hexadecimal digits: md5, sha1, sha256 or sha512."""
    return hashlib.new(algorithm, utf8(text), usedforsecurity=False).hexdigest()


def checksum_crc32(text: str) -> str:
    """The CRC-32 checksum of a text as eight hexadecimal digits."""
    return f"{zlib.crc32(utf8(text)):08x}"


def encode_base64(text: str) -> str:
    """Encode a text as Base64."""
    return base64.b64encode(utf8(text)).decode()


def decode_base64(text: str) -> str:
    """Decode Base64 into text."""
    try:
        return base64.b64decode(text, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError) as error:
        raise ValueError(f"not Base64 of a text: {error}") from error


def encode_url(text: str) -> str:
    """Escape a text for use in a web address (percent encoding)."""
    return quote(text, safe="")


def decode_url(text: str) -> str:
    """Undo the percent encoding of a web address."""
    return unquote(text)


def split_url(address: str) -> str:
    """Take a web address apart: scheme, host, port, path, query, fragment."""
    parts = urlsplit(address)
    values = {"scheme": parts.scheme, "host": parts.hostname, "port": parts.port, "path": parts.path}
    return "\n".join(
        f"{name}: {value}" for name, value in {**values, "query": parts.query, "fragment": parts.fragment}.items()
    )


def escape_html(text: str) -> str:
    """Escape the characters of a text that mean something in HTML."""
    return html.escape(text)


def unescape_html(text: str) -> str:
    """Turn HTML entities back into characters."""
    return html.unescape(text)


def text_to_hex(text: str) -> str:
    """Write the bytes of a text as hexadecimal digits."""
    return utf8(text).hex()


def hex_to_text(digits: str) -> str:
    """Read hexadecimal digits as the bytes of a text."""
    return bytes.fromhex(digits).decode()


def convert_base(number: str, source_base: int, target_base: int) -> str:
    """Convert a whole number between number systems, base 2 to 36 (binary, octal, hexadecimal ...)."""
    if not 2 <= target_base <= 36:
        raise ValueError("the base is from 2 to 36")
    value, digits = int(number, source_base), ""
    sign, value = ("-", -value) if value < 0 else ("", value)
    while value:
        value, digit = divmod(value, target_base)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return sign + (digits or "0")


def to_morse(text: str) -> str:
    """Write a text in Morse code."""
    return " / ".join(" ".join(_MORSE[char] for char in word if char in _MORSE) for word in text.lower().split())


def rotate_13(text: str) -> str:
    """Shift each letter by thirteen places (ROT13)."""
    return text.translate(
        {ord(c): (ord(c) - base + 13) % 26 + base for base in (65, 97) for c in map(chr, range(base, base + 26))}
    )


def name_uuid(name: str) -> str:
    """A stable UUID (version 5) made from a name."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, name))
