"""The main loop: one user turn, from the person's words to the answer.

Ask the model; if it calls tools, run them and ask again; if it only speaks, that is the answer. However the turn
ends, every call that was opened has exactly one result and one `TurnEnded` is emitted.
"""

from time import monotonic

import anyio

from hermes_lite.agent.agent import Agent
from hermes_lite.agent.calls import carry_out
from hermes_lite.agent.conversation import Turn
from hermes_lite.agent.plan import Item, plan
from hermes_lite.errors import HermesError, LimitError
from hermes_lite.events import Sink, TurnEnd, TurnEnded, TurnStarted
from hermes_lite.messages import ToolMessage, UserMessage


async def run_turn(agent: Agent, text: str, sink: Sink) -> TurnEnded:
    """Run one user turn. A failure ends it as "failed"; cancellation as "interrupted", and goes on up."""
    turn = agent.new_turn()
    sink(TurnStarted(turn.number, text))
    started = monotonic()
    end: TurnEnd = "interrupted"
    answer = "interrupted"
    try:
        await agent.make_ready(turn, text, sink)
        agent.conversation.append(UserMessage(text))
        end, answer = await _converse(agent, turn, sink)
    except LimitError as error:
        end, answer = "limit", agent.fail(error)
    except HermesError as error:
        end, answer = "failed", agent.fail(error)
    finally:
        agent.close_turn(turn)
        ended = TurnEnded(turn.number, end, answer, turn.usage, monotonic() - started)
        sink(ended)
    return ended


async def _converse(agent: Agent, turn: Turn, sink: Sink) -> tuple[TurnEnd, str]:
    for step in range(1, agent.limits.max_steps + 1):
        reply = await agent.ask(turn, step, sink)
        if reply.items:
            for run in plan(reply.items):
                await _run_beside(agent, run, turn, sink)
        elif (reminder := agent.reminder(turn, reply)) is not None:
            agent.conversation.append(reminder)
        else:
            return agent.verdict(turn, reply)
    return "limit", f"stopped after {agent.limits.max_steps} steps (agent.max_steps); say `continue` to go on"


async def _run_beside(agent: Agent, run: tuple[Item, ...], turn: Turn, sink: Sink) -> None:
    """Run the calls of `run` side by side, at most `parallel` at a time; append results in call order."""
    results: dict[str, ToolMessage] = {}
    slots = anyio.CapacityLimiter(agent.limits.parallel)

    async def one(item: Item) -> None:
        async with slots:
            results[item.call.id] = await carry_out(item, agent.desk, turn, sink)

    try:
        async with anyio.create_task_group() as tasks:
            for item in run:
                tasks.start_soon(one, item)
    finally:
        for item in run:
            if item.call.id in results:
                agent.conversation.append(results[item.call.id])
