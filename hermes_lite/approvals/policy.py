"""Judges one call by the person's rules: allow, ask or deny, with the reason and the narrowest rule for "always".

Pure. The order is: ruinous commands and `deny` rules refuse; `ask` rules ask; `allow` rules, what the person granted
for the session, and what can only look run; the mode decides the rest. A shell script is judged command by command
and runs unasked only when each of them may. A tool that no rule and no row speaks of asks. Nothing asks in `yolo`:
what cannot be told from a denied command is denied there.
"""

from collections.abc import Iterable
from dataclasses import replace

from hermes_lite.approvals.rules import Rule
from hermes_lite.approvals.scripts import judge_script
from hermes_lite.approvals.terms import CallFacts, Ground, Mode, Policy, Verdict, asking, denied

__all__ = ["CallFacts", "Ground", "Mode", "Policy", "Verdict", "judge", "unmatched"]

_KEPT_FOLDERS = frozenset((".git", ".hermes-lite"))


def judge(call: CallFacts, policy: Policy) -> Verdict:
    """What is to happen with `call`."""
    if call.kind == "bridge":
        return Verdict("allow", "looking up tools never asks")
    rules = _rules_for(call.name, policy)
    verdict = judge_script(call, rules) if call.is_shell and call.subject else _judge_plain(call, rules)
    return _by_mode(verdict, call, policy.mode)


def unmatched(policy: Policy, names: Iterable[str]) -> tuple[Rule, ...]:
    """The rules that name no tool of `names`: they have no effect."""
    names = tuple(names)
    return tuple(
        rule for rule in (*policy.allow, *policy.ask, *policy.deny) if not any(rule.names(name) for name in names)
    )


def _rules_for(name: str, policy: Policy) -> Policy:
    def naming(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
        return tuple(rule for rule in rules if rule.names(name))

    return replace(
        policy,
        allow=naming(policy.allow),
        ask=naming(policy.ask),
        deny=naming(policy.deny),
        session=naming(policy.session),
    )


def _judge_plain(call: CallFacts, rules: Policy) -> Verdict:
    subjects = _spellings(call)
    suggestion = (Rule(call.name, "") if call.is_shell else Rule(call.name),)
    for rule in rules.deny:
        if any(rule.fits_text(subject) for subject in subjects):
            return denied(rule)
    for rule in rules.ask:
        if any(rule.fits_text(subject) for subject in subjects):
            return asking(rule)
    for rule in rules.granted:
        if rule.fits_text(subjects[0]):
            return Verdict("allow", f"the rule `{rule}` allows it", "rule")
    if call.tier == "silent":
        return Verdict("allow", "it only looks")
    return Verdict("ask", f"{call.name} may change things", suggestion=suggestion)


def _spellings(call: CallFacts) -> tuple[str, ...]:
    """The main argument as rules see it: a path by its place, relative to the working folder where it lies in it."""
    if call.target is None:
        return (call.subject,)
    try:
        place = str(call.target.relative_to(call.cwd.resolve()))
    except ValueError:
        place = str(call.target)
    return tuple(dict.fromkeys((place, str(call.target), call.subject)))


def _by_mode(verdict: Verdict, call: CallFacts, mode: Mode) -> Verdict:
    if verdict.decision != "ask":
        return verdict
    match mode:
        case "yolo" if verdict.doubtful:
            return replace(verdict, decision="deny")
        case "yolo":
            return replace(verdict, decision="allow", reason="yolo: nothing asks", ground="mode")
        case "deny":
            return replace(
                verdict, decision="deny", reason=f"approvals are set to deny; {verdict.reason}", ground="mode"
            )
        case "auto-edit" if verdict.ground != "rule" and _edits_here(call):
            return replace(verdict, decision="allow", reason="file changes in this folder run unasked", ground="mode")
        case _:
            return verdict


def _edits_here(call: CallFacts) -> bool:
    if call.target is None or call.kind not in ("core", "builtin"):
        return False
    here = call.cwd.resolve()
    return call.target.is_relative_to(here) and not _KEPT_FOLDERS & set(call.target.relative_to(here).parts)
