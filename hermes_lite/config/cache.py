"""Reads YAML without loading the YAML parser where that can be avoided: it alone costs a start 45 ms.

What a file was parsed to is remembered beside the digest of its content, one private entry a file, so that what the
person takes out of a file is not kept here either. The folder lies in the home folder and can be deleted at any time;
without a home folder nothing is remembered and nothing is created.
"""

import json
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from hermes_lite.config.atomic import write_atomically
from hermes_lite.config.kinds import Kind
from hermes_lite.config.nodes import Mapped, Node, Scalar, decode, encode
from hermes_lite.paths import make_private
from hermes_lite.text import utf8

_FORMAT = b"2"
_PRIVATE = 0o600


def parse_remembered(text: str, file: Path, folder: Path | None) -> Mapped:
    """What `document.parse(text)` gives for the content of `file`, from `folder` when that was parsed before.

    Raises `BrokenYaml`.
    """
    if folder is None:
        return _parse(text)
    entry = folder / f"{sha256(utf8(str(file))).hexdigest()[:32]}.json"
    digest = sha256(_FORMAT + utf8(text)).hexdigest()
    remembered = _recall(entry, digest)
    if remembered is None:
        with suppress(OSError):
            entry.unlink(missing_ok=True)
        remembered = _parse(text)
        _remember(entry, digest, remembered)
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


def _recall(entry: Path, digest: str) -> Mapped | None:
    try:
        kept = json.loads(entry.read_bytes())
        node = decode(kept["node"]) if kept["digest"] == digest else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return node if isinstance(node, Mapped) else None


def _remember(entry: Path, digest: str, node: Mapped) -> None:
    """Best effort: a home folder that cannot be written costs time, not the start."""
    with suppress(OSError):
        make_private(entry.parent)
        text = json.dumps({"digest": digest, "node": encode(node)}, separators=(",", ":"))
        write_atomically(entry, text, _PRIVATE)
