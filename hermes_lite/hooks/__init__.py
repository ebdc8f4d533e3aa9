"""Hooks: commands and functions of the person that see each event, and may stop or change a call before it runs."""

from hermes_lite.config.hook_events import EVENTS, Event
from hermes_lite.hooks.hooks import HookFunction, Hooks, HookVerdict, ToolEvent

__all__ = ["EVENTS", "Event", "HookFunction", "HookVerdict", "Hooks", "ToolEvent"]
