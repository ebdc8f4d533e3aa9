"""What the loop works with: the model, the conversation, the desk that calls pass over, and the rules of a turn."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from hermes_lite.agent import compaction
from hermes_lite.agent.calls import Desk
from hermes_lite.agent.conversation import Conversation, Frame, Turn
from hermes_lite.agent.notices import snapshot
from hermes_lite.agent.turn import Reply, request
from hermes_lite.errors import ContextOverflowError, DeniedError, HermesError
from hermes_lite.events import Notice, Sink, TurnEnd
from hermes_lite.messages import NoticeMessage
from hermes_lite.model.client import Model
from hermes_lite.tokens import TokenCounter
from hermes_lite.tools.registry import Scope

EMPTY_REPLY = "Your last reply was empty. Use a tool, or answer the person in words."
NOT_RUN = (
    "Your last tool call was NOT run (its result says why), and you did not call it again. "
    "Correct the call, or tell the person plainly that it was not done."
)
UNFINISHED_CALL = (
    "Your last reply holds a tool call written as text, which cannot be run. Use the tool interface to call it."
)
_CALL_MARKS = ("<tool_call>", "<function_call>", "<function=")


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a turn, from the `agent` section of the configuration."""

    max_steps: int
    parallel: int
    compact_at_pct: float
    recover_text: bool


class Framer(Protocol):
    """Composes what stands before the conversation. Pure: the same scope and activated names give the same bytes."""

    def __call__(self, scope: Scope, activated: Sequence[str]) -> Frame: ...


@dataclass(slots=True)
class Agent:
    """One conversation with one model. Everything that changes during a session changes through here."""

    model: Model
    conversation: Conversation
    desk: Desk
    limits: Limits
    scope: Callable[[], Scope]
    framer: Framer
    settle: Callable[[Sink], Awaitable[None]]
    counter: TokenCounter
    activates: bool
    failure: HermesError | None = None

    def new_turn(self) -> Turn:
        self.failure = None
        self.desk.search.new_turn()
        self.desk.breaker.new_turn()
        return Turn(self.conversation.session.turns + 1)

    async def make_ready(self, turn: Turn, text: str, sink: Sink) -> None:
        """Before the person's words: hooks, the frame, what changed, and room if the window is nearly full.

        Raises `DeniedError` when a hook blocks the prompt.
        """
        await self.settle(sink)
        if self.conversation.frame is None:
            _say(await self.desk.hooks.session_start(), sink)
        verdict = await self.desk.hooks.user_prompt(text, turn.number)
        _say(verdict.notes, sink)
        if verdict.block is not None:
            raise DeniedError(f"a hook blocked the prompt: {verdict.block}", mend="Nothing was sent to the model.")
        self.frame()
        if (news := self.conversation.hear(snapshot(self.scope()))) is not None:
            self.conversation.append(NoticeMessage(news))
        if compaction.is_due(self.conversation, self.model.window.tokens, self.limits.compact_at_pct, self.counter):
            await self.compact("", sink)

    def fail(self, error: HermesError) -> str:
        """Keep what ended the turn; its text for people, the mend included."""
        self.failure = error
        return f"{error.message}\n{error.mend}" if error.mend else error.message

    async def ask(self, turn: Turn, step: int, sink: Sink) -> Reply:
        """One model request; a request that does not fit the window is sent again after one compaction."""
        try:
            return await self._request(turn, step, sink)
        except ContextOverflowError:
            await self.compact("", sink)
            return await self._request(turn, step, sink)

    async def _request(self, turn: Turn, step: int, sink: Sink) -> Reply:
        return await request(
            self.model,
            self.conversation,
            self.frame(),
            self.scope,
            turn,
            step,
            sink,
            recover_text=self.limits.recover_text,
        )

    def frame(self) -> Frame:
        """The session's frame, composed at its first use; with strategy `activate` it grows by what was found."""
        activated = tuple(self.desk.search.found) if self.activates else ()
        frame = self.conversation.frame
        if frame is None or len(activated) > frame.activated:
            scope = self.scope()
            frame = self.framer(scope, activated)
            self.conversation.freeze(frame, snapshot(scope))
        return frame

    def refresh(self) -> None:
        """A natural break: the next request carries a frame composed anew from the live tools."""
        self.conversation.thaw()

    async def compact(self, focus: str, sink: Sink) -> None:
        await compaction.compact(self.model, self.conversation, focus, self.counter, sink)
        self.refresh()

    def reminder(self, turn: Turn, reply: Reply) -> NoticeMessage | None:
        """The one reminder that a turn may give a model whose reply cannot stand as the answer."""
        if turn.reminded:
            return None
        text = reply.message.text
        if not text.strip():
            reason = EMPTY_REPLY
        elif turn.unrun:
            reason = NOT_RUN
        elif any(mark in text for mark in _CALL_MARKS):
            reason = UNFINISHED_CALL
        else:
            return None
        turn.reminded = True
        return NoticeMessage(reason)

    def verdict(self, turn: Turn, reply: Reply) -> tuple[TurnEnd, str]:
        """How a reply without calls ends the turn; an empty one falls back on the last tool result."""
        answer = reply.message.text.strip()
        if not answer and turn.last_result is not None:
            answer = turn.last_result.text
        if not answer:
            return "failed", "the model gave no answer and called no tool, twice"
        return ("denied" if turn.denied else "answered"), answer

    def close_turn(self, turn: Turn) -> None:
        """Leave a history that the next request can carry, whatever happened."""
        self.conversation.keep_partial(turn.partial)
        self.conversation.close_open_calls(turn.started_calls)
        self.conversation.session.sync()


def _say(notes: Sequence[str], sink: Sink) -> None:
    for note in notes:
        sink(Notice("warning", note))
