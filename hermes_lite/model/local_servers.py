"""Finds model servers on this machine by asking for their model list; loads no SDK and goes through no proxy."""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import urlsplit

import anyio
import anyio.to_thread

_NOT_FOR_CHAT = re.compile(r"embed|rerank|whisper|\btts\b|bge-", re.IGNORECASE)
_LIST_LIMIT = 4 << 20


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server that answered, and the models it can chat with."""

    base_url: str
    models: tuple[str, ...]


async def first_answering(base_urls: Sequence[str], timeout: float) -> LocalServer | None:
    """The first of `base_urls`, in their order, that lists a model in `timeout` seconds; all are asked at once."""
    found: dict[str, LocalServer] = {}

    async def ask(base_url: str) -> None:
        models = await anyio.to_thread.run_sync(chat_models, base_url, timeout, abandon_on_cancel=True)
        if models:
            found[base_url] = LocalServer(base_url, models)

    with anyio.move_on_after(timeout):
        async with anyio.create_task_group() as group:
            for base_url in base_urls:
                group.start_soon(ask, base_url)
    return next((found[base_url] for base_url in base_urls if base_url in found), None)


def chat_models(base_url: str, timeout: float) -> tuple[str, ...]:
    """The names in the server's model list that look like models to chat with; empty when no such list comes."""
    try:
        parts = urlsplit(base_url)
        with closing(HTTPConnection(parts.hostname or "", parts.port or 80, timeout=timeout)) as connection:
            connection.request("GET", parts.path.rstrip("/") + "/models")
            answer = json.loads(connection.getresponse().read(_LIST_LIMIT))
    except (OSError, HTTPException, ValueError):
        return ()
    return chat_names(answer)


def chat_names(answer: Any) -> tuple[str, ...]:
    """The names in the JSON of a model list that look like models to chat with; empty when it is no such list."""
    entries = answer.get("data") if isinstance(answer, Mapping) else None
    names = (entry.get("id") for entry in entries or () if isinstance(entry, Mapping))
    return tuple(name for name in names if isinstance(name, str) and not _NOT_FOR_CHAT.search(name))
