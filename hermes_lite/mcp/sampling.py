"""A server's wish to use the person's model: only where the person has switched it on for that server.

Text alone is passed on, and the answer comes back as text; the model, its price and its limits are the session's. The
feature is deprecated since protocol version 2026-07-28 and kept for the servers that still ask. How a completion is
made is the caller's (`Complete`).
"""

import mcp_types as types

from hermes_lite.mcp.wishes import Complete, Wish
from hermes_lite.text import harmless


async def sample(
    server: str, params: types.CreateMessageRequestParams, complete: Complete
) -> types.CreateMessageResult | types.ErrorData:
    """The answer to one request of `server`."""
    turns = tuple((message.role, _text(message)) for message in params.messages)
    done = await complete(Wish(server, harmless(params.system_prompt or ""), turns, params.max_tokens))
    if done is None:
        return types.ErrorData(code=types.INVALID_REQUEST, message="The person declined.")
    return types.CreateMessageResult(
        role="assistant",
        content=types.TextContent(type="text", text=done.text),
        model=done.model,
        stop_reason="endTurn",
    )


def _text(message: types.SamplingMessage) -> str:
    """The message's text; what is not text is named by its kind."""
    parts = message.content_as_list
    return "\n".join(harmless(part.text) if part.type == "text" else f"[{part.type}]" for part in parts)
