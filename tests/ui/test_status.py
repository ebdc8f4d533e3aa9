"""The status line says what the runtime acts on, and the most important of it where there is little room."""

from dataclasses import replace

import pytest
from rich.cells import cell_len

from hermes_lite.tools.spec import Source, SourceStatus
from hermes_lite.ui.status import status_line
from tests.support.promises import promise
from tests.ui.fake import OVERVIEW

MANY = tuple(SourceStatus(Source("mcp", f"server-{number}"), "ready", number) for number in range(40))


@promise("SCREEN-19")
@pytest.mark.parametrize("width", range(1, 201))
def test_the_status_line_fits_any_width(width: int) -> None:
    for view in (OVERVIEW, replace(OVERVIEW, servers=MANY, model="anbieter/模型" * 20, window=None)):
        line = status_line(view, width)
        assert cell_len(line.plain) <= width
        assert "\n" not in line.plain


@promise("T-I03")
def test_what_asks_nothing_says_so() -> None:
    assert "yolo: nothing asks" in status_line(replace(OVERVIEW, approvals="yolo"), 80).plain
    assert "yolo" not in status_line(OVERVIEW, 80).plain


def test_a_server_in_trouble_is_told_before_what_is_well() -> None:
    assert "1 failed" in status_line(OVERVIEW, 40).plain
    assert "jira failed" in status_line(OVERVIEW, 70).plain


def test_many_servers_are_counted() -> None:
    assert status_line(replace(OVERVIEW, servers=MANY), 80).plain.endswith("40 ready")


def test_an_unknown_window_is_not_made_up() -> None:
    assert "12.4k tokens" in status_line(replace(OVERVIEW, window=None), 80).plain
