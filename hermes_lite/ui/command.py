"""What a command of the chat is, and how one is found by what a person typed."""

import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal, Protocol, TypeAlias

from rich.console import RenderableType

from hermes_lite.errors import UsageError
from hermes_lite.events import Sink
from hermes_lite.runtime import Runtime

Part: TypeAlias = Literal["Conversation", "Tools and context", "Session", "Help and leaving"]
_BARE = "help"
_NAME = re.compile(r"/([A-Za-z][A-Za-z-]*|\?|)(?:\s+(.*))?\Z", re.DOTALL)


class Desk(Protocol):
    """What a command may use of the chat."""

    runtime: Runtime

    @property
    def width(self) -> int: ...

    @property
    def in_turn(self) -> bool:
        """Whether a turn runs, a command line of the person's, or a command that waits for turns to end."""

    @property
    def sink(self) -> Sink: ...

    def say(self, what: RenderableType) -> None: ...

    def stop_turn(self) -> None: ...

    def leave(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One row. `any_time` commands run at once even while a turn runs; the others wait for its end."""

    name: str
    part: Part
    help: str
    run: Callable[[Desk, str], Awaitable[None]]
    argument: str = ""
    aliases: tuple[str, ...] = ()
    any_time: bool = False
    complete: Callable[[Runtime], Iterable[str]] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.aliases)

    @property
    def usage(self) -> str:
        return f"/{self.name} {self.argument}".rstrip()

    def accepted(self, argument: str) -> str:
        """`argument`, if the command takes any. Raises `UsageError`: what is ignored may have been meant."""
        if argument and not self.argument:
            raise UsageError(f"/{self.name} takes nothing after it", mend=f"/{self.name} alone: {self.help}.")
        return argument


def split(text: str) -> tuple[str, str] | None:
    """`/name rest` as its two parts; `None` for what is not a command, such as a path or a sentence."""
    found = _NAME.match(text.strip())
    return (found[1].lower() or _BARE, (found[2] or "").strip()) if found else None


def find(table: Sequence[Command], name: str) -> Command:
    """The command called `name`: its name, an alias, or the beginning of just one command.

    Raises `UsageError` that names the nearest ones.
    """
    exact = [command for command in table if name in command.names]
    begun = exact or [command for command in table if any(known.startswith(name) for known in command.names)]
    if len(begun) == 1:
        return begun[0]
    if begun:
        raise UsageError(f"/{name} could be {either(command.name for command in begun)}")
    near = get_close_matches(name, [known for command in table for known in command.names], n=1, cutoff=0.6)
    raise UsageError(f"There is no /{name}.", mend=f"Did you mean /{near[0]}?" if near else "/help lists them all.")


def either(names: Iterable[str]) -> str:
    return " or ".join(f"/{name}" for name in names)


def completions(table: Sequence[Command], runtime: Runtime, before: str) -> Iterable[tuple[str, str]]:
    """What may stand where the line `before` ends: `(text, help)`."""
    name, space, rest = before.removeprefix("/").partition(" ")
    if not space:
        for command in table:
            if command.name.startswith(name.lower()):
                yield f"/{command.name}", command.help
        return
    try:
        command = find(table, name.lower())
    except UsageError:
        return
    for value in command.complete(runtime) if command.complete else ():
        if value.startswith(rest):
            yield value, ""
