"""What the command line wishes for one run, over what the configuration says."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """`toolsets` empty means the configured ones; `server_wait`: seconds that the first turn waits for servers.

    With `offline` no server is started; their last seen tool lists stand in.
    """

    model: str = ""
    base_url: str = ""
    toolsets: tuple[str, ...] = ()
    yolo: bool = False
    offline: bool = False
    server_wait: float = 0.0
