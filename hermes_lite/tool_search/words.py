"""Language: how a text becomes the terms that an index holds and a query asks for.

Both sides go the same way: width and accents folded, identifiers split with their joined form kept, Latin and
Cyrillic words stemmed (Snowball), scripts without spaces cut into 1- and 2-grams. Which words of a *query* say
nothing about a tool is settled here too. What a term is worth is `ranking`'s business.
Source: section 6 of the tool-search design.
"""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

import regex
import snowballstemmer

_ENGLISH = snowballstemmer.stemmer("english")
_RUSSIAN = snowballstemmer.stemmer("russian")

_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー々"
_CHUNK = regex.compile(rf"[{_UNSPACED}]+|[^\W{_UNSPACED}](?:[^\W{_UNSPACED}]|[-.:/'’](?=[^\W_{_UNSPACED}]))*")
_IS_UNSPACED = regex.compile(rf"[{_UNSPACED}]")
_PART = regex.compile(r"\p{Lu}+(?![\p{Ll}])|\p{Lu}?[\p{L}\p{M}--\p{Lu}]+|\p{Lu}|\d+", regex.V1)
_POSSESSIVE = regex.compile(r"['’](?:s|t|re|ve|ll|d|m)?$", regex.IGNORECASE)
_ACCENTS = regex.compile(r"(?<=[\p{Latin}\p{Greek}])\p{Mn}+")
_VERSION = regex.compile(r"v\d+")


def fold(text: str) -> str:
    """`text` with full and half width and Latin accents made equal; case stays."""
    if text.isascii():
        return text
    marked = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text))
    return unicodedata.normalize("NFC", _ACCENTS.sub("", marked))


def unspaced(text: str) -> bool:
    """Whether `text` holds a letter of a script that is written without spaces."""
    return _IS_UNSPACED.search(text) is not None


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The Snowball stem of one folded, lower-case word; what is no word of a stemmed script stays as it is."""
    if len(word) <= 3 or len(word) > 24:
        return word
    if word.isascii():
        return str(_ENGLISH.stemWord(word)) if word.isalpha() else word
    return str(_RUSSIAN.stemWord(word)) if "\u0400" <= word[0] <= "\u04ff" else word


def chunks(text: str) -> Iterator[str]:
    """The identifiers, words and unspaced runs of `text`, folded, in order and with their case."""
    for match in _CHUNK.finditer(fold(text)):
        yield _POSSESSIVE.sub("", match[0])


@lru_cache(maxsize=65536)
def parts(identifier: str) -> tuple[str, ...]:
    """`identifier` split at separators, camel case and digits: `listPullRequests_v2` -> list, pull, requests, v2."""
    found = [part.lower() for part in _PART.findall(identifier)]
    return tuple(_glue_versions(found))


def _glue_versions(found: list[str]) -> Iterator[str]:
    position = 0
    while position < len(found):
        pair = "".join(found[position : position + 2])
        step = 2 if _VERSION.fullmatch(pair) else 1
        yield pair if step == 2 else found[position]
        position += step


def grams(run: str) -> list[str]:
    """The 1- and 2-grams of an unspaced run."""
    return [*run, *(run[at : at + 2] for at in range(len(run) - 1))]


def terms(text: str) -> list[str]:
    """Every term of `text`, repeated as often as it stands there."""
    return [term for chunk in chunks(text) for term in _chunk_terms(chunk)]


@lru_cache(maxsize=65536)
def _chunk_terms(chunk: str) -> tuple[str, ...]:
    if unspaced(chunk[:1]):
        return tuple(grams(chunk))
    pieces = parts(chunk)
    if len(pieces) < 2:
        return tuple(map(stem, pieces))
    return (*(stem(piece) for piece in pieces if len(piece) > 1), stem("".join(pieces)))
