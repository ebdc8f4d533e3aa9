"""The words that approvals are spoken in: a call's facts, the person's policy, and the verdict on the call."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from hermes_lite.approvals.rules import Rule
from hermes_lite.tools.spec import Risk, SourceKind, Tier, ToolSpec

Mode: TypeAlias = Literal["ask", "auto-edit", "yolo", "deny"]
Verb: TypeAlias = Literal["allow", "ask", "deny"]
Ground: TypeAlias = Literal["rule", "mode", "policy"]


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
    def beside(self) -> tuple[str, ...]:
        """The texts beside a script, each of which may name another folder for it to run in."""
        values = self.arguments.values() if self.is_shell else ()
        return tuple(value for value in values if isinstance(value, str) and value not in ("", self.subject))

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
            target=_place(cwd, subject) if writes_path else None,
            arguments=arguments,
            cwd=cwd,
        )


def _place(cwd: Path, path: str) -> Path | None:
    """The file that `path` leads to; `None` for what can be no path, which no rule for places then covers."""
    try:
        return (cwd / Path(path).expanduser()).resolve()
    except (OSError, ValueError, RuntimeError):
        return None


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

    def rules(self, verb: Verb) -> tuple[Rule, ...]:
        return {"allow": self.allow, "ask": self.ask, "deny": self.deny}[verb]

    def adding(self, verb: Verb, rule: Rule) -> "Policy":
        return self._having(verb, (*self.rules(verb), rule))

    def without(self, verb: Verb, rule: Rule) -> "Policy":
        return self._having(verb, tuple(other for other in self.rules(verb) if other != rule))

    def _having(self, verb: Verb, rules: tuple[Rule, ...]) -> "Policy":
        having: Mapping[str, Any] = {verb: rules}
        return replace(self, **having)


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


def denied(rule: Rule) -> Verdict:
    return Verdict("deny", f"the rule `deny {rule}` refuses it", "rule")


def asking(rule: Rule) -> Verdict:
    return Verdict("ask", f"the rule `ask {rule}` wants to be asked", "rule")


def doubtful(rule: Rule) -> Verdict:
    return Verdict("ask", f"it cannot be told whether the rule `deny {rule}` means this", "rule", doubtful=True)
