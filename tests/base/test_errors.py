"""How a failure is put into words."""

from errno import EMFILE

import pytest

from hermes_lite.errors import reason


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(EMFILE, "Too many open files", "/dev/null"), "Too many open files"),
        (
            OSError("Multiple exceptions: [Errno 111] refused, [Errno 101] no way"),
            "Multiple exceptions: refused, no way",
        ),
        (RuntimeError("[Errno 2] gone"), "gone"),
        (TimeoutError(), "TimeoutError"),
    ],
)
def test_an_error_is_told_without_the_number_of_the_system(error: Exception, words: str) -> None:
    assert reason(error) == words
