"""What the configuration names that there is not, judged by the tools that servers were last seen with."""

import anyio

from hermes_lite.config.place import Place
from hermes_lite.events import Event
from hermes_lite.runtime.effects import is_whole, without_effect
from hermes_lite.runtime.toolbox import Toolbox


def nameless(place: Place) -> tuple[str, ...]:
    """A line for each; no server is started, and there is none while one has never been seen."""

    async def found() -> tuple[str, ...]:
        async with Toolbox(place, _unheard, offline=True) as toolbox:
            everything = toolbox.registry.scope()
            return without_effect(place.config, everything) if is_whole(everything) else ()

    return anyio.run(found)


def _unheard(event: Event) -> None:
    """Nothing happens that a person has to know."""
