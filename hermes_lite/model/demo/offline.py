"""The demo planner behind the face of a model."""

import json
import re

import anyio.lowlevel

from hermes_lite.events import Sink, TextDelta
from hermes_lite.messages import AssistantMessage, ToolCall
from hermes_lite.model.client import ModelRequest
from hermes_lite.model.demo.planner import Say, plan
from hermes_lite.model.endpoint import DEMO
from hermes_lite.model.windows import Window

_WORD = re.compile(r"\s*\S+\s*")


class DemoModel:
    """A model that is none: deterministic, offline, and labelled as such by its name."""

    name = DEMO
    base_url = ""
    window = Window(32_768, "endpoint")

    async def warm(self) -> None:
        """Nothing to load."""

    async def measure_window(self, *, ask_endpoint: bool = True) -> Window:
        return self.window

    async def listed(self) -> tuple[str, ...]:
        return (self.name,)

    async def complete(self, request: ModelRequest, sink: Sink) -> AssistantMessage:
        step = plan(request.messages, request.tools)
        if not isinstance(step, Say):
            call = ToolCall(f"call_demo_{len(request.call_ids())}", step.name, json.dumps(step.arguments))
            return AssistantMessage("", (call,), finish_reason="tool_calls", model=self.name)
        for word in _WORD.findall(step.text):
            await anyio.lowlevel.checkpoint()
            sink(TextDelta(word))
        return AssistantMessage(step.text, model=self.name)

    async def aclose(self) -> None:
        """Nothing to close."""
