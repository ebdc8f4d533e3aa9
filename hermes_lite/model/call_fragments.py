"""Puts the tool calls of a reply together from the fragments that a stream carries them in.

Endpoints agree on little: some number every call 0, some give no number or no id, some repeat the name in each
fragment, some send the arguments as an object. The aim is that as many calls come out as the model wrote, in its
order, each with an id of its own and with its argument text untouched. Whether that text can be used is the caller's
question.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from hermes_lite.messages import ToolCall
from hermes_lite.text import clean_surrogates

EMPTY_ARGUMENTS, OPEN_ARGUMENTS = "{}", "{"


@dataclass(frozen=True, slots=True)
class _Fragment:
    index: int | None
    id: str
    name: str
    arguments: str

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> "_Fragment":
        function = raw.get("function")
        function = function if isinstance(function, Mapping) else raw
        index = raw.get("index")
        return cls(
            index=index if isinstance(index, int) else None,
            id=_text(raw.get("id")),
            name=_text(function.get("name")),
            arguments=_argument_text(function.get("arguments")),
        )


@dataclass(slots=True, eq=False)
class _OpenCall:
    index: int | None
    id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)

    @property
    def arguments(self) -> str:
        return clean_surrogates("".join(self.pieces))

    def take(self, fragment: _Fragment) -> None:
        self.id = self.id or fragment.id
        self.name = self.name or fragment.name
        self.pieces.append(fragment.arguments)


class CallFragments:
    """Collects fragments with `add`; `calls` gives what they make."""

    def __init__(self) -> None:
        self._calls: list[_OpenCall] = []

    def add(self, entries: Iterable[Mapping[str, Any]]) -> None:
        """Take the `tool_calls` of one delta."""
        touched: list[_OpenCall] = []
        for fragment in map(_Fragment.of, entries):
            call = self._candidate(fragment)
            if call is None or _contradicts(call, fragment) or (fragment.name and call in touched):
                call = _OpenCall(fragment.index)
                self._calls.append(call)
            call.take(fragment)
            touched.append(call)

    def _candidate(self, fragment: _Fragment) -> _OpenCall | None:
        newest_first = reversed(self._calls)
        if fragment.index is not None:
            return next((call for call in newest_first if call.index == fragment.index), None)
        if fragment.id:
            return next((call for call in newest_first if call.id == fragment.id), None)
        return next(newest_first, None)

    def calls(self, taken: Collection[str] = (), *, cut_off: bool = False) -> tuple[ToolCall, ...]:
        """The calls in the order in which they were begun, under ids that are not in `taken` and differ.

        `cut_off` says that the reply ended at a length: a last call that has no arguments yet is left open, so that
        it is refused as unreadable instead of run without any.
        """
        if cut_off and self._calls and not self._calls[-1].arguments.strip():
            self._calls[-1].pieces.append(OPEN_ARGUMENTS)
        used = set(taken)
        found: list[ToolCall] = []
        for call in self._calls:
            for part, arguments in enumerate(_objects(call.arguments)):
                wanted = call.id if part == 0 and call.id else f"call_{len(used)}"
                found.append(ToolCall(_unused(wanted, used), call.name, arguments))
        return tuple(found)


def _contradicts(call: _OpenCall, fragment: _Fragment) -> bool:
    """Whether `fragment` cannot belong to `call`, though it carries the same number or none."""
    if fragment.id and call.id and fragment.id != call.id:
        return True
    if fragment.name and call.name and fragment.name != call.name:
        return True
    begins_again = bool(fragment.name) and fragment.arguments.lstrip().startswith("{")
    return begins_again and _is_object(call.arguments)


def _objects(text: str) -> Iterator[str]:
    """`text` as one argument text, or as several when objects run together.

    An empty object before others is a placeholder and an exact repeat is an echo; neither is a call.
    """
    if not text.strip() or text.strip() == "null":
        yield EMPTY_ARGUMENTS
        return
    parts = _split(text)
    filled = [part for part in dict.fromkeys(parts) if part != EMPTY_ARGUMENTS]
    yield from filled if len(parts) > 1 and filled else parts[:1]


def _split(text: str) -> list[str]:
    decoder = json.JSONDecoder(strict=False)
    parts: list[str] = []
    rest = text.strip()
    while rest:
        try:
            value, end = decoder.raw_decode(rest)
        except ValueError:
            return [text]
        if not isinstance(value, dict):
            return [text]
        parts.append(rest[:end])
        rest = rest[end:].lstrip()
    return parts if len(parts) > 1 else [text]


def _unused(wanted: str, used: set[str]) -> str:
    name, number = wanted, 2
    while name in used:
        name, number = f"{wanted}_{number}", number + 1
    used.add(name)
    return name


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text, strict=False), dict)
    except ValueError:
        return False


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _argument_text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
