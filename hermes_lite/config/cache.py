"""Reads YAML without loading the YAML parser where that can be avoided: it alone costs a start 45 ms.

Parsed files are remembered by their content; reading one back takes under 1 ms. The folder lies in the home folder
and can be deleted at any time; without a home folder nothing is remembered and nothing is created.
"""

import json
from hashlib import sha256
from pathlib import Path

from hermes_lite.config.kinds import Kind
from hermes_lite.config.nodes import Mapped, Node, Scalar, decode, encode
from hermes_lite.text import utf8

_FORMAT = b"1"
_KEPT = 16


def parse_remembered(text: str, folder: Path | None) -> Mapped:
    """What `document.parse(text)` gives, from `folder` when it was parsed before. Raises `BrokenYaml`."""
    if folder is None:
        return _parse(text)
    file = folder / f"{sha256(_FORMAT + utf8(text)).hexdigest()}.json"
    remembered = _recall(file)
    if remembered is None:
        remembered = _parse(text)
        _remember(file, remembered)
    return remembered


def node_from_text(kind: Kind, text: str) -> Node:
    """What a text from outside a file means for `kind`: itself, or a YAML literal. Raises `BrokenYaml`."""
    if not kind.structured:
        return Scalar(text, text)
    from hermes_lite.config.document import parse_value

    return parse_value(text)


def _parse(text: str) -> Mapped:
    from hermes_lite.config.document import parse

    return parse(text)


def _recall(file: Path) -> Mapped | None:
    try:
        node = decode(json.loads(file.read_bytes()))
    except (OSError, ValueError):
        return None
    return node if isinstance(node, Mapped) else None


def _remember(file: Path, node: Mapped) -> None:
    """Best effort: a home folder that cannot be written costs time, not the start."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        partial = file.with_suffix(f".{id(node):x}")
        partial.write_text(json.dumps(encode(node), separators=(",", ":")), encoding="utf-8")
        partial.replace(file)
        for old in sorted(file.parent.iterdir(), key=lambda path: path.stat().st_mtime)[:-_KEPT]:
            old.unlink(missing_ok=True)
    except OSError:
        return
