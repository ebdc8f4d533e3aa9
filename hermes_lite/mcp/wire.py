"""What servers really send, made into what the protocol says: framing of lines and mending of results.

Pure functions over bytes and parsed JSON. Lines that are no JSON-RPC 2.0 object are set aside as noise; one tool with
a schema that a strict reader rejects never costs the others. Who sends what is described in the MCP specification,
2025-11-25, `server/tools`; the repairs answer faults seen in published servers.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from hermes_lite.text import clean_surrogates

OPEN_OBJECT: Mapping[str, Any] = {"type": "object"}
_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
_CONTENT_FIELDS = {
    "text": ("text", str),
    "image": ("data", str),
    "audio": ("data", str),
    "resource": ("resource", dict),
    "resource_link": ("uri", str),
}


class LineTooLong(ValueError):
    """A server has sent more bytes without a line end than the limit allows."""


@dataclass(slots=True)
class Lines:
    """Cuts a byte stream into lines of at most `limit` bytes; space around a line and empty lines are dropped."""

    limit: int
    _parts: list[bytes] = field(default_factory=list)
    _size: int = 0

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The lines that `chunk` completes. Raises `LineTooLong`."""
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            line = b"".join((*self._parts, end)).strip()
            self._parts, self._size = [], 0
            if line:
                yield line
        self._parts.append(rest)
        self._size += len(rest)
        if self._size > self.limit:
            raise LineTooLong(f"more than {self.limit} bytes on one line")


def is_message(line: bytes) -> bool:
    """Whether `line` can be a JSON-RPC 2.0 object at all (cheap; the parser has the last word)."""
    return line.startswith(b"{") and b'"jsonrpc"' in line


def without_surrogates(line: bytes) -> bytes:
    """`line` without the escaped lone surrogates that strict parsers refuse. Raises `ValueError` if it is no JSON."""
    return clean_surrogates(json.dumps(json.loads(line.decode("utf-8", "replace")), ensure_ascii=False)).encode()


def mend(result: dict[str, Any]) -> dict[str, Any]:
    """A result as a strict reader accepts it. Only tool lists and call results are touched."""
    if isinstance(result.get("tools"), list):
        tools = [tool for tool in map(mended_tool, result["tools"]) if tool is not None]
        cursor = result.get("nextCursor")
        return {**_without(result, "nextCursor"), "tools": tools, **({"nextCursor": cursor} if cursor else {})}
    if "content" in result or "structuredContent" in result:
        return _mended_call(result)
    return result


def mended_tool(tool: Any) -> dict[str, Any] | None:
    """`tool` reduced to fields of the right type; `None` when it has no name, which nothing can mend."""
    if not isinstance(tool, dict) or not isinstance(tool.get("name"), str):
        return None
    mended: dict[str, Any] = {"name": tool["name"], "inputSchema": _object_schema(tool.get("inputSchema"))}
    for name, kind in (("description", str), ("title", str), ("_meta", dict)):
        if isinstance(tool.get(name), kind):
            mended[name] = tool[name]
    annotations = tool.get("annotations")
    if isinstance(annotations, dict):
        mended["annotations"] = {
            hint: annotations[hint] for hint in _HINTS if isinstance(annotations.get(hint), bool)
        }
    output = tool.get("outputSchema")
    if isinstance(output, dict) and output.get("type") == "object" and _object_schema(output) == output:
        mended["outputSchema"] = output
    if isinstance(tool.get("execution"), dict) and tool["execution"].get("taskSupport") == "required":
        mended["execution"] = {"taskSupport": "required"}
    return mended


def _object_schema(schema: Any) -> dict[str, Any]:
    """`schema` when it describes an object; with the `type` it forgot; else an open object."""
    if not isinstance(schema, dict) or schema.get("type", "object") != "object":
        return dict(OPEN_OBJECT)
    mended = {**schema, "type": "object"}
    if not _is_property_table(mended.get("properties", {})):
        return dict(OPEN_OBJECT)
    required = mended.get("required", [])
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        mended.pop("required")
    if not isinstance(mended.get("$schema", ""), str):
        mended.pop("$schema")
    return mended


def _is_property_table(properties: Any) -> bool:
    return isinstance(properties, dict) and all(isinstance(value, dict | bool) for value in properties.values())


def _mended_call(result: dict[str, Any]) -> dict[str, Any]:
    content = result.get("content")
    items = content if isinstance(content, list) else [] if content is None else [content]
    mended = {**result, "content": [_mended_item(item) for item in items]}
    if not isinstance(result.get("isError", False), bool):
        mended["isError"] = bool(result["isError"])
    structured = result.get("structuredContent")
    if structured is not None and not isinstance(structured, dict):
        mended.pop("structuredContent")
        mended["content"] = mended["content"] or [_as_text(structured)]
    return mended if mended.get("structuredContent") is not None else _without(mended, "structuredContent")


def _mended_item(item: Any) -> dict[str, Any]:
    if not isinstance(item, dict):
        return _as_text(item)
    known = _CONTENT_FIELDS.get(str(item.get("type")))
    if known is None or not isinstance(item.get(known[0]), known[1]):
        return _as_text(item)
    return _without(item, "annotations")


def _as_text(value: Any) -> dict[str, Any]:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return {"type": "text", "text": text}


def _without(mapping: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if key != name}
