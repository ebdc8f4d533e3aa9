"""Whether a conversation is one that the strictest chat-completions endpoints take."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_SPEAKERS = ("user", "assistant")


def assert_valid(messages: Sequence[Mapping[str, Any]]) -> None:
    """Raise `AssertionError` unless each call has one result right behind its reply and nothing is empty."""
    open_ids: list[str] = []
    seen: set[str] = set()
    for position, message in enumerate(messages):
        where = f"message {position}: {message}"
        if message["role"] == "tool":
            assert message["tool_call_id"] in open_ids, f"a result without its call, {where}"
            assert isinstance(message["content"], str), where
            open_ids.remove(message["tool_call_id"])
            continue
        assert not open_ids, f"calls {open_ids} have no result before {where}"
        if message["role"] == "system":
            assert position == 0 and message["content"], where
            continue
        assert message["role"] in _SPEAKERS, where
        made = message.get("tool_calls")
        assert made is None or made, f"an empty list of calls, {where}"
        assert made or (isinstance(message["content"], str) and message["content"].strip()), f"empty, {where}"
        for call in made or ():
            assert call["id"] and call["id"] not in seen, f"a call id twice, {where}"
            assert _NAME.fullmatch(call["function"]["name"]), where
            assert isinstance(json.loads(call["function"]["arguments"]), dict), where
            seen.add(call["id"])
            open_ids.append(call["id"])
    assert not open_ids, f"calls {open_ids} have no result"
