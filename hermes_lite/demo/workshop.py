"""The demo server `workshop`: some sixty small tools, so that deferring them is worth something at once.

The tools are the public functions of `hermes_lite.demo.crafts`.
"""

from collections.abc import Callable, Iterator
from inspect import getmembers, isfunction
from types import ModuleType
from typing import Any

from hermes_lite.demo.crafts import codes, colours, days, lists, numbers, words
from hermes_lite.demo.serving import READS, serve

_CRAFTS: tuple[ModuleType, ...] = (words, lists, codes, days, colours, numbers)


def tools() -> Iterator[Callable[..., Any]]:
    """The public functions that each craft defines itself."""
    for craft in _CRAFTS:
        for name, function in getmembers(craft, isfunction):
            if function.__module__ == craft.__name__ and not name.startswith("_"):
                yield function


if __name__ == "__main__":
    serve(
        "workshop",
        ((tool, READS) for tool in tools()),
        instructions="Small tools for text, lists, codes and numbers.",
    )
