"""From the calls that a model wrote to the calls that run: the only place that knows the `tool_call` envelope.

It runs once over each reply, before anything is stored or shown, so that everything behind it speaks of real tools.
Every shape in which models are known to write the envelope is read by one normaliser; what cannot be read in one way
is answered without running, entry by entry. Whether the arguments fit the tool is settled later, for direct and
bridged calls alike (`hermes_lite.tools.arguments`).
Source: sections 5 and 5.3 of the tool-search design; T-E05, T-E08, T-E20 and S-B4 to S-B14 of the robustness page.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from hermes_lite.messages import ToolCall, Via
from hermes_lite.text import cut, one_line
from hermes_lite.tool_search import leniency, printed
from hermes_lite.tool_search.bridge import CALL, DESCRIBE, MAX_CALLS, SEARCH, everything
from hermes_lite.tool_search.call_ids import MADE, CallIds
from hermes_lite.tool_search.catalog import Catalogue
from hermes_lite.tool_search.names import Unmet, find
from hermes_lite.tools.argument_text import Malformed, decode, dump, is_object, parse
from hermes_lite.tools.registry import Scope
from hermes_lite.tools.schema import outgoing_name
from hermes_lite.tools.spec import ToolSpec
from hermes_lite.tools.surface import surface

_DEPTH = 3
_SHOWN = 200
_KEPT = 4_000
_MAX_NAME = 64
_ILLEGAL = re.compile(r"[^A-Za-z0-9_-]+")
_LISTS = ("calls", "tool_calls", "call")
_NAMES = ("name", "tool_name", "tool", "function")
_HOLDERS = ("arguments", "args", "input", "parameters", "params")
_SHAPE = '{"calls":[{"name":"<tool>","arguments":{...}}]}'


@dataclass(frozen=True, slots=True)
class RealCall:
    """A call of `row` that may go through the pipeline.

    `call.name` is the real tool's; `call.arguments` is the JSON text of its own arguments and `arguments` the same
    parsed. `resolved_from` is the name that the model wrote, when it was not the tool's.
    """

    call: ToolCall
    row: ToolSpec
    arguments: dict[str, Any]
    resolved_from: str | None = None


@dataclass(frozen=True, slots=True)
class CallError:
    """A call that is answered with `text` and not run. `code` names the reason in one word."""

    call: ToolCall
    text: str
    code: str


@dataclass(frozen=True, slots=True)
class _Entry:
    """One `{name, arguments}` of an envelope."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Bad:
    """One entry of an envelope that cannot be read; `given` is what stood there."""

    code: str
    text: str
    name: str = CALL
    given: Any = None


def unwrap(calls: Sequence[ToolCall], scope: Scope, taken: Iterable[str] = ()) -> tuple[RealCall | CallError, ...]:
    """The real calls of one reply, in order; each of `calls` yields at least one item, each item has its own id.

    `taken` are the ids of earlier calls of the conversation, which are not given again. Pure: the same reply in the
    same scope gives the same items. Never raises.
    """
    reader = _Reader(everything(scope))
    ids = CallIds((call.id for call in calls), taken)
    owned = [replace(call, id=ids.own(call.id, position)) for position, call in enumerate(calls)]
    return tuple(item for call in owned for item in _with_ids(reader.items(call), call.id, ids))


def recover_text_calls(text: str, scope: Scope) -> tuple[ToolCall, ...]:
    """The calls that the reply `text` prints instead of making them; none unless it is all calls of known tools."""
    reader = _Reader(everything(scope))
    values = [item for value in printed.values(text) for item in (value if isinstance(value, list) else [value])]
    calls = [reader.printed(value) for value in values]
    ids = CallIds()
    return tuple(
        ToolCall(ids.derived(MADE, f"{position} {name} {arguments}"), name, arguments)
        for position, (name, arguments) in enumerate(call for call in calls if call and all(calls))
    )


