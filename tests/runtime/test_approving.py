"""Rules that the person adds and takes back: what holds, and what the file says then."""

from pathlib import Path

import pytest

from hermes_lite.approvals.policy import Policy
from hermes_lite.approvals.rules import Rule
from hermes_lite.errors import ConfigError, UsageError
from hermes_lite.paths import Home
from hermes_lite.runtime.approving import Approvals
from tests.support.promises import promise

CONFIG = """# mine
agent:
  approvals:  # careful
    allow:
      - terminal: make *  # the build
      - mcp__git__*
      # the docs are free
      - write_file: docs/*
    deny: ["mcp__mail__*"]
# the end
"""
PUSH = Rule("terminal", "git push*")


@pytest.fixture
def approvals(tmp_path: Path) -> Approvals:
    home = Home(tmp_path / "home")
    home.root.mkdir()
    home.config.write_text(CONFIG)
    rules = (Rule("terminal", "make *"), Rule("mcp__git__*"), Rule("write_file", "docs/*"))
    return Approvals(home, "ask", Policy(allow=rules, deny=(Rule("mcp__mail__*"),)))


@promise("APPROVE-FORGET")
@pytest.mark.parametrize("written", ("allow mcp__git__*", "mcp__git__*"))
def test_a_forgotten_rule_leaves_the_file_and_nothing_else_does(approvals: Approvals, written: str) -> None:
    assert approvals.forget(written, []) == ("allow mcp__git__*", approvals.home.config)
    assert approvals.home.config.read_text() == CONFIG.replace("      - mcp__git__*\n", "")
    assert [view.text for view in approvals.views([])] == [
        "deny mcp__mail__*",
        "allow terminal: make *",
        "allow write_file: docs/*",
    ]


@promise("APPROVE-FORGET")
def test_a_grant_of_the_session_is_forgotten_without_touching_the_file(approvals: Approvals) -> None:
    granted = [PUSH]
    assert approvals.forget("allow terminal: git push*", granted) == ("allow terminal: git push*", None)
    assert granted == []
    assert approvals.home.config.read_text() == CONFIG


def test_forgetting_a_stored_rule_ends_its_grant_as_well(approvals: Approvals) -> None:
    granted = [Rule("mcp__git__*"), PUSH]
    approvals.forget("allow mcp__git__*", granted)
    assert granted == [PUSH]


def test_what_is_added_and_forgotten_leaves_the_file_as_it_was(approvals: Approvals) -> None:
    assert approvals.add("allow", "terminal: git push*") == approvals.home.config
    assert "allow terminal: git push*" in [view.text for view in approvals.views([])]
    approvals.forget("allow terminal: git push*", [])
    assert approvals.home.config.read_text() == CONFIG


def test_a_rule_that_is_not_there_and_one_of_another_file_are_refused(approvals: Approvals) -> None:
    with pytest.raises(UsageError, match="no rule is written 'allow nothing'"):
        approvals.forget("allow nothing", [])
    approvals.rules = approvals.rules.adding("ask", PUSH)
    with pytest.raises(ConfigError, match="nothing was written"):
        approvals.forget("ask terminal: git push*", [])
    assert "ask terminal: git push*" in [view.text for view in approvals.views([])]


def test_one_text_under_two_verbs_has_to_be_named_with_its_verb(approvals: Approvals) -> None:
    approvals.rules = approvals.rules.adding("ask", Rule("mcp__git__*"))
    with pytest.raises(UsageError, match="2 rules are written"):
        approvals.forget("mcp__git__*", [])
