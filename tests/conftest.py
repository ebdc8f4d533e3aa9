"""What holds for every test: a home folder of its own, no key from outside, no socket beyond this machine.

Property tests draw the same examples on every run and are never timed.
"""

import ipaddress
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("steady", deadline=None, derandomize=True, database=None, max_examples=50)
settings.load_profile("steady")

_FOREIGN = ("OPENAI_", "OPENROUTER_", "ANTHROPIC_", "HERMES_LITE", "OLLAMA_", "LM_")


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(_FOREIGN):
            monkeypatch.delenv(name)
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HERMES_LITE_HOME", str(tmp_path_factory.mktemp("home")))


@pytest.fixture
def home(_own_home: None) -> Path:
    """The home folder that this test's processes use."""
    return Path(os.environ["HERMES_LITE_HOME"])


@pytest.fixture(autouse=True, scope="session")
def _loopback_only() -> Iterator[None]:
    patch = pytest.MonkeyPatch()
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_local(address[0]):
            raise AssertionError(f"a test tried to reach {address[0]}")
        connect(self, address)

    patch.setattr(socket.socket, "connect", guarded)
    yield
    patch.undo()


def _is_local(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
