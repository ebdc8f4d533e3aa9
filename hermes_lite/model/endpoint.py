"""Where a model is reached: the value that discovery finds and the client uses."""

from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit

DEMO = "demo"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`origin` is one line for people: what was chosen and why. `api_key` is "" when none is needed.

    `provider` is the name of a row of `hermes_lite.model.providers`, "local", "custom", or `DEMO`.
    """

    provider: str
    base_url: str
    model: str
    origin: str
    api_key: str = field(default="", repr=False)

    @property
    def host(self) -> str:
        """Host and port, without what else a URL may carry (a user, a password)."""
        parts = urlsplit(self.base_url)
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.hostname or self.base_url}{port}"

    @property
    def is_local(self) -> bool:
        """Whether it is on this machine, so that asking it is not touching the network."""
        return is_loopback(self.base_url)


def is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
