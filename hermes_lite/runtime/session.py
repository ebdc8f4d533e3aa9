"""`Runtime`: one process's session with one model, and everything that a screen may ask of it."""

import json
import logging
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self
from uuid import uuid4

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup

from hermes_lite import collector
from hermes_lite.agent import loop
from hermes_lite.agent.agent import Agent
from hermes_lite.agent.calls import carry_out
from hermes_lite.agent.turn import Turn
from hermes_lite.approvals.gate import Approver
from hermes_lite.approvals.terms import Verb
from hermes_lite.config.place import Place
from hermes_lite.errors import HermesError, NoModelError, UsageError
from hermes_lite.events import Event, Notice, Sink, TurnEnded
from hermes_lite.mcp.wishes import Completion, Wish
from hermes_lite.messages import AssistantMessage, Message, NoticeMessage, ToolCall, ToolMessage, UserMessage
from hermes_lite.model.client import ModelRequest
from hermes_lite.model.connect import connect
from hermes_lite.model.discovery import ModelFlags, discover
from hermes_lite.model.endpoint import DEMO, Endpoint
from hermes_lite.model.settings import ModelSettings
from hermes_lite.paths import make_private
from hermes_lite.prompt_size import PromptSize, measure
from hermes_lite.runtime.approving import Approvals
from hermes_lite.runtime.building import Builder, checkpoints, prompt_sections
from hermes_lite.runtime.effects import is_whole, without_effect
from hermes_lite.runtime.granted import Granted
from hermes_lite.runtime.log import Log
from hermes_lite.runtime.options import Options
from hermes_lite.runtime.report import context_report, cost_report
from hermes_lite.runtime.toolbox import Toolbox
from hermes_lite.runtime.views import ApprovalMode, ContextReport, CostReport, Overview, Pending, RuleView
from hermes_lite.sessions.export import Format
from hermes_lite.sessions.listing import SessionInfo
from hermes_lite.sessions.session import ACTIVITY, Session
from hermes_lite.sessions.store import SessionStore
from hermes_lite.tool_search import index
from hermes_lite.tool_search.assemble import Assembly
from hermes_lite.tool_search.settings import ToolSearchSettings
from hermes_lite.tool_search.unwrap import unwrap
from hermes_lite.tools import arguments
from hermes_lite.tools.core.processes import ProcessTable
from hermes_lite.tools.registry import Dropped, Scope
from hermes_lite.tools.spec import Ask, Question, ToolSpec

_LOG = logging.getLogger(__name__)
TERMINAL = "terminal"
_EXPORTS: dict[str, Format] = {".md": "markdown", ".html": "html", ".jsonl": "jsonl"}


def _nowhere(event: Event) -> None:
    """Hears events that no screen has asked for."""


