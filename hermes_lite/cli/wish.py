"""What the bare command was asked for."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """The options of the bare command."""

    prompt: str | None = None
    output_format: Literal["text", "json", "stream-json"] = "text"
    proceed: bool = False
    resume: str | None = None
    model: str = ""
    base_url: str = ""
    toolsets: tuple[str, ...] = ()
    yolo: bool = False
    demo: bool = False
