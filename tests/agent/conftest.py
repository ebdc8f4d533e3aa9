from pathlib import Path

import pytest

from tests.agent.rig import Rig


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig.at(tmp_path)
