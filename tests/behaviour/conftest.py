from pathlib import Path

import pytest

from tests.agent.rig import Rig
from tests.support.cli import Shell, shell_in


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return shell_in(tmp_path)


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig.at(tmp_path)
