"""The access token on each request of a session to a server that wants a sign-in.

A session never asks the person anything: it uses what a sign-in has left, renews it when it runs out, once for all
requests that need it, and otherwise lets the server's refusal stand, from which `server_task` makes "needs sign-in".
"""

import time
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import replace
from urllib.parse import quote

import anyio
import httpx2
import portalocker

from hermes_lite.mcp.challenge import missing_scope
from hermes_lite.mcp.grants import BASIC, POST, Grant, GrantStore

_TIMEOUT = 30
_LOCK_SECONDS = 30


class Bearer(httpx2.Auth):
    """For one server. Requests wait for each other only while the token is being renewed."""

    def __init__(self, key: str, store: GrantStore) -> None:
        self._key = key
        self._store = store
        self._grant = store.load(key)
        self._renewing = anyio.Lock()

    async def async_auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        grant = self._grant
        if grant is not None and grant.is_stale:
            grant = await self._renewed(grant)
        response = yield _with_token(request, grant)
        if grant is not None and (lacked := missing_scope(response)):
            with suppress(OSError):
                self._store.keep(self._key, replace(grant, lacked=lacked))
        if response.status_code == 401 and grant is not None:
            renewed = await self._renewed(grant)
            if renewed is not None and renewed.access_token != grant.access_token:
                yield _with_token(request, renewed)

    async def _renewed(self, used: Grant) -> Grant | None:
        """A grant that is newer than `used`: the one that another request or process got meanwhile, or a fresh one.

        `used` itself when it cannot be renewed.
        """
        async with self._renewing:
            if self._grant is not None and self._grant.access_token != used.access_token:
                return self._grant
            try:
                lock = portalocker.Lock(self._store.lock_file(self._key), timeout=_LOCK_SECONDS)
                await anyio.to_thread.run_sync(lock.acquire)
            except (OSError, portalocker.LockException):
                return used
            try:
                self._grant = await self._exchanged(self._store.load(self._key) or used, used)
            finally:
                lock.release()
            return self._grant

    async def _exchanged(self, kept: Grant, used: Grant) -> Grant:
        if kept.access_token != used.access_token or kept.refresh_token is None:
            return kept
        try:
            async with httpx2.AsyncClient(timeout=_TIMEOUT) as client:
                answer = (await client.send(refresh_request(kept))).raise_for_status().json()
            fresh = renewed(kept, answer)
        except (httpx2.HTTPError, ValueError, KeyError):
            return kept
        with suppress(OSError):
            self._store.keep(self._key, fresh)
        return fresh


def refresh_request(grant: Grant) -> httpx2.Request:
    """The request for a new access token (RFC 6749, 6; RFC 8707 for the resource)."""
    form = {"grant_type": "refresh_token", "refresh_token": grant.refresh_token or "", "client_id": grant.client_id}
    if grant.resource is not None:
        form["resource"] = grant.resource
    if grant.client_secret is not None and grant.client_method == POST:
        form["client_secret"] = grant.client_secret
    request = httpx2.Request("POST", grant.token_endpoint, data=form)
    if grant.client_secret is not None and grant.client_method == BASIC:
        pair = httpx2.BasicAuth(quote(grant.client_id, safe=""), quote(grant.client_secret, safe=""))
        request = next(pair.sync_auth_flow(request))
    return request


def renewed(grant: Grant, answer: dict[str, object]) -> Grant:
    """`grant` with what the token endpoint answered; what it leaves out stays as it was. Raises `KeyError`."""
    lifetime = answer.get("expires_in")
    return replace(
        grant,
        access_token=str(answer["access_token"]),
        refresh_token=str(answer["refresh_token"]) if answer.get("refresh_token") else grant.refresh_token,
        expires_at=time.time() + lifetime if isinstance(lifetime, int | float) else None,
        scope=str(answer["scope"]) if answer.get("scope") else grant.scope,
    )


def _with_token(request: httpx2.Request, grant: Grant | None) -> httpx2.Request:
    if grant is not None:
        request.headers["Authorization"] = f"Bearer {grant.access_token}"
    return request
