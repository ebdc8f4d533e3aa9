"""The JSON values in a reply that is nothing but JSON: bare, fenced, tagged, in a row, or with doubled braces.

Some models print a call instead of making it. Only the writing is settled here; whether the values are calls of
known tools is `unwrap`'s business. JSON inside prose is never read, nor is a value that does not end.
Source: section 5.3 of the tool-search design; S-C4 of the robustness page.
"""

import json
from typing import Any

import regex

from hermes_lite.tools.argument_text import too_deep

_LONGEST = 100_000
_FENCED = regex.compile(r"\s*```[\w-]*[ \t]*\n?(.*?)\n?[ \t]*```", regex.DOTALL)
_TAGGED = regex.compile(
    r"\s*<\|?(tool_calls?|function_calls?|tools?|function)\|?>(.*?)<[/|]{1,2}\1\|?>", regex.DOTALL
)
_NAMED = regex.compile(r"\s*<function=([^<>\s]+)>(.*?)</function>", regex.DOTALL)
_MARK = regex.compile(r"^\s*(?:\[TOOL_CALLS\]|<\|python_tag\|>)\s*")
_OPENING = regex.compile(
    r"\s*(?:\[TOOL_CALLS\]|<\|python_tag\|>)?\s*(?:```[\w-]*\s*)?"
    r"(?:<\|?(?:tool_calls?|function_calls?|tools?|function)\|?>\s*|<function=[^<>\s]+>\s*)?"
    r"(?:\{\s*[\"{}]|\[\s*[\[\]{\"])"
)
_BETWEEN = regex.compile(r"[\s;,]*")


def may_be_values(start: str) -> bool:
    """Whether a reply that starts like `start` may still turn out to be nothing but JSON; blank may."""
    return _OPENING.match(start, partial=True) is not None


def values(text: str) -> list[Any]:
    """The JSON values that make up all of `text`; none when anything else stands there."""
    if len(text) > _LONGEST:
        return []
    text = _MARK.sub("", text)
    for pattern in (_FENCED, _TAGGED):
        inside = _all(pattern, text)
        if inside is not None:
            found = [values(part[-1]) for part in inside]
            return [value for part in found for value in part] if all(found) else []
    named = _all(_NAMED, text)
    if named is not None:
        found = [_row(arguments) for _, arguments in named]
        calls = [{"name": name, "arguments": part[0]} for (name, _), part in zip(named, found, strict=True) if part]
        return calls if len(calls) == len(named) else []
    return next((row for reading in _readings(text) if (row := _row(reading))), [])


def _all(pattern: Any, text: str) -> list[tuple[str, ...]] | None:
    """The groups of each match when matches, one behind the other, are all there is."""
    found: list[tuple[str, ...]] = []
    text, position = text.strip(), 0
    while position < len(text) or not found:
        match = pattern.match(text, position)
        if match is None:
            return None
        found.append(match.groups())
        position = match.end()
    return found


def _readings(text: str) -> list[str]:
    text = text.strip()
    if not (text.startswith("{{") and text.endswith("}}")):
        return [text]
    return [text, text[1:-1], text.replace("{{", "{").replace("}}", "}")]


def _row(text: str) -> list[Any]:
    """The values that stand one after the other in `text`; none when one of them cannot be read."""
    found: list[Any] = []
    position = _next(text, 0)
    while position < len(text):
        try:
            value, position = json.JSONDecoder(strict=False).raw_decode(text, position)
        except (ValueError, RecursionError):
            return []
        if too_deep(value):
            return []
        found.append(value)
        position = _next(text, position)
    return found


def _next(text: str, position: int) -> int:
    between = _BETWEEN.match(text, position)
    return between.end() if between else position
