"""The person's side of a sign-in: the browser, and where there is none, an address to open and one to paste back."""

import sys
import webbrowser

import anyio

from hermes_lite.cli.saying import warn
from hermes_lite.config.place import Place
from hermes_lite.mcp.grants import GrantStore
from hermes_lite.mcp.login import login
from hermes_lite.mcp.settings import ServerSettings


async def sign_in(place: Place, server: ServerSettings) -> None:
    """Sign in to `server` and keep what it gives. Raises `ServerError`."""
    at_terminal = sys.stdin.isatty()
    await login(
        server,
        GrantStore(place.home.tokens),
        show=_open if at_terminal else _print,
        paste=_pasted if at_terminal else None,
        seconds=place.config.get("mcp.login_timeout"),
    )


async def _open(address: str) -> None:
    await _print(address)
    sys.stderr.write("If the browser ends on a page that does not load, paste its address here: ")
    sys.stderr.flush()
    await anyio.to_thread.run_sync(webbrowser.open, address)


async def _print(address: str) -> None:
    warn(f"Sign in at\n\n  {address}\n")
    sys.stderr.flush()


async def _pasted() -> str:
    await anyio.wait_readable(sys.stdin)
    return sys.stdin.readline()
