"""Faults that comparable products had, tried on ours: reaching, listing and switching tools."""

import json
from dataclasses import dataclass, field
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import RenderableType

from hermes_lite.config import load
from hermes_lite.config.place import Place
from hermes_lite.events import Event
from hermes_lite.mcp.other_clients import import_servers
from hermes_lite.paths import Project
from hermes_lite.runtime import Options, Runtime
from hermes_lite.runtime.toolbox import configured_servers, trust_store
from hermes_lite.testing.model_server import ScriptedModel, Text
from hermes_lite.testing.script import Call, Calls, Recorded, Step
from hermes_lite.text import cut, one_line
from hermes_lite.tokens import counter_for
from hermes_lite.tool_search.assemble import assemble
from hermes_lite.tool_search.catalog import Catalogue
from hermes_lite.tool_search.explain import Reason, explain, explain_text
from hermes_lite.tool_search.ranking import index_of
from hermes_lite.tools.registry import Scope
from hermes_lite.tools.spec import Source, ToolSpec
from hermes_lite.ui.command import find
from hermes_lite.ui.commands import COMMANDS
from tests.agent.rig import Rig, calls, notices, results, row
from tests.agent.validity import assert_valid
from tests.support.promises import promise
from tests.support.tool_rows import catalogues, server_tools, settings
from tests.ui.scrollback import shown

pytestmark = pytest.mark.anyio

ALLOWED = {"agent": {"approvals": {"allow": ["mcp__*"]}}}


def tool(name: str, description: str = "Do it.", **more: Any) -> dict[str, Any]:
    return {"name": name, "description": description, "inputSchema": {"type": "object"}, **more}


def sent(request: Recorded) -> list[str]:
    """The names in the request's tool array."""
    return [entry["function"]["name"] for entry in request.tools]


@dataclass
class Chat:
    """As much of the chat as its commands need."""

    runtime: Runtime
    width: int = 120
    busy: bool = False
    said: list[str] = field(default_factory=list)

    async def __call__(self, name: str, words: str = "") -> str:
        """What the command says."""
        self.said.clear()
        await find(COMMANDS, name).run(self, words)
        return "\n".join(self.said)

    def sink(self, event: Event) -> None:
        raise AssertionError(event)

    def say(self, what: RenderableType) -> None:
        self.said.append(shown(what, self.width))

    def stop_turn(self) -> None: ...

    def leave(self) -> None: ...


@promise("T-A05")
async def test_a_deferred_tool_of_every_kind_of_source_is_first_for_its_exact_name(rig: Rig) -> None:
    sources = (Source("mcp", "mail"), Source("plugin", "shop"), Source("connector", "desk"))
    waiting = [row(f"{verb}_{source.label}", source=source) for source in sources for verb in ("send", "send_all")]
    built_in = [row("shelve_book", source=Source("builtin", "shelf")), row("shelve_books")]
    names = [spec.name for spec in (*waiting[::2], *built_in)]
    search = Calls((Call("tool_search", {"queries": names}, "call_s"),))
    config = {"tools": {"tool_search": {"defer": ["shelve_*"]}}}
    with ScriptedModel(search, Text("found")) as model:
        async with rig.open(model, config=config, rows=[*waiting, *built_in]) as talk:
            await talk.say()
    assert not set(names) & set(sent(model.requests[0]))
    groups = json.loads(results(model.requests[1])["call_s"])["results"]
    assert [group["matches"][0] for group in groups] == names


@promise("T-A15")
@given(catalogues(), st.sampled_from([200, 2_000, 200_000]))
def test_tools_are_listed_under_the_source_that_declares_them(rows: list[ToolSpec], window: int) -> None:
    assembly = assemble(Scope(tuple(rows)), settings(), window, counter_for(None))
    for group in assembly.listing.groups if assembly.listing else ():
        assert group.label == cut(one_line(group.source.label), 40)
        assert group.count == sum(spec.source == group.source for spec in rows)


@promise("T-A15")
def test_a_name_that_sounds_like_another_source_makes_no_group() -> None:
    rows = [*server_tools("mail", ["list_issues", "merge_branch"]), *server_tools("tracker", ["send_mail"])]
    listing = assemble(Scope(tuple(rows)), settings(), 128_000, counter_for(None)).listing
    assert listing is not None
    assert listing.text == (
        "## mcp__mail__\nlist_issues(): Do list_issues\nmerge_branch(): Do merge_branch\n"
        "## mcp__tracker__\nsend_mail(): Do send_mail"
    )


