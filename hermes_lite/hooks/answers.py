"""What a hook said, whichever of the common dialects it speaks.

A hook blocks with exit code 2 and a reason on standard error, or with JSON on standard output:
`{"decision": "block", "reason": ...}`, `{"action": "block", "message": ...}`,
`{"continue": false, "stopReason": ...}` or
`{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": ..., "updatedInput": {...}}}`.
It changes arguments with `updatedInput` there, which takes the place of them all, or with `tool_input`, there or at
the top, which is laid over them. Allowing is silence: no hook can take a question from the person, so "allow" and
"approve" say nothing.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_BLOCKING = frozenset(("block", "deny", "reject"))
_NO_REASON = "it gave no reason"


@dataclass(frozen=True, slots=True)
class HookAnswer:
    """`block` is the reason not to go on, `ask` why the person must be asked; `note` is a line for the person.

    `arguments` replace those of the call, `over` is laid over them.
    """

    block: str | None = None
    ask: str | None = None
    arguments: Mapping[str, Any] | None = None
    over: Mapping[str, Any] | None = None
    note: str | None = None

    def changed(self, arguments: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """What `arguments` become; `None` when they stay as they are."""
        base = arguments if self.arguments is None else self.arguments
        new = {**base, **(self.over or {})}
        return None if new == arguments else new


def read_answer(text: str) -> HookAnswer:
    """The answer in what a hook printed; anything but a JSON object says nothing. Raises `ValueError` if broken."""
    text = text.strip()
    if not text.startswith("{"):
        return HookAnswer()
    try:
        return answer_of(json.loads(text))
    except json.JSONDecodeError as error:
        raise ValueError(f"its answer is not JSON ({error.msg} at character {error.pos})") from None


def answer_of(said: Mapping[str, Any]) -> HookAnswer:
    """The answer in a JSON object. Raises `ValueError` when changed arguments are not an object."""
    specific = said.get("hookSpecificOutput")
    specific = specific if isinstance(specific, Mapping) else {}
    decision = specific.get("permissionDecision") or said.get("decision") or said.get("action")
    reason = _reason(specific, said)
    blocks = decision in _BLOCKING or said.get("continue") is False
    return HookAnswer(
        block=reason if blocks else None,
        ask=reason if decision == "ask" and not blocks else None,
        arguments=_arguments(specific.get("updatedInput")),
        over=_arguments(specific.get("tool_input", said.get("tool_input"))),
        note=str(said["systemMessage"]) if said.get("systemMessage") else None,
    )


def _arguments(given: Any) -> Mapping[str, Any] | None:
    if given is not None and not isinstance(given, Mapping):
        raise ValueError("the arguments it gave are not an object")
    return given


def _reason(specific: Mapping[str, Any], said: Mapping[str, Any]) -> str:
    found = specific.get("permissionDecisionReason") or said.get("reason") or said.get("message")
    return str(found or said.get("stopReason") or _NO_REASON)
