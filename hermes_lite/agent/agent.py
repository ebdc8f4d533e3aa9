"""What the loop works with: the model, the conversation, the desk that calls pass over, and the rules of a turn."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from hermes_lite.agent import reminders
from hermes_lite.agent.compaction import Split, condense, size, used
from hermes_lite.agent.conversation import NEVER_STARTED, Conversation, Frame
from hermes_lite.agent.desk import Desk, say
from hermes_lite.agent.notices import snapshot
from hermes_lite.agent.request import Asking, Reply
from hermes_lite.agent.turn import Turn
from hermes_lite.errors import ContextOverflowError, DeniedError, HermesError, LimitError, SessionError
from hermes_lite.events import Compacted, Notice, Sink, TurnEnd, TurnEnded
from hermes_lite.messages import NoticeMessage, Usage, UserMessage
from hermes_lite.model.client import Model
from hermes_lite.sessions.repair import LOST
from hermes_lite.tokens import TokenCounter
from hermes_lite.tool_search.assemble import entry
from hermes_lite.tools.core.todo import TodoList
from hermes_lite.tools.registry import Scope

Outcome = tuple[TurnEnd, str]
INTERRUPTED: Outcome = ("interrupted", "interrupted")
BROKEN: Outcome = ("failed", "the turn was broken off by a fault of hermes-lite itself")
_ENDS: Mapping[type[HermesError], TurnEnd] = {LimitError: "limit", DeniedError: "denied"}


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a turn, from the `agent` section of the configuration."""

    max_steps: int
    parallel: int
    compact_at_pct: float


class Framer(Protocol):
    """Composes what stands before the conversation. Pure: the same scope gives the same bytes."""

    def __call__(self, scope: Scope) -> Frame: ...


