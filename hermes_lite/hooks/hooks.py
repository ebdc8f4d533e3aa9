"""Lets commands and functions of the person see what happens, and stop or change a call before it runs.

Hooks of one event run in their configured order; the first that blocks ends it, and each sees the arguments as the
one before left them. They are told the real tool, never the bridge, and the event by the name that they stand under.
A hook that crashes does not block and is noted. Before a tool runs, and before a prompt is sent, one that takes too
long or cannot be started does block: a guard that cannot speak has not agreed.
"""

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

import anyio

from hermes_lite.config.hook_events import EVENT_NAMES, Event
from hermes_lite.hooks.answers import HookAnswer, answer_of
from hermes_lite.hooks.commands import CannotStart, CommandHook, Crashed
from hermes_lite.hooks.matching import matches
from hermes_lite.messages import Via
from hermes_lite.tools.functions import call

Source: TypeAlias = Literal["startup", "resume"]
HookFunction: TypeAlias = Callable[
    [Mapping[str, Any]], Mapping[str, Any] | Awaitable[Mapping[str, Any] | None] | None
]
_GUARDS = frozenset(("pre_tool_call", "user_prompt"))
# What a matcher looks at; for the other events it says nothing.
_MATCHED: Mapping[Event, str] = {
    "pre_tool_call": "tool_name",
    "post_tool_call": "tool_name",
    "session_start": "source",
}


@dataclass(frozen=True, slots=True)
class ToolEvent:
    """One call of the real tool `name`, as hooks are told of it."""

    name: str
    arguments: Mapping[str, Any]
    call_id: str
    turn: int
    via: Via = "direct"


@dataclass(frozen=True, slots=True)
class HookVerdict:
    """`block` is why it must not go on; `ask` why the person must be asked even where a rule allows it; `arguments`
    replace those of the call and must be validated again; `notes` are for the person."""

    block: str | None = None
    ask: str | None = None
    arguments: Mapping[str, Any] | None = None
    notes: tuple[str, ...] = ()


class _Runner(Protocol):
    async def run(self, stdin: str) -> HookAnswer: ...


@dataclass(frozen=True, slots=True)
class _Hook:
    """`named` is the name of the event that it stands under."""

    named: str
    matcher: str
    runner: _Runner


@dataclass(frozen=True, slots=True)
class _FunctionHook:
    function: HookFunction
    timeout: float

    def __str__(self) -> str:
        return f"{self.function.__module__}.{getattr(self.function, '__qualname__', type(self.function).__name__)}"

    async def run(self, stdin: str) -> HookAnswer:
        told = json.loads(stdin)
        with anyio.fail_after(self.timeout):
            try:
                said = await call(self.function, told)
                return answer_of(said) if said is not None else HookAnswer()
            except TimeoutError:
                raise
            except Exception as error:
                raise Crashed(f"{type(error).__name__}: {error}") from error


