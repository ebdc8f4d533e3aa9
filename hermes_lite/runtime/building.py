"""From what a process has to the agent of one session: the desk, its helpers, the frame and its price list."""

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import date

from hermes_lite import __version__
from hermes_lite.agent.agent import Agent, Limits
from hermes_lite.agent.conversation import Conversation, Frame
from hermes_lite.agent.desk import Desk
from hermes_lite.agent.prompt import Section, compose, sections
from hermes_lite.agent.request import Asking
from hermes_lite.agent.results import Shelf
from hermes_lite.approvals.gate import Approver
from hermes_lite.config.place import Place
from hermes_lite.config.secrets import is_secret_variable, read_env, secrets_in
from hermes_lite.events import Sink
from hermes_lite.hooks import Hooks
from hermes_lite.messages import Usage
from hermes_lite.model import prices
from hermes_lite.model.client import Model
from hermes_lite.model.endpoint import Endpoint
from hermes_lite.plugins import Loaded
from hermes_lite.runtime.approving import Approvals
from hermes_lite.runtime.granted import Granted
from hermes_lite.runtime.report import facts
from hermes_lite.sessions.session import Session
from hermes_lite.sessions.store import SessionStore
from hermes_lite.tokens import counter_for
from hermes_lite.tool_search.assemble import assemble
from hermes_lite.tool_search.breaker import Breaker
from hermes_lite.tool_search.bridge import ToolSearch
from hermes_lite.tools.core.processes import ProcessTable
from hermes_lite.tools.core.recall import SessionHistory
from hermes_lite.tools.core.settings import CoreSettings, SideFolder
from hermes_lite.tools.core.terminal import ToolNames
from hermes_lite.tools.core.todo import TodoList
from hermes_lite.tools.core.workspace import Checkpoints
from hermes_lite.tools.registry import Scope
from hermes_lite.tools.spec import Ask

TODO = "todo"
_SHORTEST_SECRET = 8


@dataclass(frozen=True, slots=True)
class Builder:
    """Everything that the sessions of one process with one model share. `settle` is awaited before each turn."""

    place: Place
    endpoint: Endpoint
    model: Model
    store: SessionStore
    granted: Granted
    approvals: Approvals
    processes: ProcessTable
    asker: Approver | None
    ask: Ask
    settle: Callable[[Sink], Awaitable[None]]
    instructions: Callable[[], Mapping[str, str]]
    plugins: tuple[Loaded, ...]

    def agent(self, session: Session) -> Agent:
        """An agent that goes on with `session`."""
        counter = counter_for(self.model.name)
        search = ToolSearch(self.granted.scope, self.granted.settings, counter)
        agent = self.place.config.section("agent")
        return Agent(
            asking=Asking(self.model, self.granted.scope, self.place.config.get("model.text_tool_calls") == "auto"),
            conversation=Conversation.of(session, self._basis()),
            desk=self._desk(session, search),
            limits=Limits(
                max_steps=agent["max_steps"],
                parallel=agent["parallel_limit"],
                compact_at_pct=agent["compact_at_pct"],
            ),
            scope=self.granted.scope,
            words=self.instructions,
            framer=self._frame,
            settle=self.settle,
            counter=counter,
            activates=self.granted.settings.strategy == "activate",
            price=self._price,
        )

    def _desk(self, session: Session, search: ToolSearch) -> Desk:
        agent = self.place.config.section("agent")
        return Desk(
            session_id=session.id,
            cwd=self.place.project.root,
            scope=self.granted.scope,
            search=search,
            breaker=Breaker(),
            hooks=self._hooks(session),
            gate=self.approvals.gate(self.asker),
            ask=self.ask,
            shelf=Shelf(session.side_folder / "results", agent["result_max_chars"], self._secrets()),
            timeout=agent["tool_timeout"],
            resources=self._resources(session, search),
        )

    def _hooks(self, session: Session) -> Hooks:
        """Those of the configuration, then those of the plugins."""
        hooks = Hooks.of(
            self.place.config.section("agent")["hooks"], self.place.project.root, session.id, session.path
        )
        for hook in (hook for plugin in self.plugins for hook in plugin.hooks):
            hooks.add(hook.event, hook.function, hook.matcher)
        return hooks

    def _resources(self, session: Session, search: ToolSearch) -> dict[type, object]:
        tools = self.place.config.section("tools")
        kept = session.facts(TODO)
        todo = TodoList(kept[-1]["items"] if kept else (), lambda items: session.append_fact(TODO, {"items": items}))
        return {
            ToolSearch: search,
            CoreSettings: CoreSettings.of(tools),
            SideFolder: SideFolder(session.side_folder),
            Checkpoints: checkpoints(self.place, session),
            ProcessTable: self.processes,
            TodoList: todo,
            SessionHistory: SessionHistory(lambda query, limit, own: self.store.search(query, limit, leave_out=own)),
            ToolNames: ToolNames(
                lambda: {row.name for row in self.granted.assembly(self.model).direct},
                lambda: {
                    name for row in self.granted.assembly(self.model).deferred for name in (row.name, row.short_name)
                },
            ),
        }

    def _frame(self, scope: Scope) -> Frame:
        assembly = assemble(scope, self.granted.settings, self.model.window.tokens, counter_for(self.model.name))
        return Frame(compose(prompt_sections(self.place)), assembly.array, self._basis(), facts(assembly))

    def _price(self, usage: Usage) -> float | None:
        """US dollars for `usage`; what runs on this machine has no published price, and none is looked up."""
        if self.endpoint.is_local:
            return None
        cost = prices.cost(usage, self.model.name, self.model.base_url)
        return None if cost is None else float(cost)

    def _basis(self) -> str:
        """What a frame depends on, besides the tools: another basis composes another one."""
        parts = [__version__, self.model.name, asdict(self.granted.settings), list(self.granted.toolsets)]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]

    def _secrets(self) -> tuple[str, ...]:
        """What no tool result may carry to the model: the key in use, secrets of `.env`, environment and servers."""
        known = (*read_env(self.place.home).items(), *self.place.environ.items())
        secrets = {value for name, value in known if is_secret_variable(name)} | {self.endpoint.api_key}
        secrets |= set(secrets_in(self.place.config.section("mcp_servers")))
        return tuple(sorted((secret for secret in secrets if len(secret) >= _SHORTEST_SECRET), key=len, reverse=True))


def prompt_sections(place: Place) -> tuple[Section, ...]:
    """The system prompt of a session that starts here and now."""
    return sections(place.project.root, date.today(), place.project)


def checkpoints(place: Place, session: Session) -> Checkpoints:
    """The files of `session` as they were before our tools changed them."""
    settings = CoreSettings.of(place.config.section("tools"))
    return Checkpoints(session.side_folder / "checkpoints", settings.undo_turns, settings.undo_bytes)
