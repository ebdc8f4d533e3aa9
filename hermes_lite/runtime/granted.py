"""The tools that a session is granted, as they are right now, and the array that a request would carry."""

from collections.abc import Sequence

from hermes_lite.model.client import Model
from hermes_lite.model.windows import Window
from hermes_lite.runtime.toolbox import Toolbox
from hermes_lite.tokens import counter_for
from hermes_lite.tool_search.assemble import Assembly, assemble
from hermes_lite.tool_search.settings import ToolSearchSettings
from hermes_lite.tools.registry import Scope


class Granted:
    """A view of `toolbox` through the session's toolsets; it gives the same objects as long as nothing changes."""

    def __init__(self, toolbox: Toolbox, settings: ToolSearchSettings, toolsets: Sequence[str]) -> None:
        self.settings = settings
        self.toolsets = tuple(toolsets)
        self._toolbox = toolbox
        self._scope: tuple[int, Scope] | None = None
        self._assembly: tuple[tuple[int, str, Window], Assembly] | None = None

    def scope(self) -> Scope:
        version = self._toolbox.registry.version
        if self._scope is None or self._scope[0] != version:
            self._scope = (version, self._toolbox.scope(self.toolsets))
        return self._scope[1]

    def assembly(self, model: Model) -> Assembly:
        """The array as a new session with `model` would be sent it now."""
        key = (self._toolbox.registry.version, model.name, model.window)
        if self._assembly is None or self._assembly[0] != key:
            found = assemble(self.scope(), self.settings, model.window.tokens, counter_for(model.name))
            self._assembly = (key, found)
        return self._assembly[1]
