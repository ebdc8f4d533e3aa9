"""Calling functions that a person wrote, be they async or not."""

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import anyio.to_thread


async def call(function: Callable[[Any], Any], argument: Any) -> Any:
    """What `function(argument)` gives; one that is not async runs in a thread and is left behind when cancelled."""
    if inspect.iscoroutinefunction(function):
        return await function(argument)
    return await anyio.to_thread.run_sync(partial(function, argument), abandon_on_cancel=True)
