"""What makes the SDK's sign-in begin: the refusal of a request, also where a server refuses only later ones.

Some servers greet anybody and ask who it is when their tools are listed or called. The SDK's flow starts from a
refusal, so one is put in the place of such a welcome. It also names the rights to ask for, where the person has.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress

import httpx2
from mcp.client.auth.oauth2 import OAuthClientProvider
from mcp.client.auth.utils import extract_field_from_www_auth

_CHALLENGE = "www-authenticate"


def missing_scope(answer: httpx2.Response) -> str | None:
    """The rights that a request lacked although its token was good (RFC 6750, 3.1); `None` when that is not why."""
    lacking = answer.status_code == 403 and extract_field_from_www_auth(answer, "error") == "insufficient_scope"
    return extract_field_from_www_auth(answer, "scope") or "" if lacking else None


class Insisting(httpx2.Auth):
    """`provider`'s flow, begun whether or not the server refuses. An endless welcome (SSE) is left as it is.

    `scope` is asked for in the place of what the server proposes. `welcomed`: the server did not refuse. `begun`: the
    sign-in was set going.
    """

    def __init__(self, provider: OAuthClientProvider, scope: str | None) -> None:
        self._provider = provider
        self._scope = scope
        self.welcomed = self.begun = False

    async def async_auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        async with aclosing(self._provider.async_auth_flow(request)) as flow:
            answer = yield await anext(flow)
            self.welcomed = answer.is_success
            self.begun = answer.status_code == 401 or (self.welcomed and request.method == "POST")
            if not self.begun:
                return
            answer = self._refusal(answer)
            with suppress(StopAsyncIteration):
                while True:
                    answer = yield await flow.asend(answer)
                    if answer.request.url != request.url:
                        await answer.aread()

    def _refusal(self, answer: httpx2.Response) -> httpx2.Response:
        words = answer.headers.get(_CHALLENGE, "Bearer")
        wanted = f'Bearer scope="{self._scope}", {words}' if self._scope else words
        return httpx2.Response(401, headers={_CHALLENGE: wanted}, request=answer.request)
