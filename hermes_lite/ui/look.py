"""What the terminal at hand can show, and how a renderable becomes the text that is written to it.

Everything above this module draws with the full set of glyphs and styles; what the terminal cannot take is left
out here, once, at the exit. So no other file asks about colour or encoding.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from io import StringIO
from typing import Literal, TextIO, TypeAlias

from rich.console import Console, RenderableType
from rich.theme import Theme

from hermes_lite.text import encodable

Plain: TypeAlias = Literal["auto", "on", "off"]

PROMPT = "› "

_OURS = {"tool": "cyan", "good": "green", "warn": "yellow", "bad": "red", "accent": "cyan"}
THEME = Theme(
    {
        **_OURS,
        **{f"bold {name}": f"bold {style}" for name, style in _OURS.items()},
        "you": "bold",
        "faint": "dim",
        "markdown.h1": "bold underline",
        "markdown.h2": "bold",
        "markdown.h3": "bold",
        "markdown.h4": "bold dim",
        "markdown.code": "cyan",
        "markdown.code_block": "none",
        "markdown.block_quote": "dim",
        "markdown.item.bullet": "cyan",
        "markdown.item.number": "cyan",
        "markdown.table.header": "bold",
        "markdown.table.border": "dim",
        "markdown.link": "none",
        "markdown.link_url": "dim underline",
    },
    inherit=True,
)

# One cell for one cell, so that nothing moves when a terminal cannot show the glyph on the left.
_PAIRS = (
    "●@ ○o ›> …~ ·- •* ✓+ ✗x ⊘! ■# █# ▓= ▒: ░. ─- ━- │| ┃| ▌| →> ↳> ≡= ±+ “' ”' ‘' ’' –- —- ⠋| ⠙/ ⠹- ⠸| ⠼/ ⠴- ⠦| ⠧/"
)
_ASCII = str.maketrans({pair[0]: pair[1] for pair in _PAIRS.split()})
_TRAILING = re.compile(r"[ \t]+((?:\x1b\[[0-9;]*m)*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Look:
    """`live` terminals may be repainted below the scrollback; the others are only ever appended to."""

    color: bool
    unicode: bool
    live: bool


def look_of(environ: Mapping[str, str], stream: TextIO, plain: Plain) -> Look:
    """The look of `stream`: NO_COLOR and FORCE_COLOR count when they are not empty."""
    tty = stream.isatty()
    dumb = environ.get("TERM", "") in ("", "dumb", "unknown")
    appendable = plain == "on" or (plain == "auto" and dumb)
    forced = bool(environ.get("FORCE_COLOR") or environ.get("CLICOLOR_FORCE"))
    return Look(
        color=not environ.get("NO_COLOR") and not appendable and (forced or (tty and not dumb)),
        unicode=(getattr(stream, "encoding", None) or "").lower().startswith("utf"),
        live=tty and not appendable,
    )


def render(what: RenderableType, look: Look, width: int) -> str:
    """`what` as lines of at most `width` cells, ready to be written; the only escapes in it are our colours."""
    out = StringIO()
    console = Console(
        file=out,
        width=max(1, width),
        force_terminal=look.color,
        color_system="standard" if look.color else None,
        no_color=not look.color,
        theme=THEME,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
        _environ={},
    )
    console.print(what)
    return drawable(_TRAILING.sub(r"\1", out.getvalue()), look)


def writable(text: str, stream: TextIO) -> str:
    """`text` with what the encoding of `stream` has no room for replaced, so that writing it never fails."""
    return encodable(text, stream.encoding or "utf-8")


def drawable(text: str, look: Look) -> str:
    """`text` with each of our glyphs that the terminal cannot show replaced, cell for cell."""
    return text if look.unicode else text.translate(_ASCII)
