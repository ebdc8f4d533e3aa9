"""The approval rules and the mode of one process: as configured, and as the person changes them meanwhile."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hermes_lite.approvals.gate import ApprovalGate, Approver
from hermes_lite.approvals.policy import Policy
from hermes_lite.approvals.rules import Rule
from hermes_lite.config.change import append_item
from hermes_lite.config.place import Place
from hermes_lite.paths import Home
from hermes_lite.runtime.views import ApprovalMode, RuleView


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
        return ApprovalGate(lambda: replace(self.rules, mode=self.mode), asker, self._remember)

    def views(self, granted: Sequence[Rule]) -> tuple[RuleView, ...]:
        """Every rule in force; those `granted` for the session last."""
        groups = (("deny", self.rules.deny), ("ask", self.rules.ask), ("allow", self.rules.allow))
        kept = (RuleView(f"{verb} {rule}", "config") for verb, rules in groups for rule in rules)
        only_now = [rule for rule in granted if rule not in self.rules.allow]
        return (*kept, *(RuleView(f"allow {rule}", "session") for rule in only_now))

    def _remember(self, rule: Rule) -> None:
        append_item(self.home, "agent.approvals.allow", rule.entry)
        self.rules = replace(self.rules, allow=(*self.rules.allow, rule))
