"""What a server gives back, as parsed JSON, made into the text that the model reads.

Text is kept whole and in order; folding huge results is left to the pipeline. Pictures, sound and other binary parts
are written to files, and the text names them. Structured content is shown only where the text does
not hold it already.
"""

import base64
import json
from binascii import Error as BadBase64
from collections.abc import Callable, Mapping
from hashlib import sha256
from mimetypes import guess_extension
from pathlib import Path
from typing import Any, TypeAlias

from hermes_lite.errors import reason
from hermes_lite.text import harmless, one_line
from hermes_lite.tools.spec import ToolResult

Keep: TypeAlias = Callable[[bytes, str], Path]


def keeper(folder: Path) -> Keep:
    """A function that writes bytes of a media type under `folder`, named by their hash, and gives the path."""

    def keep(content: bytes, media_type: str) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / (sha256(content).hexdigest()[:16] + (guess_extension(media_type) or ".bin"))
        path.write_bytes(content)
        return path

    return keep


def tool_result(result: Mapping[str, Any], keep: Keep, note: str = "") -> ToolResult:
    """The result of one call. `note` is a remark of ours that the model should read after it."""
    parts = [_part(item, keep) for item in result.get("content", ())]
    structured = result.get("structuredContent")
    if structured is not None and not _repeats(parts, structured):
        parts.append(json.dumps(structured, ensure_ascii=False))
    if note:
        parts.append(f"[{note}]")
    text = harmless("\n".join(part for part in parts if part))
    return ToolResult(text or "(the tool returned nothing)", is_error=result.get("isError") is True, data=structured)


def resource_text(contents: Mapping[str, Any], keep: Keep) -> str:
    """The contents of one resource, or of one part of a resource that has several."""
    if isinstance(contents.get("text"), str):
        return str(contents["text"])
    return _binary(contents.get("blob"), _media_type(contents), f"resource {contents.get('uri', '')}", keep)


def _part(item: Mapping[str, Any], keep: Keep) -> str:
    match item.get("type"):
        case "text":
            return str(item["text"])
        case "image" | "audio" as kind:
            return _binary(item.get("data"), _media_type(item), kind, keep)
        case "resource":
            return resource_text(item["resource"], keep)
        case "resource_link":
            label = one_line(" ".join(str(item.get(name) or "") for name in ("name", "description")))
            return f"[resource {item['uri']} {label}]".replace(" ]", "]")
        case _:
            return json.dumps(dict(item), ensure_ascii=False)


def _binary(encoded: Any, media_type: str, kind: str, keep: Keep) -> str:
    try:
        content = base64.b64decode(encoded, validate=True)
    except (TypeError, BadBase64):
        return f"[{kind}, {media_type}: the server sent no readable data]"
    try:
        place = f"kept in {keep(content, media_type)}"
    except OSError as error:
        place = f"not kept: {reason(error)}"
    return f"[{kind}, {media_type}, {len(content)} bytes, {place}]"


def _media_type(item: Mapping[str, Any]) -> str:
    return one_line(str(item.get("mimeType") or "application/octet-stream"))


def _repeats(parts: list[str], structured: Any) -> bool:
    """Whether the text already says what the structured content says."""
    if len(parts) != 1:
        return False
    try:
        said = json.loads(parts[0])
    except ValueError:
        return isinstance(structured, dict) and structured == {"result": parts[0]}
    return bool(said == structured or {"result": said} == structured)