MIXED_SCRIPTS = (
    "把这三个文件里的 TODO 整理成一张表，再翻成 English。",
    "請求書を作成して、Slackの#経理に送ってください🙏🏽",
    "회의록을 요약하고 naïve café 부분은 그대로 두세요",
    "لخّص هذا التقرير ثم أرسله إلى Ådne",
    "हिन्दी में लिखो: क्षत्रिय — и добавь это в список ✅",
    "👩‍👩‍👧‍👦 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𠮷野家 \u200fשלום\u200e",
)


@promise("T-C07")
async def test_a_conversation_in_mixed_scripts_keeps_every_character_and_every_tool(rig: Rig) -> None:
    steps: list[Step] = []
    for n, text in enumerate(MIXED_SCRIPTS):
        steps += [Calls((Call("note", {"text": text}, f"call_{n}"),), size=3), Text(text[::-1], size=1)]
    rows = [
        row("note", parameters={"type": "object"}),
        *(row(f"far_{n}", source=Source("plugin", "p")) for n in "ab"),
    ]
    with ScriptedModel(*steps) as model:
        async with rig.open(model, rows=rows) as talk:
            for text in MIXED_SCRIPTS:
                assert (await talk.say(text)).text == text[::-1]
            tools = {spec.name for spec, _ in talk.runtime.tools()}
    last = model.requests[-1]
    assert_valid(last.messages)
    assert [m["content"] for m in last.messages if m["role"] == "user"] == list(MIXED_SCRIPTS)
    assert [json.loads(text)["text"] for text in results(last).values()] == list(MIXED_SCRIPTS)
    asked = [call["function"]["arguments"] for m in last.messages for call in m.get("tool_calls") or ()]
    assert [json.loads(text)["text"] for text in asked] == list(MIXED_SCRIPTS)
    assert {"note", "far_a", "far_b"} <= tools
    assert len({json.dumps(request.tools) for request in model.requests}) == 1


@promise("T-G07")
async def test_denying_or_leaving_out_one_tool_leaves_the_others(rig: Rig) -> None:
    offered = [tool(name) for name in ("look", "write", "erase", "hide")]
    config = {
        "mcp_servers": {"box": {**rig.server("box", tools=offered), "exclude": ["hide"]}},
        "agent": {"approvals": {"allow": ["mcp__*"], "deny": ["mcp__box__erase"]}},
    }
    names = [f"mcp__box__{name}" for name in ("look", "erase", "write")]
    with ScriptedModel(calls(*names), Text("two of three")) as model:
        async with rig.open(model, config=config) as talk:
            await talk.say()
            there = {spec.short_name for spec, _ in talk.runtime.tools() if spec.source.label == "box"}
    assert there == {"look", "write", "erase"}
    assert dict(talk.outcomes()) == dict(zip(names, ("ok", "denied", "ok"), strict=True))


@promise("T-I07", "S-M8")
async def test_what_a_server_offers_is_there_or_left_out_with_a_reason_that_the_chat_shows(rig: Rig) -> None:
    offered = [
        tool("good"),
        tool("good", "again"),
        tool(" "),
        tool("line\nbreak"),
        tool("slow", execution={"taskSupport": "required"}),
        {"inputSchema": {}},
        "not a tool",
    ]
    with ScriptedModel(Text("hello")) as model:
        async with rig.open(model, config={"mcp_servers": {"odd": rig.server("odd", tools=offered)}}) as talk:
            await talk.say()
            there = [spec.short_name for spec, _ in talk.runtime.tools() if spec.source.label == "odd"]
            dropped = talk.runtime.dropped()
            said = await Chat(talk.runtime)("mcp")
    assert there == ["good"]
    assert {drop.name: bool(drop.reason) for drop in dropped} == dict.fromkeys(
        ("good", " ", "line break", "slow", ""), True
    )
    assert "line break: the name holds control characters" in said
    assert "2 more" in said


@promise("T-I07")
@given(catalogues(), st.sampled_from(["get issue", "list mail", "search a page", "trello card", "件名", ""]))
def test_each_tool_that_a_search_weighed_has_a_reason_for_where_it_stands(rows: list[ToolSpec], query: str) -> None:
    told = explain(index_of(Catalogue.of(rows)), query, 2)
    assert {weighed["reason"] for weighed in told["tools"]} <= set(get_args(Reason))
    assert {*told["matches"], *told["weak_matches"]} <= {weighed["name"] for weighed in told["tools"]}
    assert explain_text(told)


