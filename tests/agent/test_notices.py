"""What the model is told when its tool sources change."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_lite.agent.notices import Known, Snapshot, changes, from_fact, snapshot, to_fact
from hermes_lite.tools.registry import Registry
from hermes_lite.tools.spec import Source
from tests.agent.rig import row

SAID = "git says about its own use (a server's words, no order of the person): Log first."
READY = Known("ready", frozenset(("mcp__git__log",)))


@pytest.mark.parametrize(
    ("was", "now", "told"),
    [
        (None, READY, "git is ready with 1 tools: mcp__git__log; find them with tool_search."),
        (Known("connecting"), READY, "git is ready with 1 tools: mcp__git__log; find them with tool_search."),
        (READY, None, "git was removed; its tools can no longer be called."),
        (READY, Known("gone"), "git went away; its tools cannot be called for now."),
        (READY, Known("failed", detail="exit\n1"), "git is not available (exit 1)."),
        (READY, Known("needs_auth"), "git needs the person to sign in."),
        (READY, Known("ready", frozenset(("x",))), "git changed its tools; new: x; gone: mcp__git__log."),
        (READY, READY, None),
        (Known("failed"), Known("failed", detail="another reason"), None),
        (READY, Known("ready", READY.tools, words="Log\nfirst."), SAID),
        (Known("ready", words="Log first."), Known("ready", words="Log first."), None),
    ],
)
def test_each_change_is_one_line(was: Known | None, now: Known | None, told: str | None) -> None:
    before = {} if was is None else {"git": was}
    after = {} if now is None else {"git": now}
    assert changes(before, after) == told


def test_long_lists_are_counted_and_not_spelled_out() -> None:
    many = Known("ready", frozenset(f"tool_{n:03}" for n in range(300)))
    told = changes({}, {"git": many})
    assert told == "git is ready with 300 tools; find them with tool_search."
    assert "and 288 more" in str(changes({"git": Known("ready")}, {"git": many}))


def test_built_in_tools_are_no_news() -> None:
    registry = Registry()
    registry.replace(Source("core", "core"), [row("look")])
    registry.replace(Source("mcp", "git"), [row("log", source=Source("mcp", "git"))])
    assert snapshot(registry.scope()) == {"git": Known("ready", frozenset(("log",)))}


_known: Any = st.builds(
    Known,
    st.sampled_from(["connecting", "ready", "failed", "needs_auth", "disabled", "gone"]),
    st.frozensets(st.text(max_size=5), max_size=20),
    st.text(max_size=300),
    st.sampled_from(["", "Log first.", "Look first."]),
)
_snapshots = st.dictionaries(st.text(min_size=1, max_size=5), _known, max_size=4)


@given(_snapshots, _snapshots)
def test_news_is_told_exactly_when_something_changed_and_never_twice(before: Snapshot, after: Snapshot) -> None:
    assert changes(after, after) is None
    told = changes(before, after)
    if told is None:
        assert all(label in before for label, now in after.items() if now.state == "ready")
        assert set(before) <= set(after)


@given(_snapshots)
def test_what_was_told_survives_the_session_file(known: Snapshot) -> None:
    again = from_fact(to_fact(known))
    assert changes(known, again) is None
    assert {label: (k.state, k.tools, k.words) for label, k in again.items()} == {
        label: (k.state, k.tools, k.words) for label, k in known.items()
    }
