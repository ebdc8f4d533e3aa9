"""What a session shows of itself: plain values for the status line, `/context`, `/cost`."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from hermes_lite.model.windows import Origin
from hermes_lite.tools.spec import SourceStatus

ApprovalMode: TypeAlias = Literal["ask", "auto-edit", "yolo", "deny"]


@dataclass(frozen=True, slots=True)
class Overview:
    """What the status line shows. Token figures are by `counter`'s method; `window` is None when unknown."""

    model: str
    endpoint: str
    is_demo: bool
    session_id: str
    used_tokens: int
    window: int | None
    counter: str
    direct: int
    deferred: int
    approvals: ApprovalMode
    servers: tuple[SourceStatus, ...]


@dataclass(frozen=True, slots=True)
class ContextRow:
    """One bar of `/context`: system prompt, direct tools, bridge, listing, history by kind."""

    label: str
    tokens: int
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ContextReport:
    """What fills the window. `saved_tokens` is what deferral keeps out of every request."""

    rows: tuple[ContextRow, ...]
    used: int
    window: int | None
    window_origin: Origin
    counter: str
    deferred_tools: int
    deferred_tokens: int
    saved_tokens: int
    activation: str


@dataclass(frozen=True, slots=True)
class CostReport:
    """What the session has used so far; `usd` is None when the model's price is unknown."""

    model: str
    requests: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    usd: float | None


@dataclass(frozen=True, slots=True)
class RuleView:
    """One approval rule as it is written in the configuration, and whether it lasts."""

    text: str
    origin: Literal["session", "config"]


@dataclass(frozen=True, slots=True)
class Pending:
    """Something that has changed and does not hold yet: `what`, and the step that makes it hold."""

    what: str
    until: str