@dataclass(slots=True)
class Hooks:
    """The hooks of one session. `timeout` is what a hook without one of its own may take, in seconds; `transcript`
    the file that the session is kept in."""

    cwd: Path
    session_id: str
    timeout: float
    transcript: Path | None = None
    _hooks: dict[Event, list[_Hook]] = field(default_factory=dict)

    @classmethod
    def of(cls, section: Mapping[str, Any], cwd: Path, session_id: str, transcript: Path | None = None) -> "Hooks":
        """Read the validated section `agent.hooks`, each event under any of its names."""
        hooks = cls(cwd, session_id, section["timeout"], transcript)
        for name, (event, ticks) in EVENT_NAMES.items():
            for matcher, command in _commands(section.get(name, ())):
                timeout = command["timeout"] / ticks if "timeout" in command else hooks.timeout
                runner = CommandHook(command["command"], timeout, cwd, session_id)
                hooks._hooks.setdefault(event, []).append(_Hook(name, matcher, runner))
        return hooks

    def add(self, event: Event, function: HookFunction, matcher: str = "") -> None:
        """Register a function. It gets the object that commands read, and returns `None` or an answer like theirs."""
        self._hooks.setdefault(event, []).append(_Hook(event, matcher, _FunctionHook(function, self.timeout)))

    async def pre_tool_call(self, event: ToolEvent) -> HookVerdict:
        """Before a call runs, after its arguments were validated."""
        return await self._run("pre_tool_call", _tool(event))

    async def post_tool_call(self, event: ToolEvent, text: str, *, is_error: bool = False) -> tuple[str, ...]:
        """After a call ran. Gives the notes; the result stands whatever a hook says."""
        told = _tool(event) | {"tool_response": {"text": text, "is_error": is_error}}
        return _heard(await self._run("post_tool_call", told))

    async def session_start(self, source: Source = "startup") -> tuple[str, ...]:
        return _heard(await self._run("session_start", {"source": source}))

    async def session_end(self) -> tuple[str, ...]:
        return _heard(await self._run("session_end", {"reason": "other"}))

    async def user_prompt(self, text: str, turn: int) -> HookVerdict:
        """Before a prompt is sent; a blocked one is not."""
        return await self._run("user_prompt", {"prompt": text, "turn": turn})

    async def _run(self, event: Event, told: Mapping[str, Any]) -> HookVerdict:
        verdict = HookVerdict()
        for hook in self._hooks.get(event, ()):
            if event in _MATCHED and not matches(hook.matcher, told[_MATCHED[event]]):
                continue
            answer = await self._ask(event, hook, told)
            arguments = answer.changed(told.get("tool_input", {}))
            if arguments is not None:
                told = {**told, "tool_input": arguments}
                verdict = replace(verdict, arguments=arguments)
            verdict = _joined(verdict, answer)
            if verdict.block is not None:
                break
        return verdict

    async def _ask(self, event: Event, hook: _Hook, told: Mapping[str, Any]) -> HookAnswer:
        try:
            return await hook.runner.run(json.dumps({**self._common(hook), **told}, default=str))
        except TimeoutError:
            return _silent(event, f"the hook {hook.runner} did not answer in time")
        except CannotStart as error:
            return _silent(event, f"the hook {hook.runner} cannot be started ({error})")
        except Crashed as error:
            return HookAnswer(note=f"the hook {hook.runner} failed and was passed over ({error})")

    def _common(self, hook: _Hook) -> dict[str, Any]:
        """What every hook is told, in the field names that other shells use."""
        return {
            "hook_event_name": hook.named,
            "session_id": self.session_id,
            "transcript_path": str(self.transcript or ""),
            "cwd": str(self.cwd),
            "timestamp": datetime.now(UTC).isoformat(),
        }


def _commands(entries: Sequence[Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every command with its matcher: alone, with what it is for, or several that share a matcher."""
    for entry in entries:
        given: Mapping[str, Any] = {"command": entry} if isinstance(entry, str) else entry
        for command in given.get("hooks", (given,)):
            yield given.get("matcher", ""), command


def _silent(event: Event, what: str) -> HookAnswer:
    return HookAnswer(block=what, note=what) if event in _GUARDS else HookAnswer(note=what)


def _joined(verdict: HookVerdict, answer: HookAnswer) -> HookVerdict:
    notes = (*verdict.notes, *([answer.note] if answer.note else ()))
    return replace(verdict, block=answer.block, ask=verdict.ask or answer.ask, notes=notes)


def _heard(verdict: HookVerdict) -> tuple[str, ...]:
    """What a hook that cannot block anything has to say."""
    return (*verdict.notes, *([verdict.block] if verdict.block else ()))


def _tool(event: ToolEvent) -> dict[str, Any]:
    return {
        "tool_name": event.name,
        "tool_input": event.arguments,
        "tool_use_id": event.call_id,
        "turn": event.turn,
        "via": event.via,
    }
