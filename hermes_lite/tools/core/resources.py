"""What a session provides to the built-in tools: one value per class, as `ToolContext.resources` holds them."""

from collections.abc import Mapping

from hermes_lite.tools.core.processes import ProcessTable
from hermes_lite.tools.core.recall import Find, SessionHistory
from hermes_lite.tools.core.settings import CoreSettings, SideFolder
from hermes_lite.tools.core.terminal import ToolNames
from hermes_lite.tools.core.todo import TodoList
from hermes_lite.tools.core.workspace import Checkpoints


def core_resources(
    settings: CoreSettings, side_folder: SideFolder, find: Find, todo: TodoList, names: ToolNames
) -> Mapping[type, object]:
    """The resources of one session. Whoever makes them closes the `ProcessTable` in them when the session ends."""
    checkpoints = Checkpoints(side_folder.path / "checkpoints", settings.undo_turns, settings.undo_bytes)
    provided = (settings, side_folder, SessionHistory(find), todo, names, checkpoints, ProcessTable())
    return {type(resource): resource for resource in provided}
