"""`hermes-lite -p`: one turn without a terminal."""

import signal
import sys

import anyio

from hermes_lite.cli.opening import Opening, open_with
from hermes_lite.cli.place import here
from hermes_lite.cli.taking_up import session_runtime, take_up
from hermes_lite.cli.wish import Wish
from hermes_lite.errors import HermesError, UsageError
from hermes_lite.events import Event, Sink, TurnEnd, TurnEnded
from hermes_lite.runtime import Runtime
from hermes_lite.ui.oneshot import one_shot_sink

INTERRUPTED, TERMINATED = 130, 143
_EXIT_CODES: dict[TurnEnd, int] = {"answered": 0, "failed": 1, "denied": 3, "limit": 4, "interrupted": INTERRUPTED}


def run(wish: Wish) -> int:
    """Run the one turn; the exit code."""
    return anyio.run(_one_shot, open_with(wish, here()))


async def _one_shot(opening: Opening) -> int:
    wish = opening.wish
    prompt = _with_standard_input(wish.prompt or "")
    async with session_runtime(opening, "mcp.one_shot_wait") as runtime:
        await take_up(runtime, wish)
        writer = one_shot_sink(wish.output_format, sys.stdout, sys.stderr, runtime.overview())
        ended, code = await _interruptible(runtime, prompt, writer.sink)
        writer.finish(ended, runtime.cost().usd)
    return code or _exit_code(ended, runtime.failure)


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
