"""A real authorization server and a server it guards, both of the SDK, on one free port, for tests."""

import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    RefreshToken,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyHttpUrl
from starlette.responses import Response


@dataclass
class Authority:
    """Consents to everything; counts and remembers. `lifetime` is that of the next access tokens, in seconds.

    `welcoming`: those who are not signed in are greeted all the same. `wanting`: rights that no token has.
    """

    lifetime: int = 3600
    refreshes: int = 0
    calls: int = 0
    url: str = ""
    welcoming: bool = False
    wanting: str = ""
    clients: dict[str, OAuthClientInformationFull] = field(default_factory=dict)
    codes: dict[str, AuthorizationCode] = field(default_factory=dict)
    access: dict[str, AccessToken] = field(default_factory=dict)
    refresh: dict[str, RefreshToken] = field(default_factory=dict)

    def revoke_access(self) -> None:
        self.access.clear()

    def revoke_all(self) -> None:
        self.access.clear()
        self.refresh.clear()

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        self.clients[client_info.client_id] = client_info

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        code = AuthorizationCode(
            code=secrets.token_urlsafe(),
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            client_id=client.client_id,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        self.codes[code.code] = code
        return construct_redirect_uri(str(params.redirect_uri), code=code.code, state=params.state)

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        del self.codes[authorization_code.code]
        return self._issue(client.client_id, authorization_code.resource)

    async def load_refresh_token(self, client: OAuthClientInformationFull, refresh_token: str) -> RefreshToken | None:
        return self.refresh.get(refresh_token)

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        """Rotates: the old refresh token is worthless from now on, so that a second refresh with it would fail."""
        self.refreshes += 1
        del self.refresh[refresh_token.token]
        return self._issue(client.client_id, refresh_token.resource)

    async def load_access_token(self, token: str) -> AccessToken | None:
        return self.access.get(token)

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        self.access.pop(token.token, None)
        self.refresh.pop(token.token, None)

    def _issue(self, client_id: str, resource: str | None) -> OAuthToken:
        access, refresh = secrets.token_urlsafe(), secrets.token_urlsafe()
        expires = int(time.time()) + self.lifetime
        self.access[access] = AccessToken(
            token=access, client_id=client_id, scopes=[], expires_at=expires, resource=resource
        )
        self.refresh[refresh] = RefreshToken(token=refresh, client_id=client_id, scopes=[], resource=resource)
        return OAuthToken(access_token=access, refresh_token=refresh, expires_in=self.lifetime)


@contextmanager
def guarded_server() -> Iterator[Authority]:
    """Serve one tool, `greet`, to those who are signed in."""
    authority = Authority()
    config = uvicorn.Config(lambda: None, host="127.0.0.1", port=0, log_level="error", lifespan="on", ws="none")
    sock = config.bind_socket()
    base = f"http://127.0.0.1:{sock.getsockname()[1]}"
    authority.url = f"{base}/mcp"
    config.app = _app(authority, base)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]})
    thread.start()
    try:
        yield authority
    finally:
        server.should_exit = True
        thread.join()
        sock.close()


def _app(authority: Authority, base: str) -> Any:
    guarded = MCPServer(
        "guarded",
        auth_server_provider=authority,  # type: ignore[arg-type]
        auth=AuthSettings(
            issuer_url=AnyHttpUrl(base),
            resource_server_url=AnyHttpUrl(authority.url),
            client_registration_options=ClientRegistrationOptions(enabled=True),
            validate_token_resource=True,
        ),
    )

    @guarded.tool(structured_output=False)
    def greet(name: str) -> str:
        authority.calls += 1
        return f"hello {name}"

    return _Gate(authority, guarded.streamable_http_app(json_response=True))


@dataclass
class _Gate:
    """Stands before the guarded server and answers in its place what that cannot be brought to answer."""

    authority: Authority
    app: Any

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        signed_in = any(name == b"authorization" for name, _ in scope.get("headers", ()))
        if scope.get("path") == "/mcp" and self.authority.wanting and signed_in:
            words = f'Bearer error="insufficient_scope", scope="{self.authority.wanting}"'
            await Response(status_code=403, headers={"www-authenticate": words})(scope, receive, send)
        elif scope.get("path") == "/mcp" and self.authority.welcoming and not signed_in:
            await Response()(scope, receive, send)
        else:
            await self.app(scope, receive, send)