def wrap(calls: Sequence[ToolCall]) -> ToolCall:
    """`calls` as one `tool_call` with the id of the first; `unwrap` gives them back."""
    entries = [{"name": call.name, "arguments": parse(call.arguments)} for call in calls]
    return ToolCall(calls[0].id, CALL, dump({"calls": entries}))


def _with_ids(items: Sequence[RealCall | CallError], parent: str, ids: CallIds) -> Iterator[RealCall | CallError]:
    for position, item in enumerate(items):
        own = parent if position == 0 else ids.derived(parent, f"entry {position}")
        yield replace(item, call=replace(item.call, id=own))


class _Reader:
    """Reads calls against the tools of one scope."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def items(self, call: ToolCall) -> list[RealCall | CallError]:
        """What the one wire call `call` comes to."""
        row = find(call.name, self._catalogue)
        if _is_envelope(row):
            return self._enveloped(call)
        arguments = parse(call.arguments)
        if isinstance(row, Unmet):
            return [_refused(call, call.name, _kept(call.arguments, arguments), dump(row.answer), row.code)]
        if isinstance(arguments, Malformed):
            kept = _kept(call.arguments, arguments)
            return [_refused(call, row.name, kept, arguments.refusal(row.name), "malformed")]
        text = call.arguments if is_object(call.arguments) else dump(arguments)
        return [_real(call.id, call.name, row, arguments, text, "direct")]

    def _enveloped(self, call: ToolCall) -> list[RealCall | CallError]:
        value = decode(call.arguments)
        kept = _kept(call.arguments, value)
        if isinstance(value, Malformed):
            return [_refused(call, CALL, kept, value.refusal(CALL), "malformed")]
        entries = list(self.entries(value))
        if not entries:
            return [_refused(call, CALL, kept, f"NOT RUN: {CALL} was given no call. Write {_SHAPE}.", "empty")]
        if len(entries) > MAX_CALLS:
            return [_refused(call, CALL, kept, _over_cap(entries), "over-cap")]
        return [self._item(call, entry) for entry in entries]

    def entries(self, value: Any, depth: int = _DEPTH) -> Iterator[_Entry | _Bad]:
        """The entries in a decoded envelope of any accepted shape, nested envelopes taken apart."""
        for item in _listed(value, self._names_a_tool):
            entry = self._entry(item)
            if not isinstance(entry, _Entry) or not _is_envelope(self._row(entry.name)):
                yield entry
            elif depth == 1:
                yield _Bad("nested", f"NOT RUN: {CALL} stands inside itself too often. Write {_SHAPE}.", given=item)
            else:
                yield from self.entries(entry.arguments, depth - 1)

    def printed(self, value: Any) -> tuple[str, str] | None:
        """Name and arguments text of the call that `value`, printed by a model, plainly is; else `None`."""
        if not isinstance(value, dict):
            return None
        given = _flat_function(value)
        if set(given) <= set(_LISTS) and given:
            entries = list(self.entries(given))
            known = all(isinstance(entry, _Entry) and self._names_a_tool(entry.name) for entry in entries)
            return (CALL, dump(given)) if entries and known else None
        selector, holder = self._selector(given), next((key for key in _HOLDERS if key in given), None)
        if selector is None or holder is None or not set(given) <= {selector, holder, "id", "type"}:
            return None
        arguments = _object(given[holder])
        if not self._names_a_tool(given[selector]) or not isinstance(arguments, dict):
            return None
        return given[selector].strip(), dump(arguments)

    def _item(self, call: ToolCall, entry: _Entry | _Bad) -> RealCall | CallError:
        if isinstance(entry, _Bad):
            return _refused(call, entry.name, _kept("", entry.given), entry.text, entry.code, "bridge")
        text = dump(entry.arguments)
        row = find(entry.name, self._catalogue)
        if isinstance(row, Unmet):
            return _refused(call, entry.name, text, dump(row.answer), row.code, "bridge")
        if row.source.kind == "bridge":
            hint = f"NOT RUN: {row.name} is no entry of {CALL}. Call it directly: {row.name}({text})."
            return _refused(call, row.name, text, hint, "nested-bridge", "bridge")
        return _real(call.id, entry.name, row, entry.arguments, text, "bridge")

    def _row(self, name: Any) -> ToolSpec | None:
        """The one tool that `name` means, if there is exactly one."""
        rows = self._catalogue.resolve(name) if isinstance(name, str) else ()
        return rows[0] if len(rows) == 1 else None

    def _names_a_tool(self, name: Any) -> bool:
        return self._row(name) is not None

    def _entry(self, item: Any) -> _Entry | _Bad:
        if isinstance(item, str):
            return _Entry(item.strip(), {}) if item.strip() else _nameless(item)
        if not isinstance(item, dict):
            return _nameless(item)
        given = _flat_function({str(key).strip(): value for key, value in item.items()})
        selector = self._selector(given)
        if selector is None:
            return self._keyed_by_name(given)
        rest = {key: value for key, value in given.items() if key != selector}
        return self._with_arguments(given[selector].strip(), rest)

    def _selector(self, given: Mapping[str, Any]) -> str | None:
        """The key that names the tool: the first that names one there is, else the first that is a text at all."""
        texts = [key for key in _NAMES if isinstance(given.get(key), str) and given[key].strip()]
        return next((key for key in texts if self._names_a_tool(given[key])), texts[0] if texts else None)

    def _keyed_by_name(self, given: Mapping[str, Any]) -> _Entry | _Bad:
        """`{"create_issue": {...}}`: the only key names a tool and its value is the arguments."""
        if len(given) == 1:
            ((name, value),) = given.items()
            arguments = _object(value)
            if self._names_a_tool(name) and isinstance(arguments, dict):
                return _Entry(name, arguments)
        return _nameless(dict(given))

    def _with_arguments(self, name: str, rest: dict[str, Any]) -> _Entry | _Bad:
        """The entry that calls `name` with what `rest` holds: in one object, flat, or partly so."""
        row = self._row(name)
        declared = frozenset(map(outgoing_name, surface(row.parameters).properties)) if row else frozenset()
        rest = {key: value for key, value in rest.items() if key in declared or value != name or key not in _NAMES}
        held = {key: _object(rest[key]) for key in _HOLDERS if key in rest and _holds(key, rest[key], declared)}
        if bad := next((value for value in held.values() if isinstance(value, Malformed)), None):
            return _Bad("malformed", bad.refusal(name), name, bad.given)
        given = [arguments for arguments in held.values() if isinstance(arguments, dict) and arguments]
        chatter = bool(given or (held and not declared))
        flat = {key: rest[key] for key in rest if key not in held and (key in declared or not chatter)}
        return _merged(name, [flat, *given])


def _is_envelope(row: object) -> bool:
    return isinstance(row, ToolSpec) and row.source.kind == "bridge" and row.name == CALL


def _listed(value: Any, names_a_tool: Callable[[Any], bool]) -> list[Any]:
    """The items of an envelope: under `calls` or bare, one or many, as values or as JSON text."""
    if value is None:
        return []
    if isinstance(value, list):
        return [inner for item in value for inner in (_listed(item, names_a_tool) if _is_json(item) else [item])]
    if isinstance(value, str):
        inner = decode(value) if _is_json(value) else None
        return [value] if inner is None or isinstance(inner, Malformed) else _listed(inner, names_a_tool)
    if not isinstance(value, dict):
        return [value]
    key = next((key for key in _LISTS if key in value), None)
    if key is None or any(names_a_tool(value.get(name)) for name in _NAMES):
        return [value] if value else []
    return _listed(value[key], names_a_tool)


def _is_json(value: Any) -> bool:
    return isinstance(value, str) and value.lstrip().startswith(("{", "["))


def _flat_function(given: dict[str, Any]) -> dict[str, Any]:
    """The shape of the OpenAI wire, `{id, type, function: {name, arguments}}`, as its inner object."""
    function = given.get("function")
    if isinstance(function, dict):
        return {str(key): value for key, value in function.items()}
    if given.get("type") == "function":
        return {key: value for key, value in given.items() if key not in ("type", "id")}
    return given


def _object(value: Any) -> dict[str, Any] | Malformed:
    """`value` as an arguments object: itself, its JSON text, or nothing at all for no arguments."""
    if value is None or isinstance(value, str):
        return parse(value)
    return value if isinstance(value, dict) else Malformed(dump(value), "they are not an object")


def _holds(key: str, value: Any, declared: Set[str]) -> bool:
    """Whether `key` holds the arguments of the entry and is not itself a parameter of the tool, written flat."""
    if key not in declared:
        return True
    inner = _object(value)
    if not isinstance(inner, dict):
        return False
    return key == "arguments" or (bool(inner) and set(inner) <= declared)


def _merged(name: str, parts: Sequence[Mapping[str, Any]]) -> _Entry | _Bad:
    """The arguments that stand in several places; one given twice, differently, is nobody's guess."""
    arguments: dict[str, Any] = {}
    for key, value in (pair for part in reversed(parts) for pair in part.items()):
        if arguments.setdefault(key, value) != value:
            text = f"NOT RUN: {name} was not invoked: {key} is given twice, with two values. Write {_SHAPE}."
            return _Bad("conflict", text, name, {key: [arguments[key], value]})
    return _Entry(name, arguments)


