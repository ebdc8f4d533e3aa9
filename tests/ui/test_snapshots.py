"""The moments that people see most, compared with the text that was looked at and checked in.

`scripts/screens --update` draws them anew; look at the difference before you commit it.
"""

import pytest
from rich.cells import cell_len

from tests.support.promises import promise
from tests.ui.moments import FOLDER, MOMENTS, WIDTHS


@promise("SCREEN-1", "S-A8")
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", MOMENTS)
def test_a_moment_looks_as_it_was_checked_in(name: str, width: int) -> None:
    assert MOMENTS[name](width) == (FOLDER / f"{name}-{width}.txt").read_text(encoding="utf-8")


@promise("SCREEN-2")
@pytest.mark.parametrize("name", MOMENTS)
def test_nothing_is_wider_than_the_terminal(name: str) -> None:
    for width in (40, 60, 80, 100, 120, 200):
        assert [line for line in MOMENTS[name](width).splitlines() if cell_len(line) > width] == []


@promise("S-A5")
@pytest.mark.parametrize("name", MOMENTS)
def test_a_very_narrow_terminal_breaks_nothing(name: str) -> None:
    assert all(MOMENTS[name](width) for width in range(1, 21))


def test_every_snapshot_belongs_to_a_moment() -> None:
    drawn = {f"{name}-{width}.txt" for name in MOMENTS for width in WIDTHS}
    assert {file.name for file in FOLDER.iterdir()} == drawn
