"""Judges a shell script command by command: it runs unasked only when each of them may.

Which commands a script has is settled by `launchers`, which of them can only look by `harmless`; here the rules are
laid on them, and the narrowest rules for "always" are found.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from itertools import takewhile

from hermes_lite.approvals.harmless import is_harmless
from hermes_lite.approvals.launchers import Part, parts
from hermes_lite.approvals.moves import MOVES, is_outside, leaves_folder
from hermes_lite.approvals.ruinous import ruin_in, ruin_in_text
from hermes_lite.approvals.rules import Rule, beginning, exactly
from hermes_lite.approvals.shell import Command, Unreadable, crude_commands
from hermes_lite.approvals.terms import CallFacts, Policy, Verdict, asking, denied, doubtful

# Programs whose first words say enough for "always"; `?` is one word taken as it is. Everything else is kept exactly.
_BEGINNINGS = frozenset(
    (
        *("git add", "git commit", "git switch", "git checkout", "git restore", "git stash", "git tag", "git merge"),
        *("npm test", "npm run ?", "npm ci", "yarn test", "pnpm test", "pytest", "tox", "ruff", "mypy", "black"),
        *("cargo build", "cargo test", "cargo check", "cargo fmt", "cargo clippy", "go build", "go test", "go vet"),
        *("make ?", "mkdir", "touch", "tsc", "eslint", "prettier"),
        *("docker ps", "docker logs", "kubectl get", "kubectl describe", "kubectl logs"),
        *("gh pr view", "gh issue view"),
    )
)


def judge_script(call: CallFacts, rules: Policy) -> Verdict:
    """What is to happen with the script `call.subject`, by rules that all name its tool and whatever the mode."""
    try:
        needed = parts(call.subject)
    except Unreadable as reason:
        return _judge_unreadable(call, rules, reason)
    verdict = _refused(needed, rules) or _questioned(needed, rules) or _permitted(call, needed, rules)
    return replace(verdict, parts=tuple(str(part.command) for part in needed))


def _refused(needed: Collection[Part], rules: Policy) -> Verdict | None:
    if harm := ruin_in(needed):
        return _ruinous(harm)
    for form in (form for part in needed for form in part.forms):
        for rule in rules.deny:
            if rule.hits(form):
                return denied(rule)
    return None


def _ruinous(harm: str) -> Verdict:
    return Verdict("deny", f"{harm}; no rule and no mode allows that")


def _questioned(needed: Iterable[Part], rules: Policy) -> Verdict | None:
    forms = [form for part in needed for form in part.forms]
    is_unseen = any(part.is_unseen for part in needed)
    for rule in rules.deny:
        if is_unseen or any(rule.may_hit(form) for form in forms):
            return doubtful(rule)
    for rule in rules.ask:
        if any(rule.hits(form) or rule.may_hit(form) for form in forms):
            return asking(rule)
    return None


def _permitted(call: CallFacts, needed: Collection[Part], rules: Policy) -> Verdict:
    commands = [part.command for part in needed]
    moves = bool(call.beside) or any(command.name in MOVES for command in commands)
    leaves = any(is_outside(text, call.cwd) for text in call.beside) or any(
        leaves_folder(command, call.cwd) for command in commands
    )
    granted = [rule for rule in rules.granted if rule.is_boundless or not leaves]
    ungranted = [part for part in needed if not _is_granted(part, granted)]
    wanting = [part for part in ungranted if not is_harmless(part.command, moves)]
    if wanting:
        reason = "it may change things: " + "; ".join(dict.fromkeys(str(part.command) for part in wanting))
        return Verdict("ask", reason, suggestion=() if leaves else _suggested(call.name, wanting))
    if ungranted or not commands:
        return Verdict("allow", "it only looks")
    return Verdict("allow", "rules allow each of its commands", "rule")


def _is_granted(part: Part, granted: Iterable[Rule]) -> bool:
    """What a launcher starts is granted with the launcher only by a rule that is that one command to the letter, and
    so is a launcher of which it cannot be seen what it starts."""
    return any(
        (rule.grants(part.command) and (rule.is_exact or rule.is_boundless or not part.is_murky))
        or (part.behind is not None and rule.is_exact and rule.covers(part.behind))
        for rule in granted
    )


def _judge_unreadable(call: CallFacts, rules: Policy, reason: Unreadable) -> Verdict:
    """A script that cannot be taken apart is covered only by rules that cover every script of the tool."""
    if harm := ruin_in_text(call.subject):
        return _ruinous(harm)
    for rule in rules.deny:
        if any(rule.hits(each) for each in crude_commands(call.subject)):
            return denied(rule)
    if rules.deny:
        return doubtful(rules.deny[0])
    if rules.ask:
        return asking(rules.ask[0])
    if any(rule.is_boundless for rule in rules.granted):
        return Verdict("allow", "a rule allows every command", "rule")
    return Verdict("ask", f"the command cannot be taken apart: {reason}")


def _suggested(name: str, wanting: Iterable[Part]) -> tuple[Rule, ...]:
    """One rule for each command, the command behind a launcher being part of the launcher's; none if one has none."""
    rules = [_narrowest(name, part.behind or part.command) for part in wanting]
    return () if None in rules else tuple(dict.fromkeys(rule for rule in rules if rule is not None))


def _narrowest(name: str, command: Command) -> Rule | None:
    head = next(_telling_heads(command), None)
    if head is not None and (rule := beginning(name, head)).grants(command):
        return rule
    is_known = all(word.known for word in (*command.words, *command.assigned))
    return exactly(name, command) if is_known else None


def _telling_heads(command: Command) -> Iterator[list[str]]:
    """The first words of the command, the longest first, that say enough for "always"."""
    known = [word.text for word in takewhile(lambda word: word.known, command.words)]
    for length in (3, 2, 1) if not command.settings else ():
        *before, last = known[:length] or [""]
        spellings = {" ".join([*before, last]), " ".join([*before, "?"])}
        if len(before) == length - 1 and not last.startswith("-") and spellings & _BEGINNINGS:
            yield known[:length]
