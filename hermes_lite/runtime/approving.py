"""The approval rules and the mode of one process: as configured, and as the person changes them meanwhile."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hermes_lite.approvals.gate import ApprovalGate, Approver
from hermes_lite.approvals.policy import Policy
from hermes_lite.approvals.rules import Rule
from hermes_lite.approvals.terms import Verb
from hermes_lite.config.change import append_item, remove_item
from hermes_lite.config.place import Place
from hermes_lite.errors import UsageError
from hermes_lite.paths import Home
from hermes_lite.runtime.views import ApprovalMode, RuleView

_VERBS: tuple[Verb, ...] = ("deny", "ask", "allow")


@dataclass(slots=True)
class Approvals:
    """`mode` holds for this process; rules that the person wants kept go to the configuration as well."""

    home: Home
    mode: ApprovalMode
    rules: Policy

    @classmethod
    def of(cls, place: Place, *, yolo: bool) -> "Approvals":
        section = place.config.section("agent.approvals")
        return cls(place.home, "yolo" if yolo else section["mode"], Policy.of(section))

    def gate(self, asker: Approver | None) -> ApprovalGate:
        """A gate that reads rules and mode anew for each call."""
        return ApprovalGate(
            lambda: replace(self.rules, mode=self.mode), asker, lambda rule: self._store("allow", rule)
        )

    def views(self, granted: Sequence[Rule]) -> tuple[RuleView, ...]:
        """Every rule in force; those `granted` for the session last."""
        kept = (RuleView(_written(verb, rule), "config") for verb in _VERBS for rule in self.rules.rules(verb))
        only_now = [rule for rule in granted if rule not in self.rules.allow]
        return (*kept, *(RuleView(_written("allow", rule), "session") for rule in only_now))

    def add(self, verb: Verb, text: str) -> Path:
        """Store a rule; the file that holds it now. Raises `ConfigError`."""
        self._store(verb, Rule.of(text))
        return self.home.config

    def forget(self, text: str, granted: list[Rule]) -> tuple[str, Path | None]:
        """Drop the rule that is written `text` in `views`, with its verb or without, and a grant of the same.

        What was dropped, and the file that it was taken out of; `None` when it was `granted` for the session only.
        Raises `UsageError` for no such rule, or for several, `ConfigError` when the user's file does not hold it.
        """
        known = {(verb, rule) for verb in _VERBS for rule in self.rules.rules(verb)} | {_grant(r) for r in granted}
        meant = [(verb, rule) for verb, rule in known if text in (str(rule), _written(verb, rule))]
        if len(meant) != 1:
            raise UsageError(
                f"{len(meant)} rules are written {text!r}" if meant else f"no rule is written {text!r}",
                mend="/approve lists them; write it with its verb.",
            )
        [(verb, rule)] = meant
        stored = rule in self.rules.rules(verb)
        if stored:
            remove_item(self.home, f"agent.approvals.{verb}", rule.entry)
            self.rules = self.rules.without(verb, rule)
        granted[:] = [each for each in granted if _grant(each) != (verb, rule)]
        return _written(verb, rule), self.home.config if stored else None

    def _store(self, verb: Verb, rule: Rule) -> None:
        append_item(self.home, f"agent.approvals.{verb}", rule.entry)
        self.rules = self.rules.without(verb, rule).adding(verb, rule)


def _grant(rule: Rule) -> tuple[Verb, Rule]:
    return ("allow", rule)


def _written(verb: Verb, rule: Rule) -> str:
    return f"{verb} {rule}"
