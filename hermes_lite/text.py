"""Small, pure operations on text from outside: make it harmless, make it one line, cut it, encode it.

Text from servers, models and files is data. Nothing here knows what it is for.
"""

import unicodedata
from collections.abc import Iterable

import regex

_STRING_ENDS = ("\x07", "\x1b\\", "\x9c")


def _escapes(string: str) -> "regex.Pattern[str]":
    """Every escape sequence; `string` is what follows the opener of an OSC, DCS, SOS, PM or APC."""
    return regex.compile(
        rf"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_]{string}|\x9b[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-~]", regex.DOTALL
    )


_ENDED = _escapes(rf".*?(?:{'|'.join(map(regex.escape, _STRING_ENDS))})")
_UNENDED = _escapes(r"[^\n]*")
_GRAPHEME = regex.compile(r"\X")
_SPACES = regex.compile(r"\s+")
_KEEP = frozenset("\n\t")
_HIDDEN = frozenset(("Cc", "Cf", "Cs", "Co"))
_JOINERS = frozenset("\u200c\u200d")


def harmless(text: str) -> str:
    """`text` without anything that could steer a terminal or hide from a reader.

    Escape sequences, control and bidirectional characters, lone surrogates and other invisible characters go;
    line feeds and tabs stay, and so do the joiners that hold emoji and Indic clusters together. A control string that
    is never ended takes the rest of its line along, and not of the text.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    ended = max(text.rfind(mark) + len(mark) if mark in text else 0 for mark in _STRING_ENDS)
    text = _ENDED.sub("", text[:ended]) + _UNENDED.sub("", text[ended:])
    return "".join(
        char for char in text if char in _KEEP or char in _JOINERS or unicodedata.category(char) not in _HIDDEN
    )


def one_line(text: str) -> str:
    """`harmless(text)` with every run of white space, line breaks included, made one space."""
    return _SPACES.sub(" ", harmless(text)).strip()


def reworded(text: str, table: Iterable[tuple[str, str]]) -> str:
    """`text` in the words of the first pattern of `table` that it fits as a whole; as it is when it fits none."""
    matches = ((regex.fullmatch(pattern, text, regex.DOTALL), words) for pattern, words in table)
    return next((match.expand(words) for match, words in matches if match), text)


def capitalised(text: str) -> str:
    """`text` with a capital at its beginning, the rest as it is."""
    return text[:1].upper() + text[1:]


def cut(text: str, limit: int, mark: str = "…") -> str:
    """`text` in at most `limit` characters, `mark` included; never inside a grapheme."""
    if len(text) <= limit:
        return text
    room = max(0, limit - len(mark))
    end = room if text[: room + 1].isascii() else _grapheme_end(text, room)
    head = text[:end]
    space = head.rfind(" ")
    if not text[end : end + 1].isspace() and space >= room * 0.6:
        head = head[:space]
    return head.rstrip() + mark if room else mark[:limit]


def _grapheme_end(text: str, room: int) -> int:
    """Where the last grapheme ends that `room` characters of `text` hold whole."""
    end = 0
    for match in _GRAPHEME.finditer(text):
        if match.end() > room:
            break
        end = match.end()
    return end


def utf8(text: str) -> bytes:
    """`text` as UTF-8, its surrogates cleaned first."""
    return clean_surrogates(text).encode("utf-8")


def encodable(text: str, encoding: str) -> str:
    """`text` with what `encoding` has no room for replaced, so that writing it never fails."""
    return clean_surrogates(text).encode(encoding, "replace").decode(encoding)


def clean_surrogates(text: str) -> str:
    """`text` as anything that writes or sends UTF-8 can take it.

    Two surrogates that make a pair become the character they stand for; a lone one, which no encoder accepts, becomes
    one U+FFFD.
    """
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
