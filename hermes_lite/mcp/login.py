"""Signing in to a server: discovery, registration and the authorization code with PKCE, done by the SDK.

The person's browser comes back to a listener on this machine; where it cannot (a remote shell), the address it was
sent to may be pasted instead. What comes out is a `Grant`; sessions never sign in, they only use it.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

import anyio
import httpx2
from anyio.abc import SocketStream
from mcp.client.auth.exceptions import OAuthFlowError, OAuthRegistrationError
from mcp.client.auth.oauth2 import OAuthClientProvider
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
)
from mcp_types import LATEST_PROTOCOL_VERSION
from pydantic import AnyUrl

from hermes_lite.errors import ServerError, reason
from hermes_lite.mcp.challenge import Insisting
from hermes_lite.mcp.grants import BASIC, POST, Grant, GrantStore
from hermes_lite.mcp.settings import ServerSettings

_PAGE = b"<!doctype html><meta charset=utf-8><title>Hermes Lite</title><p>Signed in. You can close this page."
_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n"
_BY_HAND = "Register a client there, and set `oauth: {client_id: ..., redirect_port: ...}` for the server."
_MOST_HEADER = 16_384


async def login(
    server: ServerSettings,
    store: GrantStore,
    *,
    show: Callable[[str], Awaitable[None]],
    paste: Callable[[], Awaitable[str]] | None = None,
    seconds: float,
) -> Grant:
    """Sign in to `server` and keep the grant.

    `show` is given the address for the person's browser. `paste` may deliver the address that the browser was sent
    back to; whichever comes first counts. Raises `ServerError` when the server wants no sign-in, refuses, or nobody
    comes within `seconds`.
    """
    if server.wire == "stdio":
        raise ServerError(f"{server.key} is a program; it needs no sign-in here", mend="See the server's own manual.")
    wanted = server.oauth or {}

    async def opened(address: str) -> None:
        context = provider.context
        if context.client_info is not None and context.oauth_metadata is not None:
            context.client_info = provable(context.client_info, context.oauth_metadata)
        await show(address)

    async with await _Door.open(int(wanted.get("redirect_port", 0)), paste) as door:
        provider = OAuthClientProvider(
            server.url,
            OAuthClientMetadata(
                client_name="Hermes Lite",
                redirect_uris=[AnyUrl(door.address)],
                token_endpoint_auth_method="none",
            ),
            _Registered(wanted, door.address),
            redirect_handler=opened,
            callback_handler=door.answer,
        )
        knock = Insisting(provider, _scope(wanted.get("scope"), store.load(server.key)))
        try:
            with anyio.fail_after(seconds):
                await _knock(server, knock)
        except TimeoutError:
            raise ServerError(f"nobody signed in to {server.key} within {seconds:g} s", mend="Try again.") from None
        except OAuthRegistrationError as error:
            if not knock.welcomed:
                raise ServerError(f"{server.key} registers nobody: {error}", mend=_BY_HAND) from error
            raise ServerError(f"{server.key} let us in without a sign-in", mend="Nothing to do.") from None
        except (OAuthFlowError, httpx2.HTTPError, ValueError) as error:
            raise ServerError(
                f"{server.key}: the sign-in failed: {reason(error)}", mend="Check the address."
            ) from error
    grant = _grant(server, provider)
    store.keep(server.key, grant)
    return grant


def _scope(wanted: object, before: Grant | None) -> str | None:
    """The rights to ask for: what the person wants and, where a session lacked some, these beside those it had."""
    parts = [wanted, *((before.scope, before.lacked) if before is not None and before.lacked else ())]
    words = dict.fromkeys(word for part in parts if part for word in str(part).split())
    return " ".join(words) or None


async def _knock(server: ServerSettings, auth: Insisting) -> None:
    """One request to the server, which sets the sign-in going. Raises `OAuthFlowError` when that is in vain."""
    hello = {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {
            "protocolVersion": LATEST_PROTOCOL_VERSION,
            "capabilities": {},
            "clientInfo": {"name": "x", "version": "0"},
        },
    }
    accept = {"accept": "application/json, text/event-stream", "mcp-protocol-version": LATEST_PROTOCOL_VERSION}
    async with httpx2.AsyncClient(auth=auth, headers={**accept, **server.headers}) as client:
        verb, body = ("GET", None) if server.wire == "sse" else ("POST", hello)
        async with client.stream(verb, server.url, json=body) as response:
            if response.status_code == 401:
                raise OAuthFlowError("the server refuses the token that it has just given out")
            if response.is_error and not auth.begun:
                raise OAuthFlowError(f"HTTP {response.status_code} {response.reason_phrase}".strip())


def provable(client: OAuthClientInformationFull, authority: OAuthMetadata) -> OAuthClientInformationFull:
    """`client` with a way to prove its secret that `authority` takes; basic where that says none (RFC 8414, 2)."""
    taken = authority.token_endpoint_auth_methods_supported or [BASIC]
    if client.client_secret is None or client.token_endpoint_auth_method in taken:
        return client
    method = next((method for method in (BASIC, POST) if method in taken), client.token_endpoint_auth_method)
    return client.model_copy(update={"token_endpoint_auth_method": method})


def _grant(server: ServerSettings, provider: OAuthClientProvider) -> Grant:
    context = provider.context
    if context.current_tokens is None or context.client_info is None:
        raise ServerError(f"{server.key} let us in without a sign-in", mend="Nothing to do.")
    return Grant(
        access_token=context.current_tokens.access_token,
        refresh_token=context.current_tokens.refresh_token,
        expires_at=context.token_expiry_time,
        scope=context.current_tokens.scope,
        token_endpoint=_token_endpoint(server, provider),
        client_id=context.client_info.client_id,
        client_secret=context.client_info.client_secret,
        client_method=context.client_info.token_endpoint_auth_method,
        resource=context.get_resource_url()
        if context.should_include_resource_param(context.protocol_version)
        else None,
    )


def _token_endpoint(server: ServerSettings, provider: OAuthClientProvider) -> str:
    """Where tokens come from: as discovered, else beside the server, as the oldest version of the protocol has it."""
    metadata = provider.context.oauth_metadata
    return str(metadata.token_endpoint) if metadata is not None else urljoin(server.url, "/token")


@dataclass(slots=True)
class _Registered:
    """The SDK's storage, empty but for a client that the person has registered by hand."""

    wanted: Mapping[str, Any]
    address: str

    async def get_tokens(self) -> OAuthToken | None:
        return None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Kept by `login` together with all that a refresh needs."""

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        if "client_id" not in self.wanted:
            return None
        secret = self.wanted.get("client_secret")
        return OAuthClientInformationFull(
            client_id=str(self.wanted["client_id"]),
            client_secret=str(secret) if secret else None,
            redirect_uris=[AnyUrl(self.address)],
            token_endpoint_auth_method=POST if secret else "none",
        )

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Kept by `login` as well."""