@dataclass(slots=True)
class Agent:
    """One conversation with one model. Everything that changes during a session changes through here.

    `words` is what tool sources say of themselves, by label. `settle` waits before the first request for what is
    still coming up. `price` says what a request cost in US dollars, `None` when that is not known. With `activates`,
    found tools join the array.
    """

    asking: Asking
    conversation: Conversation
    desk: Desk
    limits: Limits
    scope: Callable[[], Scope]
    words: Callable[[], Mapping[str, str]]
    framer: Framer
    settle: Callable[[Sink], Awaitable[None]]
    counter: TokenCounter
    activates: bool
    price: Callable[[Usage], float | None]
    greeted: bool = False
    failure: HermesError | None = None
    _heard: Scope | None = None

    @property
    def model(self) -> Model:
        return self.asking.model

    def succeed(self, other: "Agent") -> None:
        """Go on with the session of `other`, which talked to another model: what was granted stays granted."""
        self.greeted = other.greeted
        self.desk.gate.session.extend(other.desk.gate.session)

    # A turn

    def new_turn(self) -> Turn:
        self.failure = None
        self.desk.search.new_turn()
        self.desk.breaker.new_turn()
        return Turn(self.conversation.session.turns + 1)

    async def open_turn(self, turn: Turn, text: str, sink: Sink) -> None:
        """Append the person's words, after hooks and what the model must know first. Raises `HermesError`."""
        self.conversation.close_open_calls({}, LOST)
        await self.settle(sink)
        await self._run_hooks(turn, text, sink)
        self.frame()
        self._tell_news()
        self.conversation.append(UserMessage(text))

    async def _run_hooks(self, turn: Turn, text: str, sink: Sink) -> None:
        if not self.greeted:
            self.greeted = True
            say(await self.desk.hooks.session_start("resume" if turn.number > 1 else "startup"), sink)
        verdict = await self.desk.hooks.user_prompt(text, turn.number)
        say(verdict.notes, sink)
        if verdict.block is not None:
            raise DeniedError(f"a hook blocked the prompt: {verdict.block}", mend="Nothing was sent to the model.")

    async def ask(self, turn: Turn, step: int, sink: Sink) -> Reply:
        """One model request; one that does not fit the window is sent again after one compaction."""
        self._tell_news()
        if not turn.condensed and self._is_nearly_full():
            await self._make_room(turn, sink)
        try:
            return await self.asking.send(self.conversation, self.frame(), turn, step, sink)
        except ContextOverflowError as overflow:
            await self._condense_after(overflow, turn, sink)
            return await self.asking.send(self.conversation, self.frame(), turn, step, sink)

    def remind(self, turn: Turn, reply: Reply) -> bool:
        """Give the model the turn's one reminder, if `reply` calls for it."""
        text = reminders.reminder(turn, reply)
        if text is None:
            return False
        turn.reminded = True
        self.conversation.append(NoticeMessage(text))
        return True

    def verdict(self, turn: Turn, reply: Reply) -> Outcome:
        """How a reply without calls ends the turn; an empty one falls back on the last tool result."""
        answer = reply.message.text.strip()
        if not answer and turn.last_result is not None:
            answer = turn.last_result.text
        if not answer:
            return "failed", f"{self.model.name} gave no answer and called no tool, twice"
        return ("denied" if turn.denied else "answered"), answer

    def fail(self, error: HermesError) -> Outcome:
        """Keep what ended the turn, for the exit code; how that ends it, the mend included."""
        self.failure = error
        end = _ENDS.get(type(error), "failed")
        return end, f"{error.message}\n{error.mend}" if error.mend else error.message

    def end_turn(self, turn: Turn, outcome: Outcome, seconds: float) -> TurnEnded:
        """Leave a history that the next request can carry, and the turn's numbers. Never raises."""
        try:
            if turn.speaking is not None:
                self.conversation.keep_partial(turn.speaking.shown)
            self.conversation.close_open_calls(turn.results, NEVER_STARTED)
            self.record(turn, outcome[0], seconds)
            self.conversation.session.sync()
        except SessionError as error:
            outcome = self.fail(error)
        return TurnEnded(turn.number, *outcome, turn.usage, seconds)

    def record(self, turn: Turn, end: str, seconds: float = 0.0) -> None:
        """Keep the numbers of a turn that asked the model anything, in the session's file."""
        if not turn.spent:
            return
        frame = self.conversation.frame
        prices = [self.price(usage) for usage in turn.spent]
        self.conversation.session.save_activity(
            {
                "turn": turn.number,
                "end": end,
                "seconds": round(seconds, 3),
                "model": self.model.name,
                "window": self.model.window.tokens,
                "requests": len(turn.spent),
                "usage": asdict(turn.usage),
                "usd": _sum(prices),
                "calls": dict(turn.outcomes),
                "assembly": dict(frame.facts) if frame else {},
            }
        )

    # What stands before the conversation

    def frame(self) -> Frame:
        """The session's frame, composed at its first use; with strategy `activate` it grows by what was found."""
        frame = self.conversation.frame
        if frame is None:
            scope = self.scope()
            frame = self.framer(scope)
            self.conversation.freeze(frame, snapshot(scope))
            self._heard = None
        if self.activates and (found := self._found_since(frame)):
            frame = frame.with_tools(found)
            self.conversation.keep(frame)
        return frame

    def _found_since(self, frame: Frame) -> Mapping[str, Mapping[str, Any]]:
        """The entries of found tools that `frame` does not hold, by name."""
        there = frame.names()
        rows = (self.scope().row(name) for name in self.desk.search.found if name not in there)
        return {row.name: entry(row) for row in rows if row is not None}

    def refresh(self) -> None:
        """A natural break: the next request carries a frame composed anew from the live tools."""
        self.conversation.thaw()

    def _tell_news(self) -> None:
        scope = self.scope()
        if scope is self._heard:
            return
        self._heard = scope
        if (news := self.conversation.hear(snapshot(scope, self.words()))) is not None:
            self.conversation.append(NoticeMessage(news))

    # Room

    def used(self) -> int:
        """Tokens of the next request; before the first one, when no frame has been composed yet, none."""
        frame = self.conversation.frame or (self.framer(self.scope()) if self.conversation.messages else None)
        fixed = frame.system + json.dumps(frame.array, ensure_ascii=False) if frame else ""
        return used(self.conversation.messages, fixed, self.counter)

    def _is_nearly_full(self) -> bool:
        """Whether the next request would pass `compact_at_pct` and condensing would help; never where the window is
        not known."""
        window = self.model.window.tokens
        if window is None or self.used() <= window * self.limits.compact_at_pct / 100:
            return False
        return Split.of(self.conversation.messages, self.counter).frees(window, self.counter)

    async def _make_room(self, turn: Turn, sink: Sink) -> None:
        """Condense before it is necessary; when that fails the person is told, and the request may still fit."""
        try:
            await self.compact("", turn, sink)
        except HermesError as error:
            turn.condensed = True
            sink(Notice("warning", f"the conversation could not be condensed: {error.message}"))

    async def _condense_after(self, overflow: ContextOverflowError, turn: Turn, sink: Sink) -> None:
        try:
            await self.compact("", turn, sink)
        except LimitError as error:
            raise LimitError(f"{overflow.message}; {error.message}", mend=error.mend) from overflow

    async def compact(self, focus: str, turn: Turn, sink: Sink) -> None:
        """Replace the older part of the conversation by a summary. Raises `HermesError`; nothing is lost then."""
        messages = self.conversation.messages
        split = Split.of(messages, self.counter)
        before = size(messages, self.counter)
        kept, usage = await condense(self.model, split, self.counter, focus=focus, todo=self._todo())
        turn.spent.append(usage)
        self.conversation.session.replace_history(kept)
        self.refresh()
        sink(Compacted(before, size(kept, self.counter)))

    def _todo(self) -> str:
        todo = self.desk.resources.get(TodoList)
        return todo.snapshot() if isinstance(todo, TodoList) else ""


def _sum(prices: Sequence[float | None]) -> float | None:
    known = [price for price in prices if price is not None]
    return sum(known) if len(known) == len(prices) else None
