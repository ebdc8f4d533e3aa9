"""Language: how a text becomes the terms that an index holds and a query asks for.

Both sides go the same way: width and accents folded, identifiers split with their joined form kept, Latin and
Cyrillic words stemmed (Snowball), scripts without spaces cut into 1- and 2-grams. What words mean to one another is
`thesaurus`'s business, what a term is worth `ranking`'s. Source: section 6 of the tool-search design.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

import regex
import snowballstemmer

_ENGLISH = snowballstemmer.stemmer("english")
_RUSSIAN = snowballstemmer.stemmer("russian")

_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー々"
_CHUNK = regex.compile(rf"[{_UNSPACED}]+|[^\W{_UNSPACED}](?:[^\W{_UNSPACED}]|[-.:/'’](?=[^\W_{_UNSPACED}]))*")
_ASCII_CHUNK = re.compile(r"\w+(?:[-.:/'](?=[^\W_])\w+)*", re.ASCII)
_SPACED_CHUNK = re.compile(r"\w+(?:[-.:/'’](?=[^\W_])\w+)*")  # `_CHUNK` where nothing is unspaced, and much faster
_IS_UNSPACED = regex.compile(rf"[{_UNSPACED}]")
_PART = regex.compile(r"\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{L}\p{M}--\p{Lu}]+|\p{Lu}|\d+", regex.V1)
_ASCII_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]|[0-9]+")
_POSSESSIVE = re.compile(r"['’](?:s|t|re|ve|ll|d|m)?$", re.IGNORECASE)
_ACCENTS = regex.compile(r"(?<=[\p{Latin}\p{Greek}])\p{Mn}+")
_PROPER = re.compile(r"(?:[A-Z][a-z]+){2,}|[A-Z][a-z]+[A-Z]{2,}")
_VERSION = re.compile(r"v\d+")


def fold(text: str) -> str:
    """`text` with full and half width and Latin accents made equal; case stays."""
    if text.isascii():
        return text
    marked = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text))
    return unicodedata.normalize("NFC", _ACCENTS.sub("", marked))


def unspaced(text: str) -> bool:
    """Whether `text` holds a letter of a script that is written without spaces."""
    return not text.isascii() and _IS_UNSPACED.search(text) is not None


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The Snowball stem of one folded, lower-case word; what is no word of a stemmed script stays as it is."""
    if len(word) <= 2 or len(word) > 24:
        return word
    if word.isascii():
        return str(_ENGLISH.stemWord(word)) if word.isalpha() else word
    return str(_RUSSIAN.stemWord(word)) if "\u0400" <= word[0] <= "\u04ff" else word


def chunks(text: str) -> list[str]:
    """The identifiers, words and unspaced runs of `text`, folded, in order and with their case."""
    if text.isascii():
        return _ASCII_CHUNK.findall(text)
    folded = fold(text)
    return (_CHUNK if unspaced(folded) else _SPACED_CHUNK).findall(folded)


@lru_cache(maxsize=65536)
def parts(identifier: str) -> tuple[str, ...]:
    """`identifier` split at separators, camel case and digits: `listPullRequests_v2` -> list, pull, requests, v2."""
    word = _POSSESSIVE.sub("", identifier)
    if word.isalpha() and word[1:].islower():
        return (word.lower(),)
    pattern = _ASCII_PART if word.isascii() else _PART
    return tuple(_glue_versions([part.lower() for part in pattern.findall(word)]))


def _glue_versions(found: list[str]) -> Iterator[str]:
    position = 0
    while position < len(found):
        pair = "".join(found[position : position + 2])
        glued = _VERSION.fullmatch(pair) is not None
        yield pair if glued else found[position]
        position += 2 if glued else 1


def is_version(term: str) -> bool:
    """Whether `term` only says which edition of an interface a name belongs to (`v1`, `v2010`)."""
    return _VERSION.fullmatch(term) is not None


def pairs(run: str) -> tuple[str, ...]:
    """The 2-grams of an unspaced run; a single character is its own."""
    return tuple(run[at : at + 2] for at in range(len(run) - 1)) or (run,)


def terms(text: str) -> list[str]:
    """Every term of `text`, repeated as often as it stands there."""
    return [term for chunk in chunks(text) for term in chunk_terms(chunk)]


def prose_terms(text: str) -> list[str]:
    """`terms` of running text, where `GitHub` is one word and not an identifier of two."""
    return [term for chunk in chunks(text) for term in _prose_chunk_terms(chunk)]


@lru_cache(maxsize=65536)
def _prose_chunk_terms(chunk: str) -> tuple[str, ...]:
    return (stem(chunk.lower()),) if _PROPER.fullmatch(chunk) else chunk_terms(chunk)


@lru_cache(maxsize=65536)
def chunk_terms(chunk: str) -> tuple[str, ...]:
    """The terms of one chunk: grams of a run; stems of an identifier's parts and of their joined form."""
    if unspaced(chunk[:1]):
        return (*chunk, *pairs(chunk)) if len(chunk) > 1 else (chunk,)
    pieces = parts(chunk)
    if len(pieces) < 2:
        return tuple(map(stem, pieces))
    return (*(stem(piece) for piece in pieces if len(piece) > 1), stem("".join(pieces)))


def split_terms(text: str) -> list[str]:
    """`terms(text)` without the joined forms of identifiers."""
    return [
        term
        for chunk in chunks(text)
        for term in (chunk_terms(chunk)[:-1] if len(parts(chunk)) > 1 else chunk_terms(chunk))
    ]


def spellings(texts: Iterable[str]) -> dict[str, str]:
    """The Latin words that stand in `texts` as words of their own, unstemmed, with their stems."""
    return {word: stem(word) for text in texts for chunk in chunks(text) for word in _chunk_words(chunk)}


@lru_cache(maxsize=65536)
def _chunk_words(chunk: str) -> tuple[str, ...]:
    pieces = parts(chunk)
    proper = _PROPER.fullmatch(chunk) is not None
    words = (*pieces, "".join(pieces)) if proper else pieces
    return tuple(word for word in words if len(word) > 2 and word.isascii() and word.isalpha())
