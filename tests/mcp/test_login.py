"""Signing in to a server, and what a session does with it."""

import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs

import anyio
import httpx
import pytest
from mcp.shared.auth import OAuthClientInformationFull, OAuthMetadata
from pydantic import AnyHttpUrl, AnyUrl

from hermes_lite.errors import ServerError
from hermes_lite.mcp.grants import GrantStore
from hermes_lite.mcp.login import login, provable
from hermes_lite.mcp.pool import McpPool
from hermes_lite.mcp.settings import ServerSettings
from hermes_lite.testing.mcp_http import HttpServer
from tests.mcp.authority import Authority, guarded_server
from tests.mcp.rig import Rig, limits
from tests.support.promises import promise

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def running() -> Iterator[Authority]:
    with guarded_server() as authority:
        yield authority


@pytest.fixture
def authority(running: Authority) -> Authority:
    running.revoke_all()
    running.clients.clear()
    running.lifetime, running.refreshes, running.calls = 3600, 0, 0
    running.welcoming, running.wanting = False, ""
    return running


@pytest.fixture
def store(rig: Rig) -> GrantStore:
    return GrantStore(rig.folder / "tokens")


def server(authority: Authority, **more: object) -> ServerSettings:
    return replace(ServerSettings(key="server", wire="http", url=authority.url), **more)  # type: ignore[arg-type]


async def browse(address: str) -> None:
    """The person's browser: follows the authorization server back to us."""
    async with httpx.AsyncClient(follow_redirects=True) as browser:
        (await browser.get(address)).raise_for_status()


async def sign_in(authority: Authority, store: GrantStore, **more: object) -> str:
    """Sign in; the address that the person was shown."""
    shown: list[str] = []
    async with anyio.create_task_group() as group:

        async def show(address: str) -> None:
            shown.append(address)
            group.start_soon(browse, address)

        await login(server(authority, **more), store, show=show, seconds=20)
    return shown[0]


def pool(rig: Rig, authority: Authority) -> McpPool:
    return McpPool(
        rig.read({"server": {"url": authority.url}}),
        rig.registry,
        rig.sink,
        limits=limits(reconnect_tries=1),
        logs=rig.folder / "logs",
        cache=rig.folder / "cache",
        cwd=rig.folder,
        tokens=rig.folder / "tokens",
    )


@promise("MCP-70")
async def test_signing_in_registers_and_keeps_tokens_that_a_session_uses(
    rig: Rig, authority: Authority, store: GrantStore
) -> None:
    async with pool(rig, authority) as attached:
        (before,) = await attached.wait_settled()
        assert before.state == "needs_auth"
        await sign_in(authority, store)
        attached.reconnect("server")
        (after,) = await attached.wait_settled()
        assert (after.state, after.tools) == ("ready", 1)
        assert (await rig.call("mcp__server__greet", name="Ada")).text == "hello Ada"
    assert len(authority.clients) == 1
    assert (rig.folder / "tokens").stat().st_mode & 0o777 == 0o700
    assert (rig.folder / "tokens" / "server.json").stat().st_mode & 0o777 == 0o600


@promise("MCP-71")
async def test_ten_calls_at_once_with_an_expired_token_cause_one_refresh(
    rig: Rig, authority: Authority, store: GrantStore
) -> None:
    await sign_in(authority, store)
    async with pool(rig, authority) as attached:
        await attached.wait_settled()
        authority.revoke_access()
        async with anyio.create_task_group() as group:
            for number in range(10):
                group.start_soon(greet, rig, str(number))
    assert authority.refreshes == 1
    assert authority.calls == 10


async def greet(rig: Rig, name: str) -> None:
    assert (await rig.call("mcp__server__greet", name=name)).text == f"hello {name}"


@promise("MCP-71")
async def test_a_token_that_is_about_to_expire_is_renewed_before_it_is_used(
    rig: Rig, authority: Authority, store: GrantStore
) -> None:
    await sign_in(authority, store)
    grant = store.load("server")
    assert grant is not None
    store.keep("server", replace(grant, expires_at=time.time() + 1))
    async with pool(rig, authority) as attached:
        (status,) = await attached.wait_settled()
        assert status.state == "ready"
    renewed = store.load("server")
    assert authority.refreshes == 1
    assert renewed is not None
    assert renewed.access_token != grant.access_token
    assert not renewed.is_stale


@promise("MCP-72")
async def test_a_revoked_sign_in_is_asked_for_again(rig: Rig, authority: Authority, store: GrantStore) -> None:
    await sign_in(authority, store)
    async with pool(rig, authority) as attached:
        await attached.wait_settled()
        authority.revoke_all()
        refused = await rig.call("mcp__server__greet", name="Ada")
        assert refused.is_error
        await rig.until_state("needs_auth")
        assert "mcp login server" in rig.status().detail


async def test_the_address_that_the_browser_was_sent_to_may_be_pasted(
    rig: Rig, authority: Authority, store: GrantStore
) -> None:
    shown: list[str] = []
    ready = anyio.Event()

    async def show(address: str) -> None:
        shown.append(address)
        ready.set()

    async def paste() -> str:
        await ready.wait()
        async with httpx.AsyncClient() as browser:
            return (await browser.get(shown[0])).headers["location"] + "\n"

    grant = await login(server(authority), store, show=show, paste=paste, seconds=20)
    assert store.load("server") == grant


