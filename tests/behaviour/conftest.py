from pathlib import Path

import pytest

from tests.support.cli import Shell, shell_in


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return shell_in(tmp_path)
