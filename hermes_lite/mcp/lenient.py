"""JSON as people keep it in editors: with comments and commas behind the last item."""

import json
from pathlib import Path
from typing import Any


def read_json(path: Path) -> Any:
    """What the file says. Raises `OSError`, and `ValueError` where it is neither JSON nor JSON with comments."""
    text = path.read_text(encoding="utf-8-sig")
    try:
        return json.loads(text)
    except json.JSONDecodeError as strict:
        from jsonc import loads

        try:
            return loads(text)
        except (ValueError, RecursionError):
            raise strict from None
