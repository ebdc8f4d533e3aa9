"""`hermes-lite` itself: the interactive chat."""

import sys

import anyio

from hermes_lite import __version__
from hermes_lite.cli.opening import Opening
from hermes_lite.cli.taking_up import session_runtime, take_up
from hermes_lite.config.place import Place
from hermes_lite.mcp.settings import written
from hermes_lite.runtime.toolbox import configured_servers, trust_store
from hermes_lite.text import one_line
from hermes_lite.ui.banner import Welcome
from hermes_lite.ui.chat import chat
from hermes_lite.ui.settings import UiSettings


def run(opening: Opening) -> int:
    """Run the chat; the exit code."""
    _ask_for_project_servers(opening.place)
    return anyio.run(_chat, opening)


async def _chat(opening: Opening) -> int:
    async with session_runtime(opening, "mcp.first_turn_wait") as runtime:
        await take_up(runtime, opening.wish)
        welcome = Welcome(__version__, runtime.endpoint.origin)
        return await chat(runtime, welcome=welcome, settings=UiSettings.of(opening.place.config.section("ui")))


def _ask_for_project_servers(place: Place) -> None:
    """A folder's `.mcp.json` can start programs: each is shown and asked for before anything of it runs."""
    if not sys.stdin.isatty():
        return
    trusted = trust_store(place)
    for server in trusted.unasked(configured_servers(place, demo=False).servers):
        print(f"{server.origin} wants to use the server {server.key}: {one_line(written(server))}")
        if input("Allow it from now on? [y/N] ").strip().lower() in ("y", "yes"):
            trusted.allow(server)
