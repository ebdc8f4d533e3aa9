"""`hermes-lite` itself: the interactive chat."""

import sys
from collections.abc import Callable

import anyio

from hermes_lite import __version__
from hermes_lite.cli.opening import Opening, open_with
from hermes_lite.cli.taking_up import session_runtime, take_up
from hermes_lite.cli.wish import Wish
from hermes_lite.config.place import Place
from hermes_lite.mcp.settings import written
from hermes_lite.runtime.toolbox import configured_servers, trust_store
from hermes_lite.text import one_line
from hermes_lite.ui.banner import Welcome
from hermes_lite.ui.chat import chat
from hermes_lite.ui.settings import UiSettings


def run(wish: Wish, place: Place, erase_early_prompt: Callable[[], None]) -> int:
    """Run the chat; the exit code. The early prompt goes as soon as anything else is to be seen."""
    opening = open_with(wish, place)
    _ask_for_project_servers(place, erase_early_prompt)
    return anyio.run(_chat, opening, erase_early_prompt)


async def _chat(opening: Opening, erase_early_prompt: Callable[[], None]) -> int:
    async with session_runtime(opening, "mcp.first_turn_wait") as runtime:
        await take_up(runtime, opening.wish)
        welcome = Welcome(__version__, runtime.endpoint.origin)
        erase_early_prompt()
        return await chat(runtime, welcome=welcome, settings=UiSettings.of(opening.place.config.section("ui")))


def _ask_for_project_servers(place: Place, erase_early_prompt: Callable[[], None]) -> None:
    """A folder's `.mcp.json` can start programs: each is shown and asked for before anything of it runs."""
    if not sys.stdin.isatty():
        return
    trusted = trust_store(place)
    for server in trusted.unasked(configured_servers(place, demo=False).servers):
        erase_early_prompt()
        print(f"{server.origin} wants to use the server {server.key}: {one_line(written(server))}")
        if input("Allow it from now on? [y/N] ").strip().lower() in ("y", "yes"):
            trusted.allow(server)
