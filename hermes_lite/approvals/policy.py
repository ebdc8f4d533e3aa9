"""Judges one call by the person's rules: allow, ask or deny, with the reason and the narrowest rule for "always".

Pure. The order is: ruinous commands and `deny` rules refuse; `ask` rules ask; `allow` rules, what the person granted
for the session, and what can only look run; the mode decides the rest. A shell script is judged command by command
and runs unasked only when each of them may. A tool that no rule and no row speaks of asks. Nothing asks in `yolo`:
what cannot be told from a denied command is denied there.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from hermes_lite.approvals.harmless import MOVES, is_harmless
from hermes_lite.approvals.launchers import Part, parts
from hermes_lite.approvals.ruinous import ruin, ruin_in_text
from hermes_lite.approvals.rules import Rule, beginning, exactly
from hermes_lite.approvals.shell import Command, Unreadable, crude_commands
from hermes_lite.tools.spec import Risk, SourceKind, Tier, ToolSpec

Mode: TypeAlias = Literal["ask", "auto-edit", "yolo", "deny"]
Ground: TypeAlias = Literal["rule", "mode", "policy"]

# Programs whose first words say enough for "always"; `?` is one word taken as it is. Everything else is kept exactly.
_BEGINNINGS = frozenset(
    (
        *("git add", "git commit", "git switch", "git checkout", "git restore", "git stash", "git tag", "git merge"),
        *("npm test", "npm run ?", "npm ci", "yarn test", "pnpm test", "pytest", "tox", "ruff", "mypy", "black"),
        *("cargo build", "cargo test", "cargo check", "cargo fmt", "cargo clippy", "go build", "go test", "go vet"),
        *("make ?", "mkdir", "touch", "tsc", "eslint", "prettier"),
        *(
            "docker ps",
            "docker logs",
            "kubectl get",
            "kubectl describe",
            "kubectl logs",
            "gh pr view",
            "gh issue view",
        ),
    )
)
_KEPT_FOLDERS = frozenset((".git", ".hermes-lite"))


@dataclass(frozen=True, slots=True)
class CallFacts:
    """What the policy may know of a call. `subject` is the text of the main argument; `is_shell`: it is a script.

    `target` is the resolved file that a writing tool is about to change, where its main argument is a path.
    """

    name: str
    tier: Tier = "gated"
    risk: Risk = "external"
    kind: SourceKind = "mcp"
    subject: str = ""
    is_shell: bool = False
    target: Path | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    cwd: Path = field(default_factory=Path)

    @property
    def runs_elsewhere(self) -> bool:
        """True when a script has a text beside it that may name another folder to run in."""
        others = [value for value in self.arguments.values() if isinstance(value, str) and value != self.subject]
        return self.is_shell and any(others)

    @classmethod
    def of(cls, row: ToolSpec, arguments: Mapping[str, Any], cwd: Path) -> "CallFacts":
        """The facts of calling `row`. Resolves the target's symbolic links, so that none leads a rule astray."""
        key = row.display.key_argument
        subject = str(arguments.get(key) or "") if key else ""
        is_shell = row.risk == "execute" and key == "command"
        writes_path = row.risk == "write" and key == "path" and subject != ""
        return cls(
            name=row.name,
            tier=row.tier,
            risk=row.risk,
            kind=row.source.kind,
            subject=subject,
            is_shell=is_shell,
            target=(cwd / Path(subject).expanduser()).resolve() if writes_path else None,
            arguments=arguments,
            cwd=cwd,
        )


@dataclass(frozen=True, slots=True)
class Policy:
    """The section `agent.approvals` and what the person granted for this session.

    `timeout` is how many seconds a question waits before it counts as no; 0 is for ever.
    """

    mode: Mode = "ask"
    allow: tuple[Rule, ...] = ()
    ask: tuple[Rule, ...] = ()
    deny: tuple[Rule, ...] = ()
    session: tuple[Rule, ...] = ()
    timeout: float = 0

    @property
    def granted(self) -> tuple[Rule, ...]:
        return (*self.allow, *self.session)

    @classmethod
    def of(cls, section: Mapping[str, Any]) -> "Policy":
        """Read the validated section `agent.approvals`."""
        rules = {name: tuple(Rule.of(entry) for entry in section[name]) for name in ("allow", "ask", "deny")}
        return cls(mode=section["mode"], timeout=section["timeout"], **rules)

    def granting(self, rules: Iterable[Rule]) -> "Policy":
        return replace(self, session=(*self.session, *rules))


@dataclass(frozen=True, slots=True)
class Verdict:
    """`suggestion` are the rules that "always" would store; empty when nothing narrow enough can be said.

    `parts` are the commands of a script that need leave, as they are shown. `doubtful`: it may be what a `deny` rule
    names, and only a person can tell.
    """

    decision: Literal["allow", "ask", "deny"]
    reason: str
    ground: Ground = "policy"
    suggestion: tuple[Rule, ...] = ()
    parts: tuple[str, ...] = ()
    doubtful: bool = False


