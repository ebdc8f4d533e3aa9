"""Resources and prompts of a server, offered as tools beside its own: `read_resource` and `get_prompt`.

A server gets such a tool only when it has something to read, and never in place of a tool of its own. The first
names stand in the description, so that a search for one of them finds the door to it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hermes_lite.mcp.rows import Tool
from hermes_lite.text import cut, one_line

READ_RESOURCE = "read_resource"
GET_PROMPT = "get_prompt"
_NAMED = 20
_LINE = 100


@dataclass(frozen=True, slots=True)
class Extras:
    """What a server offers besides tools, as parsed JSON. Templates are resources whose address has blanks."""

    resources: tuple[dict[str, Any], ...] = ()
    templates: tuple[dict[str, Any], ...] = ()
    prompts: tuple[dict[str, Any], ...] = ()

    def tools(self, own: Sequence[Tool]) -> list[Tool]:
        """The definitions of the tools to add to the server's `own`."""
        taken = {tool["name"] for tool in own}
        offered = [_read_resource(self)] if self.resources or self.templates else []
        offered += [_get_prompt(self)] if self.prompts else []
        return [tool for tool in offered if tool["name"] not in taken]

    def resource_list(self) -> str:
        return "\n".join(_resource_line(item) for item in (*self.resources, *self.templates))

    def prompt_list(self) -> str:
        return "\n".join(_prompt_line(item) for item in self.prompts)


def prompt_text(messages: Sequence[dict[str, Any]]) -> str:
    """The text of a prompt's messages, each under its role."""
    return "\n\n".join(f"{item['role']}: {item['content'].get('text', item['content'])}" for item in messages)


def _read_resource(extras: Extras) -> Tool:
    names = [_resource_line(item) for item in (*extras.resources, *extras.templates)]
    return {
        "name": READ_RESOURCE,
        "description": "Read a resource of this server by its address; without one, list them all.\n" + _head(names),
        "inputSchema": {
            "type": "object",
            "properties": {"uri": {"type": "string", "description": "address of the resource"}},
        },
        "annotations": {"readOnlyHint": True},
        "extra": True,
    }


def _get_prompt(extras: Extras) -> Tool:
    names = [_prompt_line(item) for item in extras.prompts]
    return {
        "name": GET_PROMPT,
        "description": "Get a prompt text of this server by its name; without one, list them all.\n" + _head(names),
        "inputSchema": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "name of the prompt"},
                "arguments": {"type": "object", "additionalProperties": {"type": "string"}},
            },
        },
        "annotations": {"readOnlyHint": True},
        "extra": True,
    }


def _head(lines: Sequence[str]) -> str:
    more = [f"and {len(lines) - _NAMED} more"] if len(lines) > _NAMED else []
    return "\n".join([*lines[:_NAMED], *more])


def _resource_line(item: dict[str, Any]) -> str:
    address = item.get("uri") or item.get("uriTemplate") or ""
    return cut(
        one_line(f"{address} {item.get('title') or item.get('name') or ''}: {item.get('description') or ''}"), _LINE
    )


def _prompt_line(item: dict[str, Any]) -> str:
    arguments = ", ".join(
        argument["name"] + ("" if argument.get("required") else "?") for argument in item.get("arguments") or ()
    )
    return cut(one_line(f"{item['name']}({arguments}): {item.get('description') or ''}"), _LINE)