def _nameless(item: Any) -> _Bad:
    text = f"NOT RUN: this entry names no tool: {cut(one_line(dump(item)), _SHOWN)}. Write {_SHAPE}."
    return _Bad("no-name", text, given=item)


def _over_cap(entries: Sequence[_Entry | _Bad]) -> str:
    names = [entry.name for entry in entries]
    parts = [names[start : start + MAX_CALLS] for start in range(0, len(names), MAX_CALLS)]
    return dump(
        {
            "error": "too-many-calls",
            "message": f"NOT RUN: {CALL} takes at most {MAX_CALLS} calls, this one has {len(names)}. "
            "None of them ran. Send them as the separate calls of `split`.",
            "split": parts,
        }
    )


def _real(wire_id: str, asked: str, row: ToolSpec, arguments: dict[str, Any], text: str, via: Via) -> RealCall:
    given = asked if asked != row.name else None
    return RealCall(ToolCall(wire_id, row.name, text, via), row, _lenient(row, arguments), given)


def _lenient(row: ToolSpec, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a bridge tool with its list as a list; those of any other tool as they are."""
    spellings = _LENIENT.get(row.name) if row.source.kind == "bridge" else None
    if spellings is None:
        return arguments
    rest = {key: value for key, value in arguments.items() if key not in spellings}
    return {spellings[0]: leniency.texts(arguments, spellings), **rest}


_LENIENT: Mapping[str, tuple[str, ...]] = {SEARCH: leniency.QUERIES, DESCRIBE: leniency.NAMES}


def _refused(call: ToolCall, name: str, arguments: str, text: str, code: str, via: Via = "direct") -> CallError:
    return CallError(ToolCall(call.id, _stored_name(name), arguments, via), text, code)


def _stored_name(name: str) -> str:
    """`name` as a later request can carry it: providers refuse a conversation for one name that they do not take."""
    return _ILLEGAL.sub("_", name.strip())[:_MAX_NAME] or CALL


def _kept(text: str, value: Any) -> str:
    """The arguments as history keeps them: `text` if later requests can carry it, else an object that quotes it."""
    if text and is_object(text):
        return text
    if isinstance(value, Malformed):
        return dump({"unreadable": cut(value.given, _KEPT)})
    return dump(value) if isinstance(value, dict) else dump({"given": value} if value is not None else {})
