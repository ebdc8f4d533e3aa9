from pathlib import Path

import pytest

from tests.mcp.rig import Rig


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path)
