"""From the text that a model wrote as arguments to a value, or to a refusal that quotes the text.

Only what can be read in one way is read: an unreadable text never becomes `{}`. What the values mean to a tool is
settled in `arguments`. Source: S-B1, S-B4, S-B6, S-B11 and S-F20 of the robustness page.
"""

import json
from dataclasses import dataclass
from typing import Any

import regex

from hermes_lite.text import clean_surrogates, cut, one_line

_QUOTED, _LOOKED_AT = 300, 3000
_ENCODINGS = 3
_NESTING = 100
_STRING = regex.compile(r'"(?:[^"\\]|\\.)*+"', regex.DOTALL)
_ESCAPE = regex.compile(r"\\(u[0-9A-Fa-f]{4}|.)", regex.DOTALL)
_VALID = frozenset('"\\/bfnrt')
_FENCE = regex.compile(r"\s*```[a-z]*\s*\n(.*?)\n?\s*```\s*", regex.DOTALL)


@dataclass(frozen=True, slots=True)
class Malformed:
    """Text that is no arguments object: what was given, and why it cannot be read."""

    given: str
    reason: str

    def refusal(self, name: str) -> str:
        """What the model is told; the call of `name` was not run."""
        return (
            f"NOT RUN: {name} was not invoked, because its arguments could not be read: {self.reason}.\n"
            f"Given: {cut(one_line(self.given[:_LOOKED_AT]), _QUOTED)}\n"
            "Send the call again with the arguments as one JSON object."
        )


def parse(text: str | None) -> dict[str, Any] | Malformed:
    """The arguments object that `text` holds. Blank text and `null` are `{}`: a call without arguments."""
    value = decode(text)
    if value is None:
        return {}
    if isinstance(value, dict | Malformed):
        return value
    return Malformed(text or "", f"they are of type {kind(value)}, not an object")


def decode(text: str | None) -> Any:
    """The JSON value in `text`, encoded up to three times over; `None` when blank, `Malformed` when unreadable."""
    value: Any = text
    for _ in range(_ENCODINGS):
        if not isinstance(value, str):
            break
        value = _once(value)
    if isinstance(value, str):
        return Malformed(text or "", "they are of type string, not an object")
    return Malformed(text or "", value.reason) if isinstance(value, Malformed) else value


def dump(value: Any) -> str:
    """`value` as the one canonical JSON text: compact, keys in their order, nothing that UTF-8 cannot carry."""
    return clean_surrogates(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def is_object(text: str) -> bool:
    """Whether `text` is, as it stands, the JSON text of an object that every reader accepts."""
    try:
        return isinstance(json.loads(text), dict) and clean_surrogates(text) == text
    except (ValueError, RecursionError):
        return False


def too_deep(value: Any, most: int = _NESTING) -> bool:
    """Whether `value` is nested more deeply than whatever walks it by recursion should have to follow."""
    layer = [value]
    for _ in range(most):
        layer = [inner for item in layer if isinstance(item, dict | list) for inner in _members(item)]
        if not layer:
            return False
    return True


def _members(value: dict[str, Any] | list[Any]) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value


def kind(value: Any) -> str:
    """The JSON name of the type of `value`."""
    return _KINDS.get(type(value), type(value).__name__)


_KINDS: dict[type, str] = {
    dict: "object",
    list: "array",
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
}


def _once(text: str) -> Any:
    if not text.strip():
        return None
    fenced = _FENCE.fullmatch(text)
    bare = fenced[1] if fenced else text
    try:
        return _loads(bare)
    except json.JSONDecodeError as error:
        return _second_reading(bare, error)
    except (ValueError, RecursionError):
        return Malformed(text, "they hold a number or a nesting that is out of bounds")


def _second_reading(text: str, error: json.JSONDecodeError) -> Any:
    mended = _with_plain_backslashes(text)
    if mended is not None and mended != text:
        try:
            return _loads(mended)
        except (ValueError, RecursionError):
            pass
    return Malformed(text, _reason(text, error))


def _reason(text: str, error: json.JSONDecodeError) -> str:
    if error.msg == "Extra data":
        return f"another value follows the first one at character {error.pos}"
    if "escape" in error.msg:
        return "a backslash is not escaped (write \\\\ for one backslash)"
    if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated"):
        return "they end in the middle"
    return f"{error.msg} at character {error.pos}"


def _loads(text: str) -> Any:
    value = json.loads(text, strict=False, parse_constant=_no_constant)
    if too_deep(value):
        raise ValueError("nested too deeply")
    return json.loads(dump(value)) if "\\u" in text else value


def _no_constant(name: str) -> Any:
    raise json.JSONDecodeError(f"{name} is not JSON", name, 0)


def _with_plain_backslashes(text: str) -> str | None:
    r"""`text` with the backslashes doubled in each string whose author plainly escaped none (`C:\path`, `\d+`).

    A string that also holds an escape which JSON knows could mean either: `None`.
    """
    strings = list(_STRING.finditer(text))
    if any(_reading(match[0]) == "either" for match in strings):
        return None
    return _STRING.sub(lambda match: _doubled(match[0]) if _reading(match[0]) == "plain" else match[0], text)


def _reading(string: str) -> str:
    escapes = [match[1] for match in _ESCAPE.finditer(string) if match[1] != '"']
    known = [escape for escape in escapes if escape in _VALID or len(escape) > 1]
    if len(known) == len(escapes):
        return "escaped"
    return "either" if known else "plain"


def _doubled(string: str) -> str:
    return _ESCAPE.sub(lambda match: match[0] if match[1] == '"' else "\\" + match[0], string)
