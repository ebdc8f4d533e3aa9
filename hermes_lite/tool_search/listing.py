"""The part of the catalogue that the model always sees, within a budget of tokens.

Every source is a group in one of four forms: **summary** (`github: 94 tools, search to see them`), **names**,
**purpose** (`name: purpose`) or **signature** (`name(repo, title, body?): purpose`). The budget is filled in that
order: first every group gets its summary, then as many as possible their names, and so on; each form goes to the
groups for which it costs the fewest tokens first, ties by label. A name is what a tool is found by and the cheapest
thing to say of it, so names for many buy more found tools than signatures for few; and a huge source can never push
the small ones down. Tokens are counted block by block, and once more at the end.

Names stand without their `mcp__server__` prefix, which the heading carries, unless another tool of the session has
the same short name: what is listed can be called as it is written. What to do with a form is told by the
description around the listing (`bridge`). Nothing here depends on the order of the
rows or on the conversation. Source: section 4 of the tool-search design; T-D13, T-F09, T-K03 and T-L01.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal, TypeAlias

from hermes_lite.text import cut, one_line
from hermes_lite.tokens import TokenCounter
from hermes_lite.tool_search.rows import Rows
from hermes_lite.tool_search.signature import purpose, shared_openings, short_name, signature
from hermes_lite.tools.naming import split
from hermes_lite.tools.spec import Source, SourceState, SourceStatus, ToolSpec

GroupForm: TypeAlias = Literal["hidden", "summary", "names", "purpose", "signature"]
Form: TypeAlias = Literal["empty", "summary", "names", "purpose", "signature", "mixed"]

_STEPS: tuple[GroupForm, ...] = ("hidden", "summary", "names", "purpose", "signature")
_LABEL_CHARS = 40


@dataclass(frozen=True, slots=True)
class GroupListing:
    """How one source stands in the listing: its form, its number of tools, the tokens of its block."""

    source: Source
    label: str
    form: GroupForm
    count: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Listing:
    """`text` goes into the description of `tool_search`; it costs `tokens`, never more than the budget."""

    text: str
    tokens: int
    form: Form
    groups: tuple[GroupListing, ...] = ()


def build(
    deferred: Iterable[ToolSpec],
    statuses: Iterable[SourceStatus],
    budget: int,
    counter: TokenCounter,
    taken: Set[str] = frozenset(),
) -> Listing:
    """The listing of `deferred`, and of sources whose tools are elsewhere or not there yet, in `budget` tokens.

    `taken` are the names of the direct tools, which no short name may be mistaken for.
    """
    groups = _groups(Rows(deferred), statuses, taken)
    room = budget - counter.count(_OTHERS)
    steps = _affordable(groups, room, counter)
    if len(dict(steps)) < len(groups):
        steps = _affordable(groups, room - counter.count(_more(groups)), counter)
    while steps and counter.count(_text(_shown(groups, steps))) > budget:
        steps.pop()
    shown = _shown(groups, steps)
    text = _text(shown)
    listed = (GroupListing(g.source, g.label, form, g.count, _cost(g, form, counter)) for g, form in shown)
    return Listing(text, counter.count(text), _form(shown), tuple(listed))


@dataclass(frozen=True, slots=True)
class _Group:
    """A source to be listed: with its rows, with their mere number, or with the state that keeps them away.

    `shared` holds the short names among its own that another tool has too.
    """

    source: Source
    rows: Rows
    count: int
    state: SourceState = "ready"
    shared: frozenset[str] = frozenset()

    @property
    def label(self) -> str:
        return cut(one_line(self.source.label), _LABEL_CHARS)

    @property
    def best(self) -> GroupForm:
        if not self.rows:
            return "summary"
        return "names" if self.rows[0].untrusted else "signature"

    def name(self, row: ToolSpec) -> str:
        short = short_name(row)
        return row.name if short in self.shared else short


_Step: TypeAlias = tuple[int, GroupForm]
"""The form that the group with this number gets; of several steps of one group the last holds."""
_Shown: TypeAlias = Sequence[tuple[_Group, GroupForm]]


def _groups(deferred: Rows, statuses: Iterable[SourceStatus], taken: Set[str]) -> tuple[_Group, ...]:
    """What there is to list, by label."""
    by_source: dict[Source, dict[str, ToolSpec]] = defaultdict(dict)
    uses = Counter(taken)
    for row in deferred:
        by_source[row.source][row.name] = row
        uses[short_name(row)] += 1
    found = [_group(source, rows, uses) for source, rows in by_source.items()]
    found += [
        _Group(status.source, Rows(), status.tools, status.state)
        for status in statuses
        if status.source not in by_source and _is_listed(status)
    ]
    return tuple(sorted(found, key=lambda group: (group.label, group.source)))


def _group(source: Source, rows: Mapping[str, ToolSpec], uses: Mapping[str, int]) -> _Group:
    shared = frozenset(short for row in rows.values() if uses[short := short_name(row)] > 1)
    return _Group(source, Rows(rows[name] for name in sorted(rows)), len(rows), shared=shared)


def _is_listed(status: SourceStatus) -> bool:
    """Whether a source without rows has a line: its tools are remote, or its state says why there are none."""
    return status.state in _ABSENT or (status.source.kind == "connector" and status.tools > 0)


def _affordable(groups: Sequence[_Group], room: int, counter: TokenCounter) -> list[_Step]:
    """The steps that `room` tokens pay for: form after form, in each the cheapest group first."""
    forms: dict[int, GroupForm] = dict.fromkeys(range(len(groups)), "hidden")
    steps: list[_Step] = []
    for before, form in pairwise(_STEPS):
        at_stake = [n for n, group in enumerate(groups) if forms[n] == before != group.best]
        costs = {n: _cost(groups[n], form, counter) - _cost(groups[n], before, counter) for n in at_stake}
        for n in sorted(at_stake, key=lambda n: (costs[n], n)):
            if costs[n] <= room:
                room -= costs[n]
                forms[n] = form
                steps.append((n, form))
    return steps


def _cost(group: _Group, form: GroupForm, counter: TokenCounter) -> int:
    return counter.count(_block(group, form))


def _shown(groups: Sequence[_Group], steps: Iterable[_Step]) -> _Shown:
    forms = dict(steps)
    return [(group, forms.get(n, "hidden")) for n, group in enumerate(groups)]


def _text(shown: _Shown) -> str:
    hidden = [group for group, form in shown if form == "hidden"]
    if len(hidden) == len(shown):
        return ""
    detailed = [_block(group, form) for group, form in shown if form not in ("hidden", "summary")]
    brief = [_block(group, form) for group, form in shown if form == "summary"] + ([_more(hidden)] if hidden else [])
    return "".join((*detailed, *([_OTHERS] if detailed and brief else []), *brief)).rstrip("\n")


@lru_cache(maxsize=4096)
def _block(group: _Group, form: GroupForm) -> str:
    """`group` in `form`, each line ended."""
    match form:
        case "hidden":
            return ""
        case "summary":
            return f"{group.label}: {_ABSENT.get(group.state) or _tools(group.count) + ', search to see them'}\n"
        case "names":
            return f"{_heading(group)}{', '.join(map(group.name, group.rows))}\n"
        case "purpose":
            return _heading(group) + "".join(_lines(group, group.name))
        case "signature":
            return _heading(group) + "".join(_lines(group, lambda row: signature(row, group.name(row))))


def _heading(group: _Group) -> str:
    """The source's heading; when all full names begin alike it is that beginning."""
    prefixes = {split(row.name)[0] for row in group.rows}
    prefix = prefixes.pop() if len(prefixes) == 1 else ""
    return f"## {prefix or group.label}\n"


def _lines(group: _Group, called: Callable[[ToolSpec], str]) -> Iterator[str]:
    openings = shared_openings(group.rows)
    for row in group.rows:
        told = purpose(row, openings)
        yield f"{called(row)}: {told}\n" if told else f"{called(row)}\n"


def _more(groups: Sequence[_Group]) -> str:
    count = sum(group.count for group in groups)
    return f"and {len(groups)} more sources: {_tools(count)}, search to see them\n"


def _tools(count: int) -> str:
    return f"{count} tool{'' if count == 1 else 's'}"


def _form(shown: _Shown) -> Form:
    if all(form == "hidden" for _, form in shown):
        return "empty"
    forms = {form for group, form in shown if group.rows} or {"summary"}
    only = forms.pop()
    return "mixed" if forms or only == "hidden" else only


_ABSENT: Mapping[SourceState, str] = {
    "connecting": "still connecting, its tools come later",
    "failed": "failed to start, its tools cannot be used now",
    "needs_auth": "needs the person's authorization before its tools can be used",
}
_OTHERS = "## Other sources\n"