@promise("MCP-70")
async def test_a_client_that_was_registered_by_hand_is_used(
    rig: Rig, authority: Authority, store: GrantStore
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    await authority.register_client(
        OAuthClientInformationFull(
            client_id="by-hand",
            client_secret="s3cret",
            redirect_uris=[AnyUrl(f"http://127.0.0.1:{port}/callback")],
            token_endpoint_auth_method="client_secret_post",
        )
    )
    oauth = {"client_id": "by-hand", "client_secret": "s3cret", "redirect_port": port}
    async with anyio.create_task_group() as group:

        async def show(address: str) -> None:
            group.start_soon(browse, address)

        grant = await login(server(authority, oauth=oauth), store, show=show, seconds=20)
    assert (grant.client_id, list(authority.clients)) == ("by-hand", ["by-hand"])
    store.keep("server", replace(grant, expires_at=0))
    async with pool(rig, authority) as attached:
        (status,) = await attached.wait_settled()
    assert (status.state, authority.refreshes) == ("ready", 1)


@promise("MCP-70")
@pytest.mark.parametrize(
    ("taken", "used"),
    [
        (["client_secret_basic"], "client_secret_basic"),
        (["client_secret_basic", "client_secret_post"], "client_secret_post"),
        (None, "client_secret_basic"),
        (["private_key_jwt"], "client_secret_post"),
    ],
)
async def test_a_client_that_was_registered_by_hand_proves_itself_as_the_authority_takes_it(
    taken: list[str] | None, used: str
) -> None:
    client = OAuthClientInformationFull(
        client_id="by-hand", client_secret="s3cret", token_endpoint_auth_method="client_secret_post"
    )
    at = AnyHttpUrl("https://a.test")
    authority = OAuthMetadata(
        issuer=at, authorization_endpoint=at, token_endpoint=at, token_endpoint_auth_methods_supported=taken
    )
    assert provable(client, authority).token_endpoint_auth_method == used


@promise("MCP-73")
async def test_a_server_that_greets_anybody_is_signed_in_to_all_the_same(
    rig: Rig, authority: Authority, store: GrantStore
) -> None:
    authority.welcoming = True
    address = await sign_in(authority, store, oauth={"scope": "read"})
    assert parse_qs(address)["scope"] == ["read"]
    async with pool(rig, authority) as attached:
        (status,) = await attached.wait_settled()
    assert status.state == "ready"


@promise("MCP-73")
async def test_rights_that_a_call_lacked_are_asked_for_by_the_next_sign_in(
    rig: Rig, authority: Authority, store: GrantStore
) -> None:
    await sign_in(authority, store, oauth={"scope": "read"})
    async with pool(rig, authority) as attached:
        await attached.wait_settled()
        authority.wanting = "write"
        result = await rig.call("mcp__server__greet", name="Ada")
        assert result.text == "NOT RUN: 'server' wants a sign-in: `hermes-lite mcp login server`."
        await rig.until_state("needs_auth")
    authority.wanting = ""
    assert parse_qs(await sign_in(authority, store))["scope"] == ["read write"]


async def test_a_server_without_any_sign_in_is_told_as_such(rig: Rig, store: GrantStore) -> None:
    with HttpServer({"tools": []}) as open_to_all:
        address = ServerSettings(key="server", wire="http", url=open_to_all.url)
        with pytest.raises(ServerError, match="let us in without a sign-in"):
            await login(address, store, show=unused, seconds=20)


async def unused(address: str) -> None:
    raise AssertionError(address)


async def test_nobody_coming_ends_the_sign_in_in_time(rig: Rig, authority: Authority, store: GrantStore) -> None:
    async def show(address: str) -> None:
        """A browser that the person never looks at."""

    with pytest.raises(ServerError, match="nobody signed in to server"):
        await login(server(authority), store, show=show, seconds=0.2)
    assert store.load("server") is None


async def test_a_refusal_of_the_person_is_an_error(rig: Rig, authority: Authority, store: GrantStore) -> None:
    async def show(address: str) -> None:
        """Nothing to do: the answer is pasted."""

    async def paste() -> str:
        return "http://127.0.0.1:1/callback?error=access_denied&error_description=not+now"

    with pytest.raises(ServerError, match="not now"):
        await login(server(authority), store, show=show, paste=paste, seconds=20)


async def test_a_program_needs_no_sign_in(store: GrantStore) -> None:
    with pytest.raises(ServerError, match="is a program"):
        await login(ServerSettings(key="s", wire="stdio", command=("x",)), store, show=unused, seconds=1)


def test_forgetting_a_sign_in_removes_it(tmp_path: Path) -> None:
    store = GrantStore(tmp_path)
    assert store.forget("server") is False
    (tmp_path / "server.json").write_text("{broken")
    assert store.load("server") is None
    assert store.forget("server") is True
