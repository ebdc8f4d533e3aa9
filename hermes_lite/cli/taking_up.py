"""From the wishes of the bare command to the session that it goes on with."""

from hermes_lite.cli.opening import Opening
from hermes_lite.cli.wish import Wish
from hermes_lite.errors import SessionError
from hermes_lite.model.endpoint import DEMO
from hermes_lite.runtime import Options, Runtime


def session_runtime(opening: Opening, wait: str) -> Runtime:
    """A runtime for `opening`; `wait` is the key that bounds how long its first turn waits for servers.

    The demo is nothing without its servers, so it gives them all the time that they may take to connect.
    """
    wish = opening.wish
    key = "mcp.connect_timeout" if opening.endpoint.provider == DEMO else wait
    options = Options(
        model=wish.model,
        base_url=wish.base_url,
        toolsets=wish.toolsets,
        yolo=wish.yolo,
        server_wait=opening.place.config.get(key),
    )
    return Runtime(opening.place, opening.endpoint, options)


async def take_up(runtime: Runtime, wish: Wish) -> None:
    """Go on with the session that was asked for. Raises `SessionError` when there is none."""
    if wish.resume is not None:
        await runtime.resume(wish.resume)
    elif wish.proceed:
        last = runtime.store.latest(runtime.place.project.root)
        if last is None:
            raise SessionError(
                "this folder has no session to continue", mend="`hermes-lite sessions list` shows all."
            )
        await runtime.resume(last.id)
