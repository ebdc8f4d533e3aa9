"""What a person's sign-in to a server gave us, kept in one private file a server.

A file (0600, in a folder of 0700) holds all that a later refresh needs, so that no session has to discover anything.
`lock_file` makes renewing a matter of one process at a time.
"""

import json
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from hermes_lite.config.atomic import write_atomically
from hermes_lite.config.source import content_of
from hermes_lite.mcp.server_log import file_name

BASIC: Literal["client_secret_basic"] = "client_secret_basic"
POST: Literal["client_secret_post"] = "client_secret_post"

_EARLY = 30
_PRIVATE = 0o600


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """Tokens and how to renew them. `expires_at` is Unix time, `None` when the server did not say.

    `lacked` are the rights that a call needed beyond `scope`; the next sign-in asks for them too.
    """

    access_token: str
    refresh_token: str | None
    expires_at: float | None
    scope: str | None
    token_endpoint: str
    client_id: str
    client_secret: str | None
    client_method: str | None
    resource: str | None
    lacked: str | None = None

    @property
    def is_stale(self) -> bool:
        """Whether the access token has run out, or is about to within the time of a request."""
        return self.expires_at is not None and time.time() > self.expires_at - _EARLY


class GrantStore:
    """The grants under one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self, key: str) -> Grant | None:
        """The grant of a server; `None` when there is none, or none that can be read."""
        with suppress(OSError, ValueError, TypeError):
            return Grant(**json.loads(content_of(self._file(key))))
        return None

    def keep(self, key: str, grant: Grant) -> None:
        """Write the grant, whole or not at all, for the person's eyes only. Raises `OSError`."""
        write_atomically(self._file(key), json.dumps(asdict(grant)), _PRIVATE)

    def forget(self, key: str) -> bool:
        """Remove the grant; whether there was one. Raises `OSError`."""
        try:
            self._file(key).unlink()
        except FileNotFoundError:
            return False
        return True

    def lock_file(self, key: str) -> Path:
        """The file whose lock a process holds while it renews the server's grant. Raises `OSError`."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self._file(key).with_suffix(".lock")

    def _file(self, key: str) -> Path:
        return self._folder / f"{file_name(key)}.json"
