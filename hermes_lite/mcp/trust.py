"""Which of a project's servers the person has allowed to start: asked once, and again when a definition changes.

A `.mcp.json` comes with somebody else's folder and can start programs. Allowance is kept by folder, server and the
hash of the definition as written (variables unexpanded, so that no secret is ever part of it).
"""

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from hermes_lite.config.atomic import write_atomically
from hermes_lite.config.source import content_of
from hermes_lite.mcp.settings import Servers, ServerSettings
from hermes_lite.text import utf8

NOT_ASKED = "from this folder; not allowed to start yet (`hermes-lite mcp enable NAME`)"


def fingerprint(server: ServerSettings) -> str:
    """A hash of what would be started or spoken to; stable under the order of keys."""
    return sha256(utf8(json.dumps(server.definition, sort_keys=True, ensure_ascii=False))).hexdigest()


class TrustStore:
    """The allowances in one JSON file, `{folder: {server: hash}}`. An unreadable file allows nothing."""

    def __init__(self, file: Path, folder: Path) -> None:
        self._file = file
        self._folder = str(folder.resolve())

    def allows(self, server: ServerSettings) -> bool:
        """True for every server that the person configured, and for a project's after it was allowed as it is."""
        return not server.project or self._all().get(self._folder, {}).get(server.key) == fingerprint(server)

    def allow(self, server: ServerSettings) -> None:
        """Remember that `server`, as it is defined now, may start. Raises `OSError`."""
        self._write(server.key, fingerprint(server))

    def forget(self, key: str) -> None:
        """Take the allowance back. Raises `OSError`."""
        self._write(key, None)

    def unasked(self, servers: Iterable[ServerSettings]) -> tuple[ServerSettings, ...]:
        """The enabled servers that the person has to be asked about."""
        return tuple(server for server in servers if server.enabled and not self.allows(server))

    def held(self, servers: Servers) -> Servers:
        """`servers` with those that are not allowed held back, and the reason on them."""
        return replace(
            servers,
            servers=tuple(
                server if self.allows(server) else replace(server, hold=NOT_ASKED) for server in servers.servers
            ),
        )

    def _write(self, key: str, value: str | None) -> None:
        known = self._all()
        mine = {**known.get(self._folder, {}), key: value}
        known[self._folder] = {name: digest for name, digest in mine.items() if digest is not None}
        write_atomically(self._file, json.dumps(known, indent=2, sort_keys=True))

    def _all(self) -> dict[str, dict[str, str]]:
        with suppress(OSError, ValueError):
            known = json.loads(content_of(self._file))
            if isinstance(known, dict):
                return {str(folder): dict(entry) for folder, entry in known.items() if isinstance(entry, dict)}
        return {}