class Runtime:
    """An async context manager, entered and left by one task; entering returns before any server has connected.

    Until a screen attaches, nothing asks (what would ask is denied) and events outside turns go nowhere.
    """

    def __init__(self, place: Place, endpoint: Endpoint, options: Options) -> None:
        self.place = place
        self.endpoint = endpoint
        self.options = options
        self.model_settings = ModelSettings.of(place.config.section("model"))
        self.model = connect(endpoint, self.model_settings)
        self._models = [self.model]
        self.store = SessionStore.of(place.home)
        self.toolbox = Toolbox(
            place,
            self._outside,
            demo=self.is_demo,
            offline=options.offline,
            ask=self._put,
            complete=self._complete,
        )
        self.approvals = Approvals.of(place, yolo=options.yolo)
        settings = ToolSearchSettings.of(place.config.section("tools.tool_search"))
        self._granted = Granted(self.toolbox, settings, options.toolsets)
        self.toolbox.check(options.toolsets)
        self._wishing = anyio.Lock()
        self._processes = ProcessTable()
        self._approve: Approver | None = None
        self._ask: Ask | None = None
        self._sink: Sink = _nowhere
        self._settled = False
        self._listed: tuple[str, ...] | None = None
        self._group: TaskGroup | None = None
        self._counted = (("", 0), 0)
        self._stack = AsyncExitStack()
        self.agent = self._agent_for(self.store.create(place.project.root, self.model.name))

    @classmethod
    async def find_without_key(cls, place: Place, options: Options) -> "Runtime":
        """A runtime for measuring and listing, which need nobody to answer: a model that is merely named will do."""
        settings = ModelSettings.of(place.config.section("model"))
        try:
            endpoint = await discover(settings, place.environ, ModelFlags(options.model, options.base_url))
        except NoModelError as error:
            name = options.model or place.config.get("model.default") or "unknown"
            endpoint = Endpoint("custom", options.base_url, name, error.message)
        return cls(place, endpoint, options)

    async def __aenter__(self) -> Self:
        with suppress(OSError):
            make_private(self.place.home.root)
        config = self.place.config
        self._stack.enter_context(Log(self.place.home, config.get("log.level"), config.get("log.kilobytes") * 1000))
        self._stack.push_async_callback(self._processes.close)
        self._stack.push_async_callback(self._hang_up)
        self._stack.push_async_callback(self._end)
        await self._stack.enter_async_context(self.toolbox)
        self._group = await self._stack.enter_async_context(anyio.create_task_group())
        self._stack.callback(self._group.cancel_scope.cancel)
        self._group.start_soon(self._warm)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._stack.__aexit__(kind, error, trace)
        except BaseExceptionGroup:
            if isinstance(error, Exception):
                raise error from None
            raise

    def attach(self, *, approve: Approver | None, ask: Ask | None, sink: Sink) -> None:
        """Plug a screen in: who answers questions, and who hears of events outside turns."""
        self._approve, self._ask, self._sink = approve, ask, sink
        self.agent.desk.gate.asker = approve

    @property
    def is_demo(self) -> bool:
        return self.endpoint.provider == DEMO

    # Turns

    async def run_turn(self, text: str, sink: Sink) -> TurnEnded:
        """Run one user turn to its end. Cancelling it leaves a valid history and still emits `TurnEnded`."""
        return await loop.run_turn(self.agent, text, _guarded(sink))

    @property
    def failure(self) -> HermesError | None:
        """What ended the last turn, when it failed."""
        return self.agent.failure

    async def compact(self, focus: str, sink: Sink) -> None:
        """Replace all but the last turns by a summary. Raises `HermesError`."""
        if not self.messages():
            raise UsageError("there is nothing to condense yet", mend="Say something first.")
        turn = self.agent.new_turn()
        await self.agent.compact(focus, turn, _guarded(sink))
        self.agent.record(turn, "compacted")

    def without_effect(self) -> tuple[str, ...]:
        """A line for each tool that the configuration names and that there is not."""
        return without_effect(self.place.config, self.toolbox.registry.scope())

    async def refresh_tools(self) -> None:
        """Let the next request carry the tools as they are now; costs the provider's prompt cache once."""
        self.agent.refresh()

    # Sessions

    async def new_session(self) -> None:
        await self._end()
        self.agent = self._agent_for(self.store.create(self.place.project.root, self.model.name))

    async def resume(self, session_id: str) -> None:
        """Go on with another session. Raises `SessionError`; the present one is then still there."""
        session = self.store.open(session_id)
        await self._end()
        self.agent = self._agent_for(session)
        for note in session.notes:
            self._sink(Notice("info", note))

    def sessions(self, limit: int) -> tuple[SessionInfo, ...]:
        """The newest sessions, those of this folder first."""
        here = self.place.project.root
        infos = sorted(self.store.list(), key=lambda info: (info.cwd != here, -info.updated.timestamp()))
        return tuple(infos[:limit])

    def messages(self) -> tuple[Message, ...]:
        return tuple(self.agent.conversation.messages)

    async def undo(self) -> tuple[str, ...]:
        """Take back the last turn, file changes made through our tools included; one line per thing done."""
        session = self.agent.conversation.session
        turn = session.turns
        text = session.drop_last_turn()
        if text is None:
            return ()
        undone = checkpoints(self.place, session).undo(turn)
        return (f"took back: {text}", *(f"{change.outcome}: {change.path}" for change in undone))

    # Servers

    async def reload_servers(self, key: str = "") -> None:
        """Open a server's connection, or every one, afresh and as it is configured now. Raises `UsageError`."""
        await self.toolbox.reload(key)

    async def set_server(self, key: str, enabled: bool) -> None:
        """Start or stop a server for this session; the configuration stays. Raises `UsageError`."""
        server = next((server for server in self.toolbox.servers.servers if server.key == key), None)
        if server is None:
            raise UsageError(f"there is no server {key!r}", mend="/mcp shows the servers.")
        if enabled:
            await self.toolbox.pool.start(replace(server, enabled=True))
        else:
            self.toolbox.pool.stop(key)

    async def _complete(self, wish: Wish) -> Completion:
        """What a server with `sampling: true` wants of the model; one wish at a time."""
        messages = tuple(UserMessage(text) if role == "user" else AssistantMessage(text) for role, text in wish.turns)
        async with self._wishing:
            reply = await self.model.complete(
                ModelRequest(wish.system, messages, max_output_tokens=wish.max_tokens), _nowhere
            )
        return Completion(reply.text, self.model.name)

    # Approvals

    def set_approvals(self, mode: ApprovalMode) -> None:
        """Change the mode for this process; the configuration stays as it is."""
        self.approvals.mode = mode

    def add_rule(self, verb: Verb, rule: str) -> Path:
        """Store a rule in the user's configuration; the file. Raises `ConfigError`."""
        return self.approvals.add(verb, rule)

    def forget_rule(self, rule: str) -> tuple[str, Path | None]:
        """Take back a rule that `approval_rules` names; which, and the file that held it, `None` for the session.

        Raises `UsageError` and `ConfigError`.
        """
        return self.approvals.forget(rule, self.agent.desk.gate.session)

    def approval_rules(self) -> tuple[RuleView, ...]:
        """Every rule in force, those granted for this session last."""
        return self.approvals.views(self.agent.desk.gate.session)

    # Calls of the person

    async def call(self, name: str, arguments: str, sink: Sink = _nowhere) -> ToolMessage:
        """Run one tool for the person through the pipeline of the model's calls, outside the conversation."""
        (item, *_) = unwrap((ToolCall(f"person-{uuid4().hex[:8]}", name, arguments),), self.scope())
        return await carry_out(item, self.agent.desk, Turn(self.agent.conversation.session.turns), _guarded(sink))

    async def run_shell(self, command: str, sink: Sink) -> None:
        """`!command`: run it in the terminal tool, and let the model know."""
        result = await self.call(TERMINAL, json.dumps({"command": command}), sink)
        self.agent.conversation.append(NoticeMessage(f"The person ran `{command}` in the shell:\n{result.text}"))

    # Models

    async def models(self) -> tuple[str, ...]:
        """The models that the endpoint lists. Raises `HermesError` when it cannot be asked or has no list."""
        asked = self.model
        listed = await asked.listed()
        if asked.base_url == self.model.base_url:
            self._listed = listed
        return listed

    def known_models(self) -> tuple[str, ...]:
        """What `models` gave last. The first call asks in the background, and gives nothing yet."""
        if self._listed is None and self._group is not None:
            self._listed = ()
            self._group.start_soon(self._learn_models)
        return self._listed or ()

    async def _learn_models(self) -> None:
        with suppress(HermesError):
            await self.models()

    async def switch_model(self, name: str) -> None:
        """Talk to another model of the same endpoint, or to the one that discovery finds for `name`.

        The one before stays open until the end: what was asked of it in the background may still be under way.
        """
        flags = ModelFlags(name, self.options.base_url)
        endpoint = await discover(self.model_settings, self.place.environ, flags)
        if endpoint.base_url != self.endpoint.base_url:
            self._listed = None
        self.endpoint = endpoint
        self.model = connect(endpoint, self.model_settings)
        self._models.append(self.model)
        self._settled = False
        before, session = self.agent, self.agent.conversation.session
        session.switch_model(self.model.name)
        self.agent = self._agent_for(session)
        self.agent.succeed(before)

    async def _hang_up(self) -> None:
        for model in self._models:
            await model.aclose()

    # Money, export

    def cost(self) -> CostReport:
        """What the session used so far, as its endpoint counted it."""
        return cost_report(self.model.name, self.agent.conversation.session.facts(ACTIVITY))

    def export(self, path: Path) -> Path:
        """Write the session to `path`, in the form that its suffix names. Raises `UsageError`, `HermesError`."""
        form = _EXPORTS.get(path.suffix.lower())
        if form is None:
            raise UsageError(f"no form for {path.name or str(path)!r}", mend=f"End it with {', '.join(_EXPORTS)}.")
        session = self.agent.conversation.session
        if not session.messages:
            raise UsageError("there is nothing to export yet", mend="Say something first.")
        session.sync()
        try:
            path.write_text(self.store.export(session.id, form), encoding="utf-8")
        except OSError as error:
            raise HermesError(f"{path} was not written: {error.strerror}", mend="Choose another place.") from error
        return path

    # What is there

    def scope(self) -> Scope:
        """What the session is granted now; the same object as long as no tool came, changed or went."""
        return self._granted.scope()

    def assembly(self) -> Assembly:
        """The array as a new session would be sent it now."""
        return self._granted.assembly(self.model)

    def tools(self) -> tuple[tuple[ToolSpec, bool], ...]:
        """Every tool of the session and whether it waits behind search."""
        assembly = self.assembly()
        return tuple((row, False) for row in assembly.direct) + tuple((row, True) for row in assembly.deferred)

    def dropped(self) -> tuple[Dropped, ...]:
        """The tools of the sources that could not be taken over, and why."""
        return self.toolbox.registry.dropped()

    def pending(self) -> tuple[Pending, ...]:
        """What has changed about the tools and does not hold yet."""
        edited = self.toolbox.edited()
        frozen = self.agent.conversation.frame
        stale = (
            frozen is not None and frozen.array[: len(frozen.array) - len(frozen.activated)] != self.assembly().array
        )
        return (
            *((Pending("the tools as they are sent", "/tools refresh or /new"),) if stale else ()),
            *((Pending(", ".join(edited), "the next start"),) if edited else ()),
        )

    def overview(self) -> Overview:
        assembly = self.assembly()
        agent = self.agent
        return Overview(
            model=self.model.name,
            endpoint=self.endpoint.origin,
            is_demo=self.is_demo,
            session_id=agent.conversation.session.id,
            used_tokens=self._used(),
            window=self.model.window.tokens,
            counter=agent.counter.method,
            direct=len(assembly.direct),
            deferred=len(assembly.deferred),
            approvals=self.approvals.mode,
            servers=self.toolbox.pool.statuses(),
        )

    def _used(self) -> int:
        """Tokens of the conversation; counted anew only when a message came or went."""
        conversation = self.agent.conversation
        key = (conversation.session.id, len(conversation.messages))
        if self._counted[0] != key:
            self._counted = (key, self.agent.used())
        return self._counted[1]

    async def settled_size(self) -> PromptSize:
        """What a first request would cost, after the servers had their time to come; names those that did not."""
        missing = await self.toolbox.settle(self.options.server_wait)
        return self._size(missing)

    async def learn_window(self) -> None:
        """Look the model's window up where that asks nobody, so that it is known before the first request."""
        await self.model.measure_window(ask_endpoint=False)

    def context_report(self) -> ContextReport:
        return context_report(self._size(), self.messages(), self.model.window, self.agent.conversation.growths)

    def _size(self, missing: Sequence[str] = ()) -> PromptSize:
        window = self.model.window
        return measure(
            self.model.name,
            window.tokens,
            window.origin,
            self.agent.counter,
            prompt_sections(self.place),
            self.assembly(),
            missing=missing,
            offline=self.options.offline,
        )

    async def _warm(self) -> None:
        """Load index, client and checker while the person types; what cannot be loaded fails the first request."""
        await anyio.to_thread.run_sync(index.warm, abandon_on_cancel=True)
        with suppress(HermesError):
            await self.model.warm()
        await anyio.to_thread.run_sync(arguments.warm, abandon_on_cancel=True)
        collector.spare()

    async def _end(self) -> None:
        """The session ends: its hooks run, within bounds of their own, and its file is let go."""
        with anyio.CancelScope(shield=True):
            if self.agent.greeted:
                await self.agent.desk.hooks.session_end()
            self.agent.conversation.session.close()

    def _agent_for(self, session: Session) -> Agent:
        builder = Builder(
            place=self.place,
            endpoint=self.endpoint,
            model=self.model,
            store=self.store,
            granted=self._granted,
            approvals=self.approvals,
            processes=self._processes,
            asker=self._approve,
            ask=self._put,
            settle=self._settle,
            instructions=self.toolbox.pool.instructions,
            plugins=self.toolbox.plugins,
        )
        return builder.agent(session)

    async def _settle(self, sink: Sink) -> None:
        """Before the first request of this process: learn the window, give the servers a bounded time to come."""
        if self._settled:
            return
        await self.model.measure_window()
        self._settled = True
        lines = await self.toolbox.settle(self.options.server_wait, heard=self._sink is not _nowhere)
        nameless = self.without_effect() if is_whole(self.toolbox.registry.scope()) else ()
        for line in (*lines, *nameless):
            sink(Notice("warning", line))

    # Outside

    def _outside(self, event: Event) -> None:
        self._sink(event)

    async def _put(self, question: Question) -> str | None:
        return None if self._ask is None else await self._ask(question)


def _guarded(sink: Sink) -> Sink:
    """A sink that cannot kill the turn: what it raises goes to the log, and the next event is tried again."""

    def guarded(event: Event) -> None:
        try:
            sink(event)
        except Exception:  # noqa: BLE001 - a consumer never kills a turn
            _LOG.exception("a consumer of events failed on %s", event.type)

    return guarded
