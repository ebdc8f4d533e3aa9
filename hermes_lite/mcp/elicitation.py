"""A server's question to the person, put through the same door as every other question.

A form becomes one question a field, with the choices that its schema names; a blank answer takes the default that the
schema gives, else leaves an optional field out. An address is shown and never opened by us. Nobody to ask, or no
answer, declines: a server never gets a made-up value. Schema of the form: MCP specification 2025-11-25,
`client/elicitation`.
"""

from collections.abc import Mapping
from typing import Any

import mcp_types as types

from hermes_lite.text import cut, one_line
from hermes_lite.tools.spec import Ask, Question

_DECLINED = types.ElicitResult(action="decline")
_CANCELLED = types.ElicitResult(action="cancel")
_DONE, _NO = "done", "no"
_SHOWN = 60


async def elicit(server: str, params: types.ElicitRequestParams, ask: Ask | None) -> types.ElicitResult:
    """Ask the person what `server` wants to know."""
    if ask is None:
        return _DECLINED
    if isinstance(params, types.ElicitRequestURLParams):
        text = f"{server} asks you to open {one_line(params.url)} : {one_line(params.message)}"
        return types.ElicitResult(action="accept") if await ask(Question(text, (_DONE, _NO))) == _DONE else _DECLINED
    return await _form(server, one_line(params.message), params.requested_schema, ask)


async def _form(server: str, message: str, schema: Mapping[str, Any], ask: Ask) -> types.ElicitResult:
    required = set(schema.get("required") or ())
    content: dict[str, Any] = {}
    for name, field in (schema.get("properties") or {}).items():
        answer = await ask(_question(server, message, name, field, name in required))
        if answer is None:
            return _CANCELLED
        if not answer.strip() and "default" in field:
            content[name] = field["default"]
        elif answer.strip() or name in required:
            try:
                content[name] = _value(field, answer.strip())
            except ValueError:
                return _DECLINED
    return types.ElicitResult(action="accept", content=content)


def _question(server: str, message: str, name: str, field: Mapping[str, Any], required: bool) -> Question:
    label = one_line(" ".join(str(field.get(part) or "") for part in ("title", "description"))) or one_line(name)
    options = tuple(_options(field))
    if field.get("type") == "array" and options:
        label, options = f"{label}; any of {', '.join(options)}, with commas between", ()
    return Question(f"{server} asks: {message} · {label}{_if_blank(field, required)}", options)


def _if_blank(field: Mapping[str, Any], required: bool) -> str:
    """What becomes of a blank answer, as a remark behind the question."""
    optional = "" if required else "optional"
    if "default" not in field:
        return optional and f" ({optional})"
    labels = {str(value): label for label, value in _options(field).items()}
    given = field["default"] if isinstance(field["default"], list) else [field["default"]]
    shown = cut(one_line(", ".join(labels.get(str(value), str(value)) for value in given)), _SHOWN)
    return f" ({optional and f'{optional}; '}blank: {shown})"


def _options(field: Mapping[str, Any]) -> dict[str, Any]:
    """What may be chosen, by its label. Titles stand in `oneOf` or `anyOf`, in the older form in `enumNames`."""
    if field.get("type") == "boolean":
        return {"yes": True, "no": False}
    if field.get("type") == "array":
        return _options(field["items"]) if isinstance(field.get("items"), Mapping) else {}
    titled = field.get("oneOf") or field.get("anyOf")
    if isinstance(titled, list):
        return {one_line(str(item.get("title", item["const"]))): item["const"] for item in titled if "const" in item}
    values = list(field.get("enum") or ())
    labels: list[Any] = field["enumNames"] if isinstance(field.get("enumNames"), list) else values
    return {one_line(str(label)): value for label, value in zip(labels, values, strict=False)}


def _value(field: Mapping[str, Any], answer: str) -> Any:
    """`answer` in the type of `field`. Raises `ValueError` when it cannot be that."""
    options = _options(field)
    match field.get("type"):
        case "boolean":
            return _yes_or_no(answer)
        case "integer":
            return int(answer)
        case "number":
            return float(answer)
        case "array":
            return [options.get(part.strip(), part.strip()) for part in answer.split(",") if part.strip()]
        case _:
            return options.get(answer, answer)


def _yes_or_no(answer: str) -> bool:
    if answer.lower() in ("yes", "y", "true"):
        return True
    if answer.lower() in ("no", "n", "false"):
        return False
    raise ValueError(answer)
