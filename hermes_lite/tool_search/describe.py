"""What `tool_describe` answers: full schemas while there is room, the essential part of a schema when there is not.

`{tools: {name: {description, parameters, cut?}}, not_found?: [{name, did_you_mean}], errors?: {name: reason}}` as
compact JSON within a bound of tokens, spent in the order of the names, a little kept back for each that follows. What
was cut is marked where it stood, listed in `cut` by its pointer, and opened by the name `tool#/properties/body`. The
words of an `untrusted` tool stand behind that mark.
Source: section 5.2 of the tool-search design; T-E18 and T-K02 of the robustness page.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hermes_lite.text import cut, harmless
from hermes_lite.tokens import TokenCounter
from hermes_lite.tool_search.catalog import Catalogue
from hermes_lite.tool_search.names import Unmet, find
from hermes_lite.tool_search.signature import DATA
from hermes_lite.tools import refs
from hermes_lite.tools.argument_text import dump
from hermes_lite.tools.schema import outgoing
from hermes_lite.tools.spec import ToolSpec

MAX_TOKENS = 8_000
_DESCRIPTION = 2_000
_MOST_CHARS_PER_TOKEN = 5
_SPARE = 40
_KEPT_BACK = 300
_SMALL = 160
_ASKED = 160
_CUTS = 24
_DIRECT = "listed directly, call it directly"
_SOURCES = "available_sources"
_NO_ROOM = "no room left in this reply, describe it alone"


@dataclass(frozen=True, slots=True)
class Form:
    """A schema as shown, and the pointers of the parts that were cut from it."""

    schema: dict[str, Any]
    cut: tuple[str, ...] = ()


def render(names: Sequence[str], everything: Catalogue, deferred: frozenset[str], counter: TokenCounter) -> str:
    """The reply for `names`; `everything` holds the tools of the scope, `deferred` the names of those that wait."""
    reply = _Reply(everything, deferred, counter, spent=_SPARE * (1 + len(names)))
    asks = [ask for name in names if (ask := reply.settled(name))]
    for later, (row, pointer) in zip(reversed(range(len(asks))), asks, strict=True):
        reply.show(row, pointer, MAX_TOKENS - _KEPT_BACK * later)
    return reply.text()


@dataclass(slots=True)
class _Reply:
    everything: Catalogue
    deferred: frozenset[str]
    counter: TokenCounter
    spent: int
    tools: dict[str, Any] = field(default_factory=dict)
    not_found: list[dict[str, Any]] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)

    def settled(self, asked: str) -> tuple[ToolSpec, str] | None:
        """The row and the pointer that `asked` means; `None` when one short line has answered it."""
        name, _, pointer = asked.partition("#")
        row = find(name, self.everything)
        if isinstance(row, ToolSpec) and row.name in self.deferred:
            return row, pointer
        if isinstance(row, Unmet):
            self._note(self.not_found.append, {"name": cut(name, _ASKED), **self._explained(row)})
        else:
            self._note(self.errors.update, {row.name: _DIRECT})
        return None

    def _explained(self, unmet: Unmet) -> dict[str, Any]:
        """What `unmet` says, the sources of the session once per reply."""
        left_out = {"error"} | ({_SOURCES} if any(_SOURCES in entry for entry in self.not_found) else set())
        return {key: value for key, value in unmet.answer.items() if key not in left_out}

    def show(self, row: ToolSpec, pointer: str, limit: int) -> None:
        """Add the tool `row`, or the part of its schema at `pointer`, as fully as it fits below `limit` tokens."""
        key = f"{row.name}#{pointer}" if pointer else row.name
        part = _part(outgoing(row.parameters), pointer)
        if part is None:
            self._note(self.errors.update, {cut(key, _ASKED): "there is no such part; open the tool itself"})
        elif key not in self.tools:
            text = "" if pointer else cut(harmless(row.description).strip(), _DESCRIPTION, "… [cut]")
            self._fit(key, (_entry(row, pointer, text, form) for form in forms(part)), limit)

    def text(self) -> str:
        answer: dict[str, Any] = {"tools": self.tools}
        if self.not_found:
            answer["not_found"] = self.not_found
        if self.errors:
            answer["errors"] = self.errors
        return dump(answer)

    def _fit(self, key: str, entries: Iterator[dict[str, Any]], limit: int) -> None:
        for entry in entries:
            cost = self._cost({key: entry}, limit)
            if self.spent + cost <= limit:
                self.tools[key] = entry
                self.spent += cost
                return
        self._note(self.errors.update, {key: _NO_ROOM})

    def _note(self, keep: Any, value: dict[str, Any]) -> None:
        """Keep a short line; of these there is always room for as many names as may be asked for."""
        self.spent += self._cost(value, MAX_TOKENS)
        keep(value)

    def _cost(self, value: Any, limit: int) -> int:
        """The tokens of `value`; for one that cannot fit anyway, a lower bound without counting."""
        text = dump(value)
        least = len(text) // _MOST_CHARS_PER_TOKEN
        return least if self.spent + least > limit else self.counter.count(text) + 4


def _part(schema: Mapping[str, Any], pointer: str) -> Mapping[str, Any] | None:
    try:
        part = refs.at(schema, pointer)
    except LookupError:
        return None
    if isinstance(part, list):
        return {"values": part}
    return part if isinstance(part, Mapping) else None


def _entry(row: ToolSpec, pointer: str, description: str, form: Form) -> dict[str, Any]:
    opened = [f"#{pointer}{place}" for place in form.cut]
    note = f"Parts were cut; open one with tool_describe, as in {row.name}{opened[0]}." if opened else ""
    return {
        **({"untrusted": DATA} if row.untrusted else {}),
        **({"description": description} if description else {}),
        "parameters": form.schema,
        **({"cut": opened[:_CUTS], "note": note} if opened else {}),
    }


def forms(schema: Mapping[str, Any]) -> Iterator[Form]:
    """`schema` in ever shorter forms: whole, then to a depth with shorter texts, at last the required names alone."""
    yield Form(dict(schema))
    for depth, text in _STEPS:
        places: list[str] = []
        yield Form(_pruned(schema, "", depth, text, places), tuple(places))
    yield _required_only(schema)


_STEPS = ((12, 200), (6, 160), (4, 120), (3, 100), (2, 80), (1, 60), (1, 0))


def _pruned(node: Mapping[str, Any], pointer: str, depth: int, text: int, places: list[str]) -> dict[str, Any]:
    """`node` down to `depth` levels of schemas; what lies deeper is left as its type with the mark `cut`."""
    out: dict[str, Any] = {}
    for key, value in node.items():
        if key in _NAMED and isinstance(value, Mapping):
            out[key] = {
                name: _child(sub, f"{pointer}/{key}/{_escaped(name)}", depth, text, places)
                for name, sub in value.items()
            }
        elif key in _LISTS and isinstance(value, list):
            out[key] = [_child(sub, f"{pointer}/{key}/{n}", depth, text, places) for n, sub in enumerate(value)]
        elif key in _SINGLE and isinstance(value, Mapping):
            out[key] = _child(value, f"{pointer}/{key}", depth, text, places)
        elif key in _TEXTS:
            if text and isinstance(value, str):
                out[key] = cut(value, text)
        elif key != "enum" or len(dump(value)) <= max(text * 4, 120):
            out[key] = value
        else:
            out[key] = [*value[:_ENUM_SHOWN], "…"]
            places.append(f"{pointer}/enum")
    return out


def _child(sub: Any, pointer: str, depth: int, text: int, places: list[str]) -> Any:
    if not isinstance(sub, Mapping):
        return sub
    if depth > 0 or not _DEEP & set(sub) or len(dump(_bared(sub))) <= _SMALL:
        return _pruned(sub, pointer, depth - 1, text, places)
    places.append(pointer)
    shown = {key: cut(value, text) if key == "description" else value for key, value in sub.items() if key in _SHOWN}
    return {key: value for key, value in shown.items() if value != ""} | {"cut": True}


def _bared(sub: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in sub.items() if key not in _TEXTS}


def _required_only(schema: Mapping[str, Any]) -> Form:
    declared = refs.properties(schema)
    needed = refs.required(schema)[:_FEW]
    others = [name for name in declared if name not in needed]
    properties = {name: {"type": sorted(refs.types(declared.get(name, {}))) or "any"} for name in needed}
    places = tuple(f"/properties/{_escaped(name)}" for name in (*needed, *others))
    optional = {"optional": others[:_FEW]} if others else {}
    return Form({"type": "object", "properties": properties, "required": list(needed), **optional}, places)


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


_FEW = 40
_ENUM_SHOWN = 8
_NAMED = frozenset(("properties", "patternProperties", "$defs"))
_LISTS = frozenset(("anyOf", "oneOf", "allOf", "prefixItems"))
_SINGLE = frozenset(("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"))
_DEEP = _NAMED | _LISTS | _SINGLE
_TEXTS = frozenset(("description", "title"))
_SHOWN = frozenset(("type", "description", "$ref", "required"))
