"""JSON as people keep it in editors: with comments and commas behind the last item."""

import json
from pathlib import Path
from typing import Any

from hermes_lite.config.source import content_of

_MOST = 64_000_000


def text_of(path: Path) -> str:
    """The text of the file. Raises `OSError`, and `ValueError` where it is not UTF-8."""
    try:
        return content_of(path, _MOST).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None


def read_json(path: Path) -> Any:
    """What the file says. Raises `OSError`, and `ValueError` where it is neither JSON nor JSON with comments."""
    text = text_of(path)
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except json.JSONDecodeError as strict:
        from jsonc import loads

        try:
            return loads(text)
        except (ValueError, RecursionError):
            raise strict from None
