"""What servers really send, made into what the protocol says: framing of lines and mending of results.

Pure functions over bytes and parsed JSON. Lines that are no JSON-RPC 2.0 object are set aside as noise; one tool with
a schema that a strict reader rejects never costs the others. Who sends what is described in the MCP specification,
2025-11-25, `server/tools`; the repairs answer faults seen in published servers. What 2026-07-28 demands beyond that
is filled in where a server leaves it out; older readers ignore it.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from hermes_lite.text import clean_surrogates, cut
from hermes_lite.tools.argument_text import too_deep

_QUOTED, _INTERNAL, _DEEPEST = 80, -32603, 200
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
OPEN_OBJECT: Mapping[str, Any] = {"type": "object"}
_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
_COMPLETE = {"resultType": "complete"}
_FRESH = {**_COMPLETE, "ttlMs": 0, "cacheScope": "private"}
_LIST_FIELDS = {"nextCursor": str, "_meta": dict, "resultType": str, "ttlMs": int, "cacheScope": str}
_ITEM_FIELDS: Mapping[str, Mapping[str, type]] = {
    "text": {"text": str},
    "image": {"data": str, "mimeType": str},
    "audio": {"data": str, "mimeType": str},
    "resource": {"resource": dict},
    "resource_link": {"uri": str, "name": str, "title": str, "description": str, "mimeType": str},
}
_ITEM_NEEDS = {**{kind: tuple(fields) for kind, fields in _ITEM_FIELDS.items()}, "resource_link": ("uri", "name")}
_RESOURCE_FIELDS: Mapping[str, type] = {"uri": str, "mimeType": str, "text": str, "blob": str}


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


def parsed(line: bytes) -> Any:
    """The JSON value on `line`, without lone surrogates, which no encoder takes back. Raises `ValueError`."""
    text = line.decode("utf-8", "replace")
    value = json.loads(text)
    if _SURROGATE.search(text) is None:
        return value
    return json.loads(clean_surrogates(json.dumps(value, ensure_ascii=False)))


def lawful(message: Any) -> Any:
    """`message` with an answer that no reader would take made one that is taken: its caller would wait in vain."""
    if not isinstance(message, dict) or message.get("id") is None or "method" in message:
        return message
    frame = {"jsonrpc": "2.0", "id": message["id"]}
    if message.get("error") is not None:
        return {**frame, "error": _lawful_error(message["error"])}
    if isinstance(message.get("result"), dict):
        return {**frame, "result": message["result"]}
    if "result" not in message:
        return message
    given = cut(json.dumps(message["result"], ensure_ascii=False), _QUOTED)
    return {**frame, "error": {"code": _INTERNAL, "message": f"its answer is not what the protocol says: {given}"}}


def _lawful_error(error: Any) -> dict[str, Any]:
    error = error if isinstance(error, dict) else {"message": error}
    code, words = error.get("code"), error.get("message", "it gave no reason")
    return {
        "code": code if type(code) is int else _INTERNAL,
        "message": words if isinstance(words, str) else json.dumps(words, ensure_ascii=False),
        **({"data": error["data"]} if "data" in error else {}),
    }


def mend(result: dict[str, Any]) -> dict[str, Any]:
    """A result as a strict reader accepts it. Only greetings, tool lists and call results are touched."""
    if "protocolVersion" in result and "capabilities" in result:
        return {**result, "capabilities": _mended_capabilities(result["capabilities"])}
    if isinstance(result.get("tools"), list):
        return {**_FRESH, **_fields(result, _LIST_FIELDS), "tools": [mended_tool(tool) for tool in result["tools"]]}
    if "content" in result or "structuredContent" in result:
        return _mended_call(result)
    return result


def _mended_capabilities(offered: Any) -> dict[str, Any]:
    """What is offered by a plain `true` or an empty list is offered; what is `null` or `false` is not."""
    named = offered if isinstance(offered, dict) else {}
    return {
        name: value if isinstance(value, dict) else {}
        for name, value in named.items()
        if value is not None and value is not False
    }


def mended_tool(tool: Any) -> dict[str, Any]:
    """`tool` reduced to fields of the right type; blank is the name of one that has none, which nothing can mend."""
    tool = tool if isinstance(tool, dict) else {}
    name = tool.get("name")
    mended: dict[str, Any] = {
        "name": name if isinstance(name, str) else "",
        "inputSchema": _object_schema(tool.get("inputSchema")),
    }
    mended |= _fields(tool, {"description": str, "title": str, "_meta": dict})
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
    """`schema` when it describes an object; with the `type` it forgot; else, or when endless, an open one."""
    if not isinstance(schema, dict) or schema.get("type", "object") != "object" or too_deep(schema, _DEEPEST):
        return dict(OPEN_OBJECT)
    mended = {**schema, "type": "object"}
    if not _is_property_table(mended.get("properties", {})):
        return dict(OPEN_OBJECT)
    required = mended.get("required", [])
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        del mended["required"]
    if not isinstance(mended.get("$schema", ""), str):
        del mended["$schema"]
    return mended


def _is_property_table(properties: Any) -> bool:
    return isinstance(properties, dict) and all(isinstance(value, dict | bool) for value in properties.values())


def _mended_call(result: Mapping[str, Any]) -> dict[str, Any]:
    content, structured = result.get("content"), result.get("structuredContent")
    items = content if isinstance(content, list) else [] if content is None else [content]
    mended: dict[str, Any] = {**_COMPLETE, "content": [_mended_item(item) for item in items]}
    mended["isError"] = bool(result.get("isError"))
    if isinstance(structured, dict):
        mended["structuredContent"] = structured
    elif structured is not None and not items:
        mended["content"] = [_as_text(structured)]
    return mended | _fields(result, {"_meta": dict, "resultType": str})


def _mended_item(item: Any) -> dict[str, Any]:
    """`item` reduced to the fields of its kind; the whole of it as text when it is not of a kind that we know."""
    kind = item.get("type") if isinstance(item, dict) else None
    if not isinstance(kind, str) or kind not in _ITEM_FIELDS:
        return _as_text(item)
    mended = _fields(item, _ITEM_FIELDS[kind])
    if kind == "resource" and "resource" in mended:
        mended["resource"] = _fields(mended["resource"], _RESOURCE_FIELDS)
        if "uri" not in mended["resource"] or not mended["resource"].keys() & {"text", "blob"}:
            return _as_text(item)
    return {"type": kind, **mended} if all(name in mended for name in _ITEM_NEEDS[kind]) else _as_text(item)


def _fields(mapping: Mapping[str, Any], wanted: Mapping[str, type]) -> dict[str, Any]:
    """The fields of `mapping` that are wanted and of the right type."""
    return {name: mapping[name] for name, kind in wanted.items() if isinstance(mapping.get(name), kind)}


def _as_text(value: Any) -> dict[str, Any]:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return {"type": "text", "text": text}
