"""Calls and policies in short form."""

from collections.abc import Iterable
from typing import Any

from hermes_lite.approvals.policy import CallFacts, Mode, Policy, Verdict, judge
from hermes_lite.approvals.rules import Rule


def policy(
    mode: Mode = "ask", allow: Iterable[Any] = (), ask: Iterable[Any] = (), deny: Iterable[Any] = ()
) -> Policy:
    return Policy.of({"mode": mode, "allow": list(allow), "ask": list(ask), "deny": list(deny), "timeout": 0})


def script(text: str) -> CallFacts:
    return CallFacts(
        "terminal", risk="execute", kind="core", subject=text, is_shell=True, arguments={"command": text}
    )


def verdict(text: str, **rules: Any) -> Verdict:
    """What a policy of these rules, each a shell pattern, says about the script `text`."""
    mode = rules.pop("mode", "ask")
    return judge(
        script(text), policy(mode, **{name: [{"terminal": each} for each in given] for name, given in rules.items()})
    )


def always(text: str) -> list[str]:
    return [str(rule).removeprefix("terminal: ") for rule in verdict(text).suggestion]


__all__ = ["Rule", "always", "policy", "script", "verdict"]
