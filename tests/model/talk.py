"""A conversation of one request with a scripted endpoint, over the real wire, with the waits recorded, not slept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hermes_lite.errors import HermesError
from hermes_lite.events import Event, ReasoningDelta, RetryScheduled, TextDelta
from hermes_lite.messages import AssistantMessage, Message, UserMessage
from hermes_lite.model.client import ChatModel, ModelRequest
from hermes_lite.model.endpoint import Endpoint
from hermes_lite.model.settings import ModelSettings
from hermes_lite.testing.model_server import ScriptedModel
from hermes_lite.testing.script import Recorded, Scripted

SETTINGS = ModelSettings(
    default="",
    base_url="",
    api_key_env="",
    context_length=None,
    timeout=20,
    connect_timeout=5,
    max_retries=3,
    retry_cap_seconds=60,
    text_tool_calls="auto",
    local_servers=(),
    probe_timeout=5,
)
KEY = "sk-test-0123456789abcdef"
TOOL: Mapping[str, Any] = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}


@dataclass
class Talk:
    """What came of it. `reply` or `error` is set."""

    requests: list[Recorded]
    events: list[Event] = field(default_factory=list)
    slept: list[float] = field(default_factory=list)
    outcome: AssistantMessage | HermesError | None = None

    @property
    def reply(self) -> AssistantMessage:
        assert isinstance(self.outcome, AssistantMessage), self.outcome
        return self.outcome

    @property
    def error(self) -> HermesError:
        assert isinstance(self.outcome, HermesError), self.outcome
        return self.outcome

    @property
    def shown(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, TextDelta))

    @property
    def thought(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, ReasoningDelta))

    @property
    def retries(self) -> list[RetryScheduled]:
        return [event for event in self.events if isinstance(event, RetryScheduled)]


def endpoint(base_url: str, model: str = "scripted") -> Endpoint:
    return Endpoint("custom", base_url, model, "a test", KEY)


async def talk(
    *steps: Scripted,
    messages: Sequence[Message] = (UserMessage("hello"),),
    tools: Sequence[Mapping[str, Any]] = (TOOL,),
    max_output_tokens: int | None = None,
    **settings: Any,
) -> Talk:
    """Send one request to a server that answers `steps`, all of which must be asked for."""
    with ScriptedModel(*steps) as server:
        result = Talk(server.requests)

        async def sleep(seconds: float) -> None:
            result.slept.append(seconds)

        model = ChatModel(endpoint(server.base_url), replace(SETTINGS, **settings), sleep=sleep)
        try:
            request = ModelRequest("Be brief.", tuple(messages), tools, max_output_tokens)
            result.outcome = await model.complete(request, result.events.append)
        except HermesError as error:
            result.outcome = error
        finally:
            await model.aclose()
    return result