def judge(call: CallFacts, policy: Policy) -> Verdict:
    """What is to happen with `call`."""
    if call.kind == "bridge":
        return Verdict("allow", "looking up tools never asks")
    rules = _rules_for(call.name, policy)
    verdict = _judge_script(call, rules) if call.is_shell and call.subject else _judge_plain(call, rules)
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
            return _denied(rule)
    for rule in rules.ask:
        if any(rule.fits_text(subject) for subject in subjects):
            return _asked(rule)
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


def _judge_script(call: CallFacts, rules: Policy) -> Verdict:
    try:
        needed = parts(call.subject)
    except Unreadable as reason:
        return _judge_unreadable(call, rules, reason)
    verdict = _refused(needed, rules) or _questioned(needed, rules) or _permitted(call, needed, rules)
    return replace(verdict, parts=tuple(str(part.command) for part in needed))


def _refused(needed: Iterable[Part], rules: Policy) -> Verdict | None:
    for form in (form for part in needed for form in part.forms):
        harm = ruin(form)
        if harm:
            return Verdict("deny", f"{harm}; no rule and no mode allows that")
        rule = next((rule for rule in rules.deny if rule.hits(form)), None)
        if rule is not None:
            return _denied(rule)
    return None


def _questioned(needed: Iterable[Part], rules: Policy) -> Verdict | None:
    forms = [form for part in needed for form in part.forms]
    is_unseen = any(part.is_unseen for part in needed)
    doubtful = next((rule for rule in rules.deny if is_unseen or any(rule.may_hit(form) for form in forms)), None)
    if doubtful is not None:
        return _doubtful(doubtful)
    asking = next((rule for rule in rules.ask if any(rule.hits(form) or rule.may_hit(form) for form in forms)), None)
    return _asked(asking) if asking is not None else None


def _permitted(call: CallFacts, needed: Collection[Part], rules: Policy) -> Verdict:
    commands = [part.command for part in needed]
    moves = call.runs_elsewhere or any(command.name in MOVES for command in commands)
    ungranted = [part for part in needed if not _is_granted(part, rules.granted)]
    wanting = [part for part in ungranted if not is_harmless(part.command, moves)]
    if wanting:
        reason = "it may change things: " + "; ".join(dict.fromkeys(str(part.command) for part in wanting))
        return Verdict("ask", reason, suggestion=_suggested(call.name, wanting))
    if ungranted or not commands:
        return Verdict("allow", "it only looks")
    return Verdict("allow", "rules allow each of its commands", "rule")


def _is_granted(part: Part, granted: Iterable[Rule]) -> bool:
    """What a launcher starts is granted with the launcher only by a rule that is that one command to the letter."""
    return any(
        rule.covers(part.command) or (part.behind is not None and rule.is_exact and rule.covers(part.behind))
        for rule in granted
    )


def _judge_unreadable(call: CallFacts, rules: Policy, reason: Unreadable) -> Verdict:
    """A script that cannot be taken apart is covered only by rules that cover every script of the tool."""
    harm = ruin_in_text(call.subject) or next(filter(None, map(ruin, crude_commands(call.subject))), "")
    if harm:
        return Verdict("deny", f"{harm}; no rule and no mode allows that")
    for rule in rules.deny:
        if any(rule.covers(each) for each in crude_commands(call.subject)):
            return _denied(rule)
    if rules.deny:
        return _doubtful(rules.deny[0])
    if rules.ask:
        return _asked(rules.ask[0])
    if any(rule.pattern in (None, "*") for rule in rules.granted):
        return Verdict("allow", "a rule allows every command", "rule")
    return Verdict("ask", f"the command cannot be taken apart: {reason}")


def _suggested(name: str, wanting: Iterable[Part]) -> tuple[Rule, ...]:
    """One rule for each command, the command behind a launcher being part of the launcher's; none if one has none."""
    rules = [_narrowest(name, part.behind or part.command) for part in wanting]
    return () if None in rules else tuple(dict.fromkeys(rule for rule in rules if rule is not None))


def _narrowest(name: str, command: Command) -> Rule | None:
    texts = [word.text for word in command.words]
    for length in (3, 2, 1):
        head = texts[:length]
        if len(head) == length and all(word.known for word in command.words[:length]) and not command.settings:
            if head[-1].startswith("-"):
                continue
            if " ".join(head) in _BEGINNINGS or (length > 1 and " ".join([*head[:-1], "?"]) in _BEGINNINGS):
                return beginning(name, head)
    known = all(word.known for word in (*command.words, *command.assigned))
    return exactly(name, command) if known else None


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


def _denied(rule: Rule) -> Verdict:
    return Verdict("deny", f"the rule `deny {rule}` refuses it", "rule")


def _asked(rule: Rule) -> Verdict:
    return Verdict("ask", f"the rule `ask {rule}` wants to be asked", "rule")


def _doubtful(rule: Rule) -> Verdict:
    return Verdict("ask", f"it cannot be told whether the rule `deny {rule}` means this", "rule", doubtful=True)
