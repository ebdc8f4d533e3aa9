"""The main loop: one user turn, from the person's words to the answer.

Ask the model; if it calls tools, run them and ask again; if it only speaks, that is the answer. However the turn
ends, every call that was opened has exactly one result and one `TurnEnded` is emitted.
"""

from time import monotonic

import anyio

from hermes_lite.agent.agent import BROKEN, INTERRUPTED, Agent, Outcome
from hermes_lite.agent.calls import carry_out
from hermes_lite.agent.plan import Item, plan
from hermes_lite.agent.turn import Turn
from hermes_lite.errors import HermesError
from hermes_lite.events import Sink, TurnEnded, TurnStarted


async def run_turn(agent: Agent, text: str, sink: Sink) -> TurnEnded:
    """Run one user turn. A failure ends it as "failed"; cancellation as "interrupted", and goes on up."""
    turn, started = agent.new_turn(), monotonic()
    outcome = BROKEN
    sink(TurnStarted(turn.number, text))
    try:
        await agent.open_turn(turn, text, sink)
        outcome = await _converse(agent, turn, sink)
    except HermesError as error:
        outcome = agent.fail(error)
    except anyio.get_cancelled_exc_class():
        outcome = INTERRUPTED
        raise
    finally:
        ended = agent.end_turn(turn, outcome, monotonic() - started)
        sink(ended)
    return ended


async def _converse(agent: Agent, turn: Turn, sink: Sink) -> Outcome:
    for step in range(1, agent.limits.max_steps + 1):
        reply = await agent.ask(turn, step, sink)
        if reply.items:
            for run in plan(reply.items, agent.desk.cwd):
                await _run_side_by_side(agent, run, turn, sink)
        elif not agent.remind(turn, reply):
            return agent.verdict(turn, reply)
    return "limit", f"stopped after {agent.limits.max_steps} steps (agent.max_steps); say `continue` to go on"


async def _run_side_by_side(agent: Agent, run: tuple[Item, ...], turn: Turn, sink: Sink) -> None:
    """Run the calls of `run`, at most `parallel` at a time; append their results in call order, come what may."""
    slots = anyio.CapacityLimiter(agent.limits.parallel)

    async def one(item: Item) -> None:
        async with slots:
            await carry_out(item, agent.desk, turn, sink)

    try:
        async with anyio.create_task_group() as tasks:
            for item in run:
                tasks.start_soon(one, item)
    finally:
        for result in turn.results_of(item.call for item in run):
            agent.conversation.append(result)
