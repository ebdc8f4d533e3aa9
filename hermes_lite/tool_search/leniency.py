"""The lists that `tool_search` and `tool_describe` take, however a model wrote them.

One string for a list, a JSON string of the list, a name in the singular, objects where strings belong: all are the
same list. Source: section 5 of the tool-search design ("accepted leniently").
"""

from collections.abc import Iterator, Mapping
from typing import Any

from hermes_lite.tools.argument_text import decode

QUERIES = ("queries", "query", "q", "search")
NAMES = ("names", "name", "tools", "tool", "tool_name", "tool_names")


def texts(arguments: Mapping[str, Any], spellings: tuple[str, ...]) -> list[str]:
    """The strings under the first of `spellings` that `arguments` has, trimmed, without blanks and repetitions."""
    given = next((arguments[key] for key in spellings if arguments.get(key) is not None), None)
    return list(dict.fromkeys(text for text in _strings(given, spellings) if text))


def _strings(value: Any, spellings: tuple[str, ...]) -> Iterator[str]:
    match value:
        case str():
            inner = _json_list(value)
            yield from _strings(inner, spellings) if inner is not None else [value.strip()]
        case list():
            for item in value:
                yield from _strings(item, spellings)
        case dict():
            yield from _strings(next((value[key] for key in spellings if key in value), None), spellings)
        case int() | float() if not isinstance(value, bool):
            yield str(value)


def _json_list(text: str) -> list[Any] | None:
    if not text.lstrip().startswith("["):
        return None
    value = decode(text)
    return value if isinstance(value, list) else None
