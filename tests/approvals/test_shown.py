import pytest

from hermes_lite.approvals.policy import Policy, judge
from hermes_lite.approvals.shown import has_hidden, visible
from hermes_lite.approvals.terms import CallFacts
from hermes_lite.tools.rows import builtin_rows


@pytest.mark.parametrize("char", [*"\u3164\u2800\u115f\u1160\uffa0\u034f\u200b\u202e\u00a0\x1b"])
def test_characters_that_are_drawn_as_nothing_are_written_out(char: str) -> None:
    assert has_hidden(f"rm{char}x")
    assert visible(f"rm{char}x") == f"rm<U+{ord(char):04X}>x"


@pytest.mark.parametrize("path", ["a\ud800b", "a\0b", "~nobody-of-that-name/x"])
def test_a_path_that_can_be_none_is_asked_about(path: str, tmp_path: object) -> None:
    (row,) = (row for row in builtin_rows() if row.name == "write_file")
    facts = CallFacts.of(row, {"path": path, "content": ""}, tmp_path)  # type: ignore[arg-type]
    assert judge(facts, Policy(mode="auto-edit")).decision == "ask"