@promise("T-J03")
async def test_a_server_that_is_always_loaded_is_direct_however_it_came(rig: Rig) -> None:
    server = rig.server("look", tools=[tool("look")])
    client = rig.project / "client.json"
    client.write_text(json.dumps({"mcpServers": {"other": {**server, "alwaysLoad": True}}}), encoding="utf-8")
    here = {"mcpServers": {"project": {**server, "alwaysLoad": True}}}
    (rig.project / ".mcp.json").write_text(json.dumps(here), encoding="utf-8")
    place = Place(load(rig.home, Project(rig.project), {}), rig.home, Project(rig.project), {})
    trust_store(place).allow(configured_servers(place, demo=False).servers[0])
    own = {"own": {**server, "always_load": True}, "waiting": server, **import_servers(client, rig.project).servers}
    with ScriptedModel(Text("hi")) as model:
        async with rig.open(model, config={"mcp_servers": own}) as talk:
            await talk.say()
            live = _waiting(talk.runtime)
            place, endpoint = talk.runtime.place, talk.runtime.endpoint
        async with Runtime(place, endpoint, Options(base_url=model.base_url, offline=True)) as offline:
            remembered = _waiting(offline)
    names = [f"mcp__{label}__look" for label in ("other", "own", "project", "waiting")]
    assert live == remembered == dict(zip(names, (False, False, False, True), strict=True))
    assert set(sent(model.requests[0])) & set(names) == set(names[:3])


def _waiting(runtime: Runtime) -> dict[str, bool]:
    """The tools of servers, and whether each waits behind search."""
    return {spec.name: deferred for spec, deferred in runtime.tools() if spec.source.kind == "mcp"}


@promise("T-J11")
async def test_servers_switched_in_a_session_are_followed_at_once_and_the_cost_is_said(rig: Rig) -> None:
    config = {**ALLOWED, "mcp_servers": {"box": {**rig.server("box", tools=[tool("look")]), "always_load": True}}}
    look = "mcp__box__look"
    steps = (Text("hi"), calls(look), Text("It is off."), Text("no"), calls(look), Text("seen"), Text("bye"))
    with ScriptedModel(*steps) as model:
        async with rig.open(model, config=config) as talk:
            chat = Chat(talk.runtime)
            await talk.say()
            off = await chat("mcp", "disable box")
            await talk.say()
            on = await chat("mcp", "enable box")
            await talk.until(lambda: talk.state("box") == "ready")
            await talk.say()
            assert (await chat("tools")).count("pending") == 0
            await chat("mcp", "disable box")
            waiting = await chat("tools")
            refreshed = await chat("tools", "refresh")
            await talk.say()
    assert talk.outcomes() == [(look, "refused"), (look, "ok")]
    assert "switched off" in notices(model.requests[1])[-1]
    assert look in sent(model.requests[5])
    assert look not in sent(model.requests[6])
    assert "pending until /tools refresh or /new: the tools as they are sent" in waiting
    for said in (off, on, refreshed):
        assert "the prompt cache starts anew (" in said


@promise("T-L11")
async def test_a_changed_configuration_is_pending_until_the_next_start(rig: Rig) -> None:
    config = {"mcp_servers": {"box": rig.server("box", tools=[tool("look")])}}
    with ScriptedModel(Text("hi")) as model:
        async with rig.open(model, config=config) as talk:
            chat = Chat(talk.runtime)
            await talk.say()
            before = await chat("tools")
            rig.home.config.write_text(
                json.dumps({**config, "ui": {"plain": "on"}, "tools": {"tool_search": {"pin": ["box.*"]}}}),
                encoding="utf-8",
            )
            pinned = await chat("tools")
            rig.home.config.write_text("{}", encoding="utf-8")
            removed = await chat("tools", "look")
    assert "pending" not in before
    assert "pending until the next start: tools.tool_search.pin\n" in pinned
    assert "pending until the next start: mcp_servers\n" in removed


STUFFED = "create_issue create issue mcp__github__create_issue github create issue " * 40
STUFFED_PARAMETERS = {
    f"create_issue_{n}": {"type": "string", "description": STUFFED, "enum": ["create_issue", "create"]}
    for n in range(30)
}


@promise("T-N02")
@pytest.mark.parametrize(
    "query",
    ["create_issue", "create issue", "mcp__github__create_issue", "github.create_issue", "github create issue"],
)
def test_stuffing_does_not_outrank_the_tool_that_has_the_name(query: str) -> None:
    rows = [
        *server_tools("ads", {"act": STUFFED}, type="object", properties=STUFFED_PARAMETERS),
        *server_tools("ads2", {"create_issue_best": STUFFED}, type="object", properties=STUFFED_PARAMETERS),
        *server_tools("github", {"create_issue": "Open a ticket.", "list_issues": "List tickets."}),
    ]
    assert index_of(Catalogue.of(rows)).search(query, 5).matches[0] == "mcp__github__create_issue"
