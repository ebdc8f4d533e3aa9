"""The words of a catalogue, counted: which documents hold a term, how often, and where it stands.

A document is read once per content hash, so that a catalogue with one changed tool is cheap to count again; the
counting itself is done for all documents at once. Pure arrays; what they are worth is settled in `ranking` with the
numbers of `parameters`.
"""

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
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
_PROSE = frozenset(("summary", "details", "notes"))
_GENERIC = frozenset(map(stem, ("mcp", "server", "servers", "py", "js", "ref", "api", "tool", "tools", "client")))

_OTHER_FIELDS = tuple(field.name for field in fields(Fields) if field.name != "name")
_OWN_NAME, _LABEL_IN_NAME, _SAID_AGAIN = range(3)
_PLACES = 3 + len(_OTHER_FIELDS)


@dataclass(frozen=True, slots=True)
class Document:
    """One entry, read.

    `terms` are all terms that stand in it, repeated, place by place; `sizes` how many there are in each of the
    places: the name's own part, the source's label in the name, a term per part of the name that only repeats the
    label or a version, then the other fields. `core` are the terms that make its name, the source's own left out.
    `spelt` are the words of its name and source with their stems, `words` the stems that stand in name, source or
    summary as words of their own. `acts` says that its name holds a verb that does more than look.
    """

    terms: tuple[str, ...]
    sizes: tuple[int, ...]
    core: tuple[str, ...]
    spelt: Mapping[str, str]
    words: frozenset[str]
    acts: bool


def label_terms(label: str) -> frozenset[str]:
    """The stems that tell a source from others: its label without what any label may say."""
    found = frozenset(split_terms(label.lower()))
    return found - _GENERIC or found


def read(entry: Entry) -> Document:
    """The document of `entry`."""
    label = label_terms(entry.fields.source)
    placed = list(_placed(entry.fields, label))
    core = [term for term in split_terms(entry.fields.name) if term not in label and not is_version(term)]
    spelt = spellings((entry.fields.name, entry.fields.source))
    return Document(
        tuple(chain.from_iterable(placed)),
        tuple(map(len, placed)),
        tuple(dict.fromkeys(core)) or tuple(sorted(label)),
        spelt,
        frozenset(spelt.values()) | frozenset(spellings((entry.fields.summary,)).values()),
        any(kind_of((term,)) == "action" for term in core),
    )


def _placed(texts: Fields, label: frozenset[str]) -> Iterator[Sequence[str]]:
    """The terms at each place: three of the name, then the other fields in their order."""
    name = terms(texts.name)
    yield [term for term in name if term not in label]
    yield [term for term in name if term in label]
    yield [term for term in dict.fromkeys(name) if term in label or is_version(term)]
    for field in _OTHER_FIELDS:
        text = getattr(texts, field)
        yield list(chain.from_iterable(map(_line_terms, text.split("\n")))) if field in _PROSE else terms(text)


@lru_cache(maxsize=32768)
def _line_terms(line: str) -> tuple[str, ...]:
    """The terms of one line of prose; what servers say of a parameter, they say of many."""
    return tuple(prose_terms(line))


_documents: OrderedDict[bytes, Document] = OrderedDict()


def documents(entries: Sequence[Entry]) -> list[Document]:
    """The documents of `entries`, in their order; those read before are taken as they are."""
    found = [_document(entry) for entry in entries]
    while len(_documents) > _KNOWN_DOCUMENTS:
        _documents.popitem(last=False)
    return found


def _document(entry: Entry) -> Document:
    document = _documents.pop(entry.digest, None) or read(entry)
    _documents[entry.digest] = document
    return document


@dataclass(frozen=True, slots=True)
class Postings:
    """All documents by term. The postings of the term with number `n` lie at `starts[n]:starts[n + 1]`, by document.

    Per posting: the document that holds the term, how often by the weights of its places, the strength of the surest
    place, and whether the own part of the name says it. `lengths` is the sum of the frequencies per document.
    """

    numbers: Mapping[str, int]
    starts: Ints
    holders: Ints
    frequencies: Floats
    strengths: Floats
    in_name: Bools
    lengths: Floats

    @classmethod
    def of(cls, docs: Sequence[Document], parameters: Parameters) -> "Postings":
        numbers = {term: at for at, term in enumerate(dict.fromkeys(chain.from_iterable(doc.terms for doc in docs)))}
        sizes = np.array([doc.sizes for doc in docs], np.int64).reshape(len(docs), _PLACES)
        total = int(sizes.sum())
        term = np.fromiter(map(numbers.__getitem__, chain.from_iterable(doc.terms for doc in docs)), np.int64, total)
        holder = np.repeat(np.arange(len(docs)), sizes.sum(axis=1))
        place = np.repeat(np.tile(np.arange(_PLACES), len(docs)), sizes.ravel())
        order = np.argsort(term * len(docs) + holder, kind="stable")
        term, holder, place = term[order], holder[order], place[order]
        first = np.flatnonzero(np.diff(term, prepend=-1) | np.diff(holder, prepend=-1))
        weights = _by_place(parameters.frequency, parameters.frequency.name * (parameters.repeated - 1))
        frequencies = _reduced(np.add, weights[place], first)
        return cls(
            numbers,
            np.searchsorted(term[first], np.arange(len(numbers) + 1)),
            holder[first],
            frequencies,
            _reduced(np.maximum, _by_place(parameters.strength, 0.0)[place], first),
            _reduced(np.logical_or, place == _OWN_NAME, first).astype(np.bool_),
            np.bincount(holder[first], frequencies, len(docs)).astype(np.float64),
        )

    def span(self, term: str) -> slice:
        """Where the postings of `term` lie; empty when no document holds it."""
        number = self.numbers.get(term)
        return slice(0, 0) if number is None else slice(int(self.starts[number]), int(self.starts[number + 1]))


def _by_place(numbers: FieldWeights, said_again: float) -> Floats:
    others = [float(getattr(numbers, field)) for field in _OTHER_FIELDS]
    return np.array([numbers.name, numbers.name, said_again, *others])


def _reduced(operation: np.ufunc, values: npt.NDArray[np.generic], first: Ints) -> npt.NDArray[Any]:
    return np.asarray(operation.reduceat(values, first)) if len(first) else values
