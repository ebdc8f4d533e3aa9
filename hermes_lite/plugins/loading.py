"""Finding and loading the plugins that are enabled. One that fails says why and stops nothing.

A plugin is a file `NAME.py` or a folder `NAME/` with an `__init__.py` in the home's `plugins` folder, or a module
that an installed package names as an entry point of the group `hermes_lite.plugins`. The folder comes first.
"""

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from hermes_lite.errors import PluginError
from hermes_lite.plugins.plugin import Plugin, PluginHook
from hermes_lite.text import one_line
from hermes_lite.tools.registry import Dropped
from hermes_lite.tools.spec import Source, ToolSpec

GROUP = "hermes_lite.plugins"
_NAME = re.compile(r"(?!mcp$)[A-Za-z0-9](?:_?[A-Za-z0-9-])*")  # `mcp__...` are the tools of servers


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a plugin adds; nothing when there is a `fault`, which says why it could not be loaded."""

    source: Source
    rows: tuple[ToolSpec, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    hooks: tuple[PluginHook, ...] = ()
    fault: str = ""


def load_plugins(names: Iterable[str], folder: Path) -> tuple[Loaded, ...]:
    """The plugins `names`, each once, in their order."""
    return tuple(_loaded(name, folder) for name in dict.fromkeys(names))


def _loaded(name: str, folder: Path) -> Loaded:
    plugin = Plugin(name)
    try:
        _module(name, folder).register(plugin)
        rows, dropped = plugin.rows()
    except PluginError as error:
        return Loaded(plugin.source, fault=error.message)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - code of others, which must not stop the shell
        return Loaded(plugin.source, fault=one_line(f"{type(error).__name__}: {error}"))
    return Loaded(plugin.source, rows, dropped, tuple(plugin.hooks))


def _module(name: str, folder: Path) -> ModuleType:
    if not _NAME.fullmatch(name):
        raise PluginError("the name of a plugin has letters, digits, - and single _ only, and is not mcp")
    for file in (folder / f"{name}.py", folder / name / "__init__.py"):
        if file.is_file():
            return _from_file(f"hermes_lite_plugin_{name}", file)
    for found in entry_points(group=GROUP, name=name):
        module: ModuleType = found.load()
        return module
    raise PluginError(f"there is no {folder / name}.py, and no installed package has a plugin of that name")


def _from_file(name: str, file: Path) -> ModuleType:
    spec = spec_from_file_location(name, file)
    assert spec is not None, "a .py file has a loader"
    assert spec.loader is not None, "a .py file has a loader"
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
