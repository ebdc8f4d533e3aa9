"""The composition root: what a session needs, built from the configuration and taken down again.

`Runtime` is the one object that the screen and the one-shot command talk to; `Toolbox` is the part of it that the
measuring and listing commands need: the registry and the MCP servers behind it. `views.py` holds what they show.
"""

from hermes_lite.runtime.options import Options
from hermes_lite.runtime.session import Runtime
from hermes_lite.runtime.toolbox import Toolbox
from hermes_lite.runtime.views import (
    ApprovalMode,
    ContextReport,
    ContextRow,
    CostReport,
    Overview,
    Pending,
    RuleView,
)

__all__ = [
    "ApprovalMode",
    "ContextReport",
    "ContextRow",
    "CostReport",
    "Options",
    "Overview",
    "Pending",
    "RuleView",
    "Runtime",
    "Toolbox",
]
