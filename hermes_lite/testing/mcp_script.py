"""A scripted MCP server: what it offers and how it misbehaves, as data, and its answers as a pure function.

The script is one JSON object; every key is optional:

    name, version, protocol, instructions     what `initialize` answers
    tools            tool objects exactly as they go over the wire, however malformed
    tools_file       a JSON file with a "tools" list; a relative path starts at the script's folder
    page             tools per page of `tools/list`
    resources, templates, prompts              their lists; a resource with "text" or "blob" can be read
    capabilities     instead of those that follow from what is offered
    answers          {TOOL: result object}; without one a tool answers with its name and arguments as JSON text
    errors           {METHOD: {code, message}}
    results          {METHOD: anything at all, sent as the result}
    delays           {METHOD or "call:TOOL" or "start": seconds}
    silent           methods that are never answered
    crash            {"on": METHOD or "start" or "call:TOOL", "code": n, "times": n, "say": "last words on stderr"}
    dies             seconds after `tools/list` was answered
    before, after    raw lines printed before and after the answer to `initialize`
    stderr           lines printed to standard error at the start
    changes          {TOOL: {"tools": [...]}}: the list after a call of TOOL, which `tools/list_changed` tells
    progress         {TOOL: [[done, total, message], ...]} sent before the answer
    asks             {TOOL: {"method": ..., "params": ...}}: a request to the client; its answer is the tool's
    modern           true: no handshake, only discovery (2026-07-28); what `asks` asks then goes into the first answer
    stubborn         true: stays when its input closes, and ignores SIGTERM
    children         true: starts a child process in its group that outlives it unless the group is ended
    record           a file that every received message is appended to, one JSON line each
    state            a file that counts the starts, for `crash.times`

The transports are `hermes_lite.testing.mcp_server` (stdio) and `hermes_lite.testing.mcp_http`.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

Message: TypeAlias = dict[str, Any]

METHOD_NOT_FOUND = -32601
_MODERN = "2026-07-28"


@dataclass(slots=True)
class Script:
    """One server's script and what has changed since it started."""

    data: Mapping[str, Any]
    tools: list[Any] = field(default_factory=list)
    _waiting: dict[Any, Message] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> "Script":
        return cls.of(json.loads(path.read_text(encoding="utf-8")), path.parent)

    @classmethod
    def of(cls, data: Mapping[str, Any], folder: Path) -> "Script":
        tools = list(data.get("tools", ()))
        if "tools_file" in data:
            tools += json.loads((folder / data["tools_file"]).read_text(encoding="utf-8"))["tools"]
        return cls(data, tools)

    @property
    def _foreign(self) -> str:
        """The way of greeting that this server does not know."""
        return "initialize" if self.data.get("modern") else "server/discover"

    def label(self, message: Message) -> str:
        """How `delays`, `silent` and `crash` name this message: a method, or "call:TOOL" where the script says so."""
        method = str(message.get("method", ""))
        if method == "tools/call":
            call = f"call:{message['params']['name']}"
            crash = self.data.get("crash", {}).get("on")
            if call in self.data.get("delays", {}) or call in self.data.get("silent", ()) or call == crash:
                return call
        return method

    def replies(self, message: Message) -> Iterator[Message]:
        """What goes back for `message`, in order: notifications, requests of ours, and at most one answer."""
        method, number = message.get("method"), message.get("id")
        if method is None:
            yield from self._answered(message)
        elif number is not None:
            yield from self._requested(str(method), number, message.get("params") or {})

    def _requested(self, method: str, number: Any, params: Message) -> Iterator[Message]:
        error = self.data.get("errors", {}).get(method)
        if error is not None:
            yield {"jsonrpc": "2.0", "id": number, "error": error}
        elif method in self.data.get("results", {}):
            yield _answer(number, self.data["results"][method])
        elif method == "tools/call":
            yield from self._call(number, params)
        else:
            handler = _HANDLERS.get(method) if method != self._foreign else None
            yield _unknown(number, method) if handler is None else _answer(number, handler(self, params))

    def _call(self, number: Any, params: Message) -> Iterator[Message]:
        name = params["name"]
        token = params.get("_meta", {}).get("progressToken")
        for done, total, text in self.data.get("progress", {}).get(name, ()) if token is not None else ():
            values = {"progressToken": token, "progress": done, "total": total, "message": text}
            yield {"jsonrpc": "2.0", "method": "notifications/progress", "params": values}
        question = self.data.get("asks", {}).get(name)
        if question is not None and self.data.get("modern"):
            yield _answer(number, self._input_required(question, params))
            return
        if question is not None:
            self._waiting[f"ask-{number}"] = {"id": number}
            yield {"jsonrpc": "2.0", "id": f"ask-{number}", **question}
            return
        change = self.data.get("changes", {}).get(name)
        if change is not None:
            self.tools = list(change["tools"])
            yield {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
        said = {"name": name, "arguments": params.get("arguments")}
        yield _answer(number, self.data.get("answers", {}).get(name) or _text(said))

    def _input_required(self, question: Message, params: Message) -> Message:
        if "inputResponses" in params:
            return {"resultType": "complete", **_text(params["inputResponses"])}
        return {"resultType": "input_required", "inputRequests": {"q": question}, "requestState": "kept"}

    def _answered(self, message: Message) -> Iterator[Message]:
        """The client has answered a question of ours: that ends the call which asked it."""
        call = self._waiting.pop(message.get("id"), None)
        if call is not None:
            yield _answer(call["id"], _text(message.get("result", message.get("error"))))

    def _discover(self, params: Message) -> Message:
        offer = {"capabilities": self.data.get("capabilities", self._capabilities()), "supportedVersions": [_MODERN]}
        return {**offer, "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}

    def _initialize(self, params: Message) -> Message:
        data = self.data
        return {
            "protocolVersion": data.get("protocol", params.get("protocolVersion")),
            "capabilities": data.get("capabilities", self._capabilities()),
            "serverInfo": {"name": data.get("name", "scripted"), "version": data.get("version", "1")},
            **({"instructions": data["instructions"]} if "instructions" in data else {}),
        }

    def _capabilities(self) -> Message:
        offered: Message = {name: {} for name in ("resources", "prompts") if self.data.get(name)}
        return {"tools": {"listChanged": True}, **offered}

    def _list_tools(self, params: Message) -> Message:
        size = self.data.get("page") or len(self.tools) or 1
        start = int(params.get("cursor") or 0)
        more = {"nextCursor": str(start + size)} if start + size < len(self.tools) else {}
        return {"tools": self.tools[start : start + size], **more}

    def _read_resource(self, params: Message) -> Message:
        found = [item for item in self.data.get("resources", ()) if item["uri"] == params["uri"]]
        return {
            "contents": [
                {key: item[key] for key in ("uri", "mimeType", "text", "blob") if key in item} for item in found
            ]
        }

    def _get_prompt(self, params: Message) -> Message:
        text = json.dumps({"prompt": params["name"], "arguments": params.get("arguments")})
        return {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}


_HANDLERS = {
    "server/discover": Script._discover,
    "initialize": Script._initialize,
    "ping": lambda script, params: {},
    "tools/list": Script._list_tools,
    "resources/list": lambda script, params: {"resources": _listed(script.data.get("resources", ()))},
    "resources/templates/list": lambda script, params: {"resourceTemplates": list(script.data.get("templates", ()))},
    "resources/read": Script._read_resource,
    "prompts/list": lambda script, params: {"prompts": list(script.data.get("prompts", ()))},
    "prompts/get": Script._get_prompt,
}


def _listed(resources: Any) -> list[Message]:
    return [{key: value for key, value in item.items() if key not in ("text", "blob")} for item in resources]


def _answer(number: Any, result: Any) -> Message:
    return {"jsonrpc": "2.0", "id": number, "result": result}


def _unknown(number: Any, method: str) -> Message:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": METHOD_NOT_FOUND, "message": f"no method {method}"}}


def _text(value: Any) -> Message:
    return {"content": [{"type": "text", "text": json.dumps(value, ensure_ascii=False)}]}
