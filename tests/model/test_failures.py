"""How endpoints word one failure in many ways. The texts are those that providers send today."""

import pytest

from hermes_lite.errors import ContextOverflowError, ModelError, NoModelError
from hermes_lite.model.endpoint import Endpoint
from hermes_lite.model.failures import safe
from hermes_lite.testing.model_server import Raw, Status
from tests.model.talk import KEY, talk
from tests.support.promises import promise

pytestmark = pytest.mark.anyio

OVERFLOWS = [
    (400, "This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens."),
    (400, "Your input exceeds the context window of this model. Please adjust your input and try again."),
    (400, "prompt is too long: 205000 tokens > 200000 maximum"),
    (400, "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000"),
    (
        413,
        "Request too large for model `x` in organization `y` on tokens per minute (TPM): Limit 6000, Requested 9000",
    ),
    (400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
    (400, "the request exceeds the available context size (4096 tokens), try increasing it"),
    (500, "the request exceeds the available context size. try increasing the context size or enable context shift"),
    (400, "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens"),
    (400, "The number of tokens to keep from the initial prompt is greater than the context length"),
    (400, "Please reduce the length of the messages or completion."),
    (
        400,
        "The decoder prompt (length 9000) is longer than the maximum model length of 8192. Increase `max_model_len`.",
    ),
    (422, "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: too many input tokens"),
    (400, "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length"),
    (400, "input is too long for requested model"),
]


@promise("MODEL-overflow")
@pytest.mark.parametrize(("status", "said"), OVERFLOWS)
async def test_an_overflow_is_known_in_the_words_of_each_provider(status: int, said: str) -> None:
    talked = await talk(Status(status, said))
    assert type(talked.error) is ContextOverflowError
    assert talked.error.mend


@promise("MODEL-overflow")
async def test_an_overflow_is_known_inside_a_stream() -> None:
    talked = await talk(Raw(({"error": {"message": OVERFLOWS[0][1], "code": "context_length_exceeded"}},)))
    assert type(talked.error) is ContextOverflowError


@pytest.mark.parametrize(
    "said", ["Rate limit reached: 30000 tokens per minute", "invalid tool schema", "bad length of field x"]
)
async def test_other_refusals_are_no_overflow(said: str) -> None:
    assert type((await talk(Status(400, said))).error) is ModelError


@pytest.mark.parametrize(
    "said",
    ["registry.ollama.ai/library/gemma:2b does not support tools", "Tool calling is not supported by this model"],
)
async def test_a_model_that_cannot_call_tools_is_named_as_such(said: str) -> None:
    error = (await talk(Status(400, said))).error
    assert type(error) is NoModelError
    assert "cannot call tools" in str(error)


async def test_an_overflow_that_names_a_field_does_not_cost_the_field() -> None:
    talked = await talk(Status(400, OVERFLOWS[3][1]), max_output_tokens=100)
    assert type(talked.error) is ContextOverflowError


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": {"message": "plain"}}, "plain"),
        ({"error": "as text"}, "as text"),
        ({"detail": "of FastAPI"}, "of FastAPI"),
        ({"message": "bare"}, "bare"),
        ({"error": {"message": "Provider returned error", "metadata": {"raw": "upstream words"}}}, "upstream words"),
        ({"error": {"message": "no", "code": "tool_use_failed"}}, "tool_use_failed"),
    ],
)
async def test_the_words_of_an_error_are_found_in_any_shape(body: dict[str, object], words: str) -> None:
    assert words in str((await talk(Status(400, body))).error)


@promise("MODEL-errors")
@pytest.mark.parametrize(
    "text",
    [
        f"key {KEY} is bad",
        "Incorrect API key provided: sk-proj-abcdefghijklmnop1234",
        "Authorization: Bearer abc.def",
        "cannot open http://user:hunter2@host/v1",
        "AIzaSyA1234567890abcdefg",
    ],
)
def test_no_secret_is_shown(text: str) -> None:
    shown = safe(text, Endpoint("custom", "http://host/v1", "m", "", KEY))
    for secret in (KEY, "abcdefghijklmnop", "abc.def", "hunter2", "A1234567890"):
        assert secret not in shown


def test_a_long_error_is_one_short_line() -> None:
    shown = safe("a\nb\x1b[31m " + "x" * 5000, Endpoint("custom", "http://host/v1", "m", ""))
    assert "\n" not in shown and "\x1b" not in shown
    assert len(shown) <= 300
