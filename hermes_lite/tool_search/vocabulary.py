"""The words and sources that a catalogue has, as a reader of queries asks for them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from hermes_lite.tool_search.catalog import letters
from hermes_lite.tool_search.postings import Bools, Document, Postings, label_terms
from hermes_lite.tool_search.query import Concept, Query
from hermes_lite.tool_search.thesaurus import Bond, Kind

_EVERYDAY: frozenset[Kind] = frozenset(("view", "action", "object"))
_SPELLING: frozenset[Bond] = frozenset(("itself", "joined", "split", "spelling"))
_NAMING: frozenset[Bond] = _SPELLING | {"abbreviation", "translation"}
_SHORTEST_MISSPELLING = 4
_TWO_EDITS_FROM = 8
_SUGGESTIONS = 3


class Vocabulary:
    """What stands in the documents, which belong to `labels` one by one."""

    def __init__(self, documents: Sequence[Document], postings: Postings, labels: Sequence[str]) -> None:
        self._documents = documents
        self._postings = postings
        self._labels = labels

    def __contains__(self, term: str) -> bool:
        return term in self._postings.numbers

    def is_word(self, term: str) -> bool:
        """Whether `term` stands in names, labels or summaries as a word, not just as a joined identifier."""
        return term in self._words

    def meant_by(self, word: str) -> tuple[str, ...]:
        """The terms of the words of names and labels nearest to a misspelt `word`.

        One edit is forgiven, from eight letters on two; the first letter must be right.
        """
        if len(word) < _SHORTEST_MISSPELLING or not (word.isascii() and word.isalpha()):
            return ()
        allowed = 2 if len(word) >= _TWO_EDITS_FROM else 1
        near = sorted(
            (edits, other)
            for other in self._spelt_by_initial.get(word[0], ())
            if _alike(word, other, allowed) and (edits := distance(word, other, allowed)) <= allowed
        )
        best = [self._spelt[other] for edits, other in near if edits == near[0][0]]
        return tuple(dict.fromkeys(best))[:_SUGGESTIONS]

    def label(self, called: str) -> str | None:
        """The source that `called` means, whatever its case and separators, or the one with its telling words."""
        if spelt := self._labels_by_letters.get(letters(called)):
            return spelt
        told = label_terms(called)
        alike = [label for label, terms in self._terms.items() if terms == told]
        return alike[0] if len(alike) == 1 else None

    def inside(self, label: str) -> Bools:
        """Which documents belong to the source."""
        return self._inside[label]

    def named_by(self, query: Query) -> dict[str, Bools]:
        """For each concept of `query` that names a source, the documents of the sources that it names.

        A source is named by its whole label, or by any part of it that is no everyday word.
        """
        found: dict[str, Bools] = {}
        for label in self._labels_touched(query):
            said = {
                concept.text: terms for concept in query.concepts if (terms := _said(self._terms[label], concept))
            }
            whole = frozenset().union(*said.values()) == self._terms[label]
            if whole or any(concept.kind not in _EVERYDAY for concept in query.concepts if concept.text in said):
                for text in said:
                    found[text] = found.get(text, False) | self._inside[label]
        return found

    def _labels_touched(self, query: Query) -> list[str]:
        spoken = {term for concept in query.concepts for other in concept.alternatives for term in other.terms}
        return sorted({label for term in spoken for label in self._labels_by_term.get(term, ())})

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset().union(*(document.words for document in self._documents))

    @cached_property
    def _spelt(self) -> Mapping[str, str]:
        return {word: term for document in self._documents for word, term in document.spelt.items()}

    @cached_property
    def _spelt_by_initial(self) -> Mapping[str, list[str]]:
        initials: dict[str, list[str]] = defaultdict(list)
        for word in self._spelt:
            initials[word[0]].append(word)
        return initials

    @cached_property
    def _inside(self) -> Mapping[str, Bools]:
        labels = np.array(self._labels, dtype=object)
        return {label: labels == label for label in sorted(set(self._labels))}

    @cached_property
    def _labels_by_letters(self) -> Mapping[str, str]:
        return {letters(label): label for label in reversed(list(self._inside))}

    @cached_property
    def _terms(self) -> Mapping[str, frozenset[str]]:
        return {label: label_terms(label) for label in self._inside}

    @cached_property
    def _labels_by_term(self) -> Mapping[str, list[str]]:
        labels: dict[str, list[str]] = defaultdict(list)
        for label, terms in self._terms.items():
            for term in terms:
                labels[term].append(label)
        return labels


def _said(label: frozenset[str], concept: Concept) -> frozenset[str]:
    """The terms of a label that `concept` says: an everyday word only by itself, a name by all its spellings."""
    bonds = _SPELLING if concept.kind in _EVERYDAY else _NAMING
    fitting = [o.terms for o in concept.alternatives if o.bond in bonds and label.issuperset(o.terms)]
    return frozenset(term for terms in fitting for term in terms)


def _alike(one: str, other: str, edits: int) -> bool:
    """Whether two words can be within `edits` of each other: one edit changes the set of letters by two at most."""
    return abs(len(one) - len(other)) <= edits and len(set(one) ^ set(other)) <= 2 * edits


def distance(one: str, other: str, most: int) -> int:
    """The edits (insert, delete, change, swap neighbours) between two words; more than `most` are not counted."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row = [i] + [0] * len(other)
        for j, b in enumerate(other, 1):
            row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                row[j] = min(row[j], before[j - 2] + 1)
        if min(row) > most:
            return most + 1
        before, last = last, row
    return last[-1]
