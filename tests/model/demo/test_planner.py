"""The demo planner over the real bridge and the real demo tools, without their processes."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.server.mcpserver import MCPServer

from hermes_lite.demo import calculator, workshop
from hermes_lite.demo.notes import Notes
from hermes_lite.events import Event, TextDelta
from hermes_lite.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from hermes_lite.model.client import ModelRequest
from hermes_lite.model.demo.jobs import JOBS
from hermes_lite.model.demo.offline import DemoModel
from hermes_lite.tokens import counter_for
from hermes_lite.tool_search.bridge import ToolSearch
from hermes_lite.tool_search.settings import ToolSearchSettings
from hermes_lite.tools.registry import Scope
from hermes_lite.tools.rows import CORE_ROWS
from hermes_lite.tools.spec import Source, ToolContext, ToolResult, ToolSpec
from tests.support.promises import promise

SETTINGS = ToolSearchSettings(
    enabled="auto",
    strategy="bridge",
    threshold_pct=5,
    search_default_limit=5,
    max_search_limit=25,
    listing="auto",
    listing_max_tokens=4000,
    search_budget=3,
    pin=(),
    defer=(),
)
BRIDGE = [{"type": "function", "function": {"name": name}} for name in ("tool_search", "tool_describe", "tool_call")]


def _function(row: ToolSpec) -> dict[str, Any]:
    return {"name": row.name, "description": row.description, "parameters": row.parameters}


TERMINAL = [{"type": "function", "function": _function(row)} for row in CORE_ROWS if row.name == "terminal"]


async def _unused(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
    raise AssertionError("the test calls the functions itself")


@cache
def described(label: str, functions: tuple[Any, ...]) -> tuple[ToolSpec, ...]:
    """The rows that a client of the server would make of its tool list."""
    server = MCPServer(label)
    for function in functions:
        server.add_tool(function, structured_output=False)
    return tuple(
        ToolSpec(
            name=f"mcp__{label}__{tool.name}",
            original_name=tool.name,
            description=tool.description or "",
            parameters=tool.input_schema,
            handler=_unused,
            source=Source("mcp", label),
            toolset=label,
        )
        for tool in anyio.run(server.list_tools)
    )


class Bench:
    """The tools of the three demo servers behind the bridge."""

    def __init__(self, folder: Path) -> None:
        notes = Notes(folder)
        servers: dict[str, tuple[Any, ...]] = {
            "calculator": calculator.TOOLS,
            "workshop": tuple(workshop.tools()),
            "notes": (notes.add_note, notes.list_notes, notes.search_notes),
        }
        self.rows = [row for label, functions in servers.items() for row in described(label, functions)]
        self.functions = {f"mcp__{label}__{f.__name__}": f for label, all_ in servers.items() for f in all_}
        self.search = ToolSearch(lambda: Scope(tuple(self.rows)), SETTINGS, counter_for(None))

    def run(self, call: ToolCall) -> list[tuple[ToolCall, ToolMessage]]:
        """Unwrapped as the loop does it: a `tool_call` becomes the calls of the real tools."""
        arguments = json.loads(call.arguments)
        match call.name:
            case "tool_search":
                return [(call, ToolMessage(call.id, call.name, self.search.search(arguments).text))]
            case "tool_describe":
                return [(call, ToolMessage(call.id, call.name, self.search.describe(arguments).text))]
            case "tool_call":
                inner = [
                    ToolCall(call.id, each["name"], json.dumps(each["arguments"])) for each in arguments["calls"]
                ]
                return [(each, self._result(each)) for each in inner]
            case _:
                return [(call, self._result(call))]

    def _result(self, call: ToolCall) -> ToolMessage:
        if call.name == "terminal":
            return ToolMessage(call.id, call.name, "a.txt\nb.txt")
        result = self.functions[call.name](**json.loads(call.arguments))
        return ToolMessage(call.id, call.name, str(result))

    def array(self) -> list[Mapping[str, Any]]:
        return [{"type": "function", "function": _function(row)} for row in self.rows]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def ask(bench: Bench, text: str, tools: list[Mapping[str, Any]]) -> tuple[str, list[str]]:
    """The answer, and the names of the tools on the way."""
    messages: list[Message] = [UserMessage(text)]
    used: list[str] = []
    for _ in range(5):
        events: list[Event] = []
        reply = anyio.run(DemoModel().complete, ModelRequest("", tuple(messages), tools), events.append)
        if not reply.calls:
            assert "".join(event.text for event in events if isinstance(event, TextDelta)) == reply.text
            return reply.text, used
        ((call, result),) = bench.run(reply.calls[0])
        messages += [AssistantMessage("", (call,)), result]
        used.append(call.name.rpartition("__")[2])
    raise AssertionError(f"no end: {used}")


ANSWERS = [
    ("What time is it in Tokyo when it is 9:00 in Paris?", "convert_time", "in Asia/Tokyo"),
    ("what's the time in new york if it's 3 pm in Berlin", "convert_time", "in America/New_York"),
    ("What time is it in Nairobi?", "current_time", "Africa/Nairobi"),
    ("How many kilometres are 26.2 miles?", "convert_unit", "42.16"),
    ("Convert 72 fahrenheit to celsius", "convert_unit", "22.2"),
    ("What date is 90 days after 2026-12-01?", "add_to_date", "2027-03-01"),
    ("which date is 2 weeks before 2026-12-15", "add_to_date", "2026-12-01"),
    ("How many days are there between 2026-12-01 and 2027-03-01?", "days_between", "90 days"),
    ("What day of the week is 2027-01-01?", "weekday", "Friday"),
    ("Remember to water the plants", "add_note", "Noted: kept in water-the-plants.md"),
    ("List my notes", "list_notes", "no notes yet"),
    ("Find my notes about plants", "search_notes", "plants"),
    ("What is the sha256 hash of hello?", "hash_text", "2cf24dba5fb0a30e"),
    ("md5 of 'hello'", "hash_text", "5d41402abc4b2a76"),
    ("Encode hello world as base64", "encode_base64", "aGVsbG8gd29ybGQ="),
    ("Decode base64 aGVsbG8=", "decode_base64", "hello"),
    ("Write 2026 as a roman numeral", "to_roman", "MMXXVI"),
    ("What are the prime factors of 360?", "prime_factors", "2, 2, 2, 3, 3, 5"),
    ("What is the median of 3, 9, 4?", "median", "4"),
    ("Count the words of: to be or not to be", "count_words", "6 words"),
    ("What is 12 * (3 + 4)?", "evaluate", "= 84"),
]


@promise("MODEL-demo")
@pytest.mark.parametrize(("text", "tool", "answer"), ANSWERS)
def test_a_known_request_is_searched_described_called_and_answered(
    bench: Bench, text: str, tool: str, answer: str
) -> None:
    said, used = ask(bench, text, BRIDGE)
    assert used == ["tool_search", "tool_describe", tool]
    assert answer in said


@pytest.mark.parametrize(("text", "tool", "answer"), ANSWERS)
def test_without_the_bridge_the_listed_tool_is_called(bench: Bench, text: str, tool: str, answer: str) -> None:
    said, used = ask(bench, text, bench.array())
    assert used == [tool]
    assert answer in said


@pytest.mark.parametrize(
    "text", ["List the files here", "Run `git status --short`", "what files are in this folder?"]
)
def test_a_command_goes_to_the_terminal_directly(bench: Bench, text: str) -> None:
    said, used = ask(bench, text, [*TERMINAL, *BRIDGE])
    assert used == ["terminal"]
    assert "a.txt" in said


def test_every_example_is_worked_by_its_own_job() -> None:
    for job in JOBS:
        assert next(each for each in JOBS if each.match(job.example) is not None) is job, job.example


@promise("MODEL-demo")
@pytest.mark.parametrize("text", ["hello", "what can you do?", "Write me a poem about the sea", "", "?"])
def test_anything_else_is_answered_with_what_it_is_and_how_to_connect_a_model(bench: Bench, text: str) -> None:
    said, used = ask(bench, text, BRIDGE)
    assert used == []
    assert "demo planner, not a language model" in said
    assert "OPENAI_API_KEY" in said


def test_a_tool_that_is_not_there_is_said_to_be_missing(bench: Bench) -> None:
    bench.rows = []
    said, used = ask(bench, "List my notes", BRIDGE)
    assert used == ["tool_search"]
    assert "found none" in said


def test_a_denied_call_is_reported_and_not_repeated() -> None:
    call = ToolCall("a", "terminal", '{"command":"ls"}')
    messages = (
        UserMessage("List the files here"),
        AssistantMessage("", (call,)),
        ToolMessage("a", "terminal", "denied", True),
    )
    reply = anyio.run(DemoModel().complete, ModelRequest("", messages, TERMINAL), lambda event: None)
    assert reply.text == "`terminal` gave no result: denied"


def test_ids_differ_over_the_whole_conversation() -> None:
    call = ToolCall("call_demo_0", "terminal", "{}")
    past = (
        UserMessage("x"),
        AssistantMessage("", (call,)),
        ToolMessage(call.id, "terminal", ""),
        AssistantMessage("ok"),
    )
    request = ModelRequest("", (*past, UserMessage("List the files here")), TERMINAL)
    assert anyio.run(DemoModel().complete, request, lambda event: None).calls[0].id != call.id
