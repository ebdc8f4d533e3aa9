"""`todo_list`: the steps of a longer task. One list a session, replaced as a whole."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from hermes_lite.text import one_line
from hermes_lite.tools.spec import ToolContext, ToolResult

Items: TypeAlias = Sequence[Mapping[str, str]]

_MARKS = {"open": "[ ]", "active": "[>]", "done": "[x]", "dropped": "[-]"}


def _unsaved(items: Items) -> None:
    """A list that lasts as long as its process."""


@dataclass(slots=True)
class TodoList:
    """The list. `save` gets every new state, to keep it with the session; `items` starts from what was kept."""

    items: Items = ()
    save: Callable[[Items], None] = field(default=_unsaved)

    def replace(self, items: Items) -> None:
        self.items = [{"text": one_line(item["text"]), "state": item["state"]} for item in items]
        self.save(self.items)

    def snapshot(self) -> str:
        """The list as text, one step a line: what compaction keeps. Empty when there is no list."""
        return "\n".join(f"{_MARKS[item['state']]} {item['text']}" for item in self.items)


async def todo_list(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
    todo = context.resource(TodoList)
    if "items" in arguments:
        todo.replace(arguments["items"])
    return ToolResult(todo.snapshot() or "(the list is empty)")