class _Door:
    """Where the browser comes back to: a listener for one request, beside what the person may paste."""

    def __init__(
        self, listener: anyio.abc.Listener[SocketStream], paste: Callable[[], Awaitable[str]] | None
    ) -> None:
        self._listener = listener
        self._paste = paste
        port = listener.extra(anyio.abc.SocketAttribute.local_port)
        self.address = f"http://127.0.0.1:{port}/callback"

    @classmethod
    async def open(cls, port: int, paste: Callable[[], Awaitable[str]] | None) -> "_Door":
        listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=port)
        return cls(listener, paste)

    async def __aenter__(self) -> "_Door":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._listener.aclose()

    async def answer(self) -> AuthorizationCodeResult:
        """What the authorization server sent back. Raises `OAuthFlowError` when it is a refusal."""
        send, receive = anyio.create_memory_object_stream[str](8)
        async with send, receive, anyio.create_task_group() as group:
            group.start_soon(self._listener.serve, lambda client: _serve(client, send.clone()))
            if self._paste is not None:
                group.start_soon(self._pasted, send.clone())
            address = await receive.receive()
            group.cancel_scope.cancel()
        return _result(address)

    async def _pasted(self, send: anyio.abc.ObjectSendStream[str]) -> None:
        async with send:
            if self._paste is not None:
                await send.send((await self._paste()).strip())


async def _serve(client: SocketStream, send: anyio.abc.ObjectSendStream[str]) -> None:
    """Answer one request of the browser; only the way back counts, not its search for an icon."""
    async with client, send:
        head = b""
        while b"\r\n\r\n" not in head and len(head) < _MOST_HEADER:
            head += await client.receive()
        await client.send(_HEAD + _PAGE)
        target = head.split(b" ")[1].decode("ascii", "replace")
        if urlsplit(target).path == "/callback":
            await send.send(target)


def _result(address: str) -> AuthorizationCodeResult:
    query = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
    if "error" in query:
        raise OAuthFlowError(query.get("error_description") or query["error"])
    return AuthorizationCodeResult(code=query.get("code", ""), state=query.get("state"), iss=query.get("iss"))
