"""`hermes-lite` itself: the interactive chat, or with `-p` one turn without a terminal."""

import signal
import sys
from dataclasses import dataclass
from typing import Literal

import anyio
import typer

from hermes_lite import __version__
from hermes_lite.cli.mcp_commands import address_of
from hermes_lite.cli.place import here
from hermes_lite.errors import HermesError, SessionError, UsageError
from hermes_lite.events import Event, Sink, TurnEnd, TurnEnded
from hermes_lite.model.discovery import no_model_error
from hermes_lite.runtime import Options, Runtime
from hermes_lite.runtime.toolbox import Place, configured_servers, trust_store
from hermes_lite.ui.banner import Welcome
from hermes_lite.ui.chat import chat
from hermes_lite.ui.oneshot import one_shot_sink
from hermes_lite.ui.settings import UiSettings

INTERRUPTED, TERMINATED = 130, 143
_EXIT_CODES: dict[TurnEnd, int] = {"answered": 0, "failed": 1, "denied": 3, "limit": 4, "interrupted": INTERRUPTED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """The options of the bare command."""

    prompt: str | None
    output_format: Literal["text", "json", "stream-json"]
    proceed: bool
    resume: str | None
    model: str
    base_url: str
    toolsets: tuple[str, ...]
    yolo: bool
    demo: bool


def run(wish: Wish) -> int:
    """Run the chat or the one turn; the exit code."""
    if wish.prompt is None and wish.output_format != "text":
        raise UsageError("--output-format is for -p", mend='Give the prompt: hermes-lite -p "..."')
    return anyio.run(_chat if wish.prompt is None else _one_shot, wish)


async def _chat(wish: Wish) -> int:
    place = here()
    _ask_for_project_servers(place)
    runtime = await Runtime.find(place, _options(wish, place.config.get("mcp.first_turn_wait")))
    async with runtime:
        await _take_up(runtime, wish)
        welcome = Welcome(__version__, runtime.endpoint.origin)
        return await chat(runtime, welcome=welcome, settings=UiSettings.of(place.config.section("ui")))


async def _one_shot(wish: Wish) -> int:
    place = here()
    prompt = _with_standard_input(wish.prompt or "")
    runtime = await Runtime.find(place, _options(wish, place.config.get("mcp.one_shot_wait")))
    if runtime.is_demo and not wish.demo:
        raise no_model_error()
    async with runtime:
        await _take_up(runtime, wish)
        writer = one_shot_sink(wish.output_format, sys.stdout, sys.stderr, runtime.overview())
        ended, code = await _interruptible(runtime, prompt, writer.sink)
        writer.finish(ended, runtime.cost().usd)
    return code or _exit_code(ended, runtime.failure)


def _ask_for_project_servers(place: Place) -> None:
    """A folder's `.mcp.json` can start programs: each is shown and asked for before anything of it runs."""
    if not sys.stdin.isatty():
        return
    trusted = trust_store(place)
    for server in trusted.unasked(configured_servers(place, demo=False).servers):
        typer.echo(f"{server.origin} wants to use the server {server.key}: {address_of(server)}")
        if typer.confirm("Allow it from now on?", default=False):
            trusted.allow(server)


def _options(wish: Wish, server_wait: float) -> Options:
    return Options(
        model=wish.model,
        base_url=wish.base_url,
        toolsets=wish.toolsets,
        yolo=wish.yolo,
        demo=wish.demo,
        server_wait=server_wait,
    )


async def _take_up(runtime: Runtime, wish: Wish) -> None:
    """Go on with the session that was asked for. Raises `SessionError` when there is none."""
    if wish.resume is not None:
        await runtime.resume(wish.resume)
    elif wish.proceed:
        last = runtime.store.latest(runtime.place.project.root)
        if last is None:
            raise SessionError(
                "this folder has no session to continue", mend="`hermes-lite sessions list` shows all."
            )
        await runtime.resume(last.id)


def _with_standard_input(prompt: str) -> str:
    piped = "" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.buffer.read().decode("utf-8", "replace")
    if not prompt.strip() and not piped.strip():
        raise UsageError("the prompt is empty", mend='Give one: hermes-lite -p "...", or pipe text in.')
    return f"{prompt}\n\n<stdin>\n{piped}\n</stdin>" if piped.strip() else prompt


async def _interruptible(runtime: Runtime, prompt: str, sink: Sink) -> tuple[TurnEnded, int | None]:
    """Run the turn; with the exit code of the signal that cut it short, if one did."""
    ends: list[TurnEnded] = []
    code: int | None = None

    def heard(event: Event) -> None:
        if isinstance(event, TurnEnded):
            ends.append(event)
        sink(event)

    async def cancel_on_signal(scope: anyio.CancelScope) -> None:
        nonlocal code
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            async for received in signals:
                code = TERMINATED if received == signal.SIGTERM else INTERRUPTED
                scope.cancel()

    async with anyio.create_task_group() as tasks:
        with anyio.CancelScope() as turn:
            tasks.start_soon(cancel_on_signal, turn)
            await runtime.run_turn(prompt, heard)
        tasks.cancel_scope.cancel()
    return ends[0], code


def _exit_code(ended: TurnEnded, failure: HermesError | None) -> int:
    return failure.exit_code if failure is not None else _EXIT_CODES[ended.end]
