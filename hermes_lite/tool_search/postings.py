"""The words of a catalogue, counted: which documents hold a term, how often, and where it stands.

A document is counted once per content hash, so that a catalogue with one changed tool is cheap to count again.
Pure arrays; what they are worth is settled in `ranking` with the numbers of `parameters`.
"""

from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hermes_lite.tool_search.catalog import Entry, Fields
from hermes_lite.tool_search.parameters import FieldWeights, Parameters
from hermes_lite.tool_search.thesaurus import kind_of
from hermes_lite.tool_search.words import is_version, prose_terms, spellings, split_terms, stem, terms

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]

_KNOWN_DOCUMENTS = 32_768
_FIELDS = tuple(field.name for field in fields(Fields))
_PROSE = frozenset(("summary", "details", "notes"))
_GENERIC = frozenset(map(stem, ("mcp", "server", "servers", "py", "js", "ref", "api", "tool", "tools", "client")))


@dataclass(frozen=True, slots=True)
class Document:
    """One entry, counted. `frequencies`, `strengths` and `in_name` go with `terms`.

    `core` are the terms that make its name, the source's own left out. `spelt` are the words of its name and source
    with their stems, `words` the stems that stand in name, source or summary as words of their own.
    `acts` says that its name holds a verb that does more than look.
    """

    terms: tuple[str, ...]
    frequencies: Floats
    strengths: Floats
    in_name: Bools
    core: tuple[str, ...]
    spelt: Mapping[str, str]
    words: frozenset[str]
    acts: bool


def label_terms(label: str) -> frozenset[str]:
    """The stems that tell a source from others: its label without what any label may say."""
    found = frozenset(split_terms(label.lower()))
    return found - _GENERIC or found


def count(entry: Entry, parameters: Parameters) -> Document:
    """The document of `entry`."""
    label = label_terms(entry.fields.source)
    frequencies: dict[str, float] = {}
    strengths: dict[str, float] = {}
    for field, weight, strength in _fields(parameters.frequency, parameters.strength):
        counted = _counted(entry.fields, field)
        strengths.update(dict.fromkeys(counted, strength))
        for term, times in counted.items():
            frequencies[term] = frequencies.get(term, 0.0) + weight * times
    named = frozenset(_counted(entry.fields, "name"))
    for term in named & label | set(filter(is_version, named)):
        frequencies[term] -= parameters.frequency.name * (1 - parameters.repeated)
    own = named - label
    core = [term for term in split_terms(entry.fields.name) if term in own and not is_version(term)]
    spelt = spellings((entry.fields.name, entry.fields.source))
    return Document(
        tuple(frequencies),
        np.fromiter(frequencies.values(), np.float64, len(frequencies)),
        np.fromiter(map(strengths.__getitem__, frequencies), np.float64, len(frequencies)),
        np.fromiter(map(own.__contains__, frequencies), np.bool_, len(frequencies)),
        tuple(dict.fromkeys(core)) or tuple(sorted(label)),
        spelt,
        frozenset(spelt.values()) | frozenset(spellings((entry.fields.summary,)).values()),
        any(kind_of((term,)) == "action" for term in core),
    )


def _counted(texts: Fields, field: str) -> Counter[str]:
    text = getattr(texts, field)
    if not text:
        return Counter()
    return Counter(chain.from_iterable(map(_line_terms, text.split("\n"))) if field in _PROSE else terms(text))


@lru_cache(maxsize=32768)
def _line_terms(line: str) -> tuple[str, ...]:
    """The terms of one line of prose; what servers say of a parameter, they say of many."""
    return tuple(prose_terms(line))


@lru_cache(maxsize=8)
def _fields(frequency: FieldWeights, strength: FieldWeights) -> tuple[tuple[str, float, float], ...]:
    """Every field with its two numbers, the surest last."""
    numbers = [(field, getattr(frequency, field), getattr(strength, field)) for field in _FIELDS]
    return tuple(sorted(numbers, key=lambda each: float(each[2])))


_Key: TypeAlias = tuple[bytes, FieldWeights, FieldWeights, float]
_documents: OrderedDict[_Key, Document] = OrderedDict()


def documents(entries: Sequence[Entry], parameters: Parameters) -> list[Document]:
    """The documents of `entries`, in their order; those counted before are taken as they are."""
    found = [_document(entry, parameters) for entry in entries]
    while len(_documents) > _KNOWN_DOCUMENTS:
        _documents.popitem(last=False)
    return found


def _document(entry: Entry, parameters: Parameters) -> Document:
    key = (entry.digest, parameters.frequency, parameters.strength, parameters.repeated)
    document = _documents.pop(key, None) or count(entry, parameters)
    _documents[key] = document
    return document


@dataclass(frozen=True, slots=True)
class Postings:
    """All documents by term. The postings of the term with number `n` lie at `starts[n]:starts[n + 1]`."""

    numbers: Mapping[str, int]
    starts: Ints
    holders: Ints
    frequencies: Floats
    strengths: Floats
    in_name: Bools
    lengths: Floats

    @classmethod
    def of(cls, docs: Sequence[Document]) -> "Postings":
        numbers: dict[str, int] = {}
        terms_in_order = [numbers.setdefault(term, len(numbers)) for doc in docs for term in doc.terms]
        term_numbers = np.array(terms_in_order, np.int64)
        order = np.argsort(term_numbers, kind="stable")
        sizes = np.fromiter((len(doc.terms) for doc in docs), np.int64, len(docs))
        counts = np.bincount(term_numbers, minlength=len(numbers))
        return cls(
            numbers,
            np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
            np.repeat(np.arange(len(docs)), sizes)[order],
            _joined([doc.frequencies for doc in docs])[order],
            _joined([doc.strengths for doc in docs])[order],
            _joined([doc.in_name for doc in docs]).astype(np.bool_)[order],
            np.fromiter((doc.frequencies.sum() for doc in docs), np.float64, len(docs)),
        )

    def span(self, term: str) -> slice:
        """Where the postings of `term` lie; empty when no document holds it."""
        number = self.numbers.get(term)
        return slice(0, 0) if number is None else slice(int(self.starts[number]), int(self.starts[number + 1]))


def _joined(arrays: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    return np.concatenate(arrays) if arrays else np.zeros(0)
