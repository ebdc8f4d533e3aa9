"""Writes values as YAML: one-line (flow) form, block form, and the quoting that reads back as the same value."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

# Text that needs no quotes anywhere, flow collections included, and that no YAML reader takes for another type.
_BARE = re.compile(r"[A-Za-z_/][\w./@+~*=%-]*(?:[ :][\w./@+~*=%-]+)*", re.ASCII)
_TYPED = frozenset(("true", "false", "null", "yes", "no", "y", "n"))
_ESCAPED = re.compile(r'["\\]|[^\x20-\x7e\xa0-\ud7ff\ue000-\ufdff\U00010000-\U0010ffff]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def written(value: Any) -> str:
    """`value` on one line."""
    match value:
        case bool():
            return "true" if value else "false"
        case None:
            return "null"
        case int() | float():
            return str(value)
        case str():
            return text(value)
        case Mapping():
            return "{" + ", ".join(f"{text(str(key))}: {written(each)}" for key, each in value.items()) + "}"
        case _:
            return "[" + ", ".join(written(each) for each in value) + "]"


def text(value: str, quote: str = "") -> str:
    """`value` as a scalar; `quote` is the style to keep where it can hold the text."""
    if quote == "'" and value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    if not quote and _BARE.fullmatch(value) and value.lower() not in _TYPED:
        return value
    return '"' + _ESCAPED.sub(_escape, value) + '"'


def block(value: Any, indent: int = 0) -> str:
    """`value` as what stands after `key:`, its first line included: ` 5`, ` [a, b]`, or indented lines below."""
    pad = " " * indent
    if isinstance(value, Mapping) and value:
        return "".join(f"\n{pad}{text(str(key))}:{block(each, indent + 2)}" for key, each in value.items())
    if _is_tall(value):
        return "".join(f"\n{pad}- {written_item(each)}" for each in value)
    return " " + written(value)


def written_item(value: Any) -> str:
    """`value` as what stands after `- ` in a block list."""
    if isinstance(value, Mapping) and len(value) == 1:
        [(key, each)] = value.items()
        return f"{text(str(key))}: {written(each)}"
    return written(value)


def printed(value: Any) -> str:
    """`value` for a person: a single value bare, anything else as YAML lines."""
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence) and value:
        return "\n".join(f"- {written_item(each)}" for each in value)
    return block(value).strip()


def one_json_line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _is_tall(value: Any) -> bool:
    return isinstance(value, list | tuple) and any(isinstance(each, Mapping) for each in value)


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    code = ord(char)
    if char in _SHORT:
        return _SHORT[char]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
