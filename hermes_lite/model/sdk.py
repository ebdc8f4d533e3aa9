"""The one door to the `openai` package, which loads it at first use and in half of the usual time.

A plain `import openai` builds some 350 modules of types for services that a chat request never touches. While the
package is imported through this door, the packages from `openai.types` down stay empty until one of their own names
is asked for, and then load as they always do: what `importlib.util.LazyLoader` does for modules, done for packages.
Nothing of the SDK is changed or left out.
"""

import importlib
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any, cast

from hermes_lite import collector

_LAZY = "openai.types"
_loading = threading.RLock()


def load() -> Any:
    """The `openai` package. The first call takes about 0.4 s on two cores; any thread may make it."""
    with _loading:
        if "openai" not in sys.modules:
            with _lazy_types(), collector.resting():
                importlib.import_module("openai")
        return sys.modules["openai"]


class _LazyPackage(ModuleType):
    """A package whose `__init__` runs when a name that it has not got is first asked for."""

    def __init__(self, name: str, initialise: Callable[[ModuleType], None]) -> None:
        super().__init__(name)
        self._initialise: Callable[[ModuleType], None] | None = initialise

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__"):
            with _loading:
                initialise, self._initialise = self._initialise, None
                if initialise:
                    initialise(self)
            if name in vars(self):
                return vars(self)[name]
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")


class _LazyLoader:
    def __init__(self, initialise: Callable[[ModuleType], None]) -> None:
        self._initialise = initialise

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _LazyPackage(spec.name, self._initialise)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing yet: see `_LazyPackage`."""


class _LazyFinder:
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith(_LAZY):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec and spec.loader and spec.submodule_search_locations is not None:
            spec.loader = cast(Any, _LazyLoader(spec.loader.exec_module))
        return spec


@contextmanager
def _lazy_types() -> Iterator[None]:
    finder = _LazyFinder()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
