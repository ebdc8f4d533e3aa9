"""The providers that one environment variable is enough for, in the order in which they are looked for.

Facts about the world, not defaults of ours: where each serves the OpenAI-compatible API and which of its models a
newcomer can start with (the usual price class for chats with tools in November 2026, checked against genai-prices).
"""

from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Provider:
    """`key_variables` and `base_url_variables` are environment variables, the first that is set counts."""

    name: str
    key_variables: tuple[str, ...]
    base_url: str
    model: str
    base_url_variables: tuple[str, ...] = ()


OPENAI = Provider(
    "openai",
    ("OPENAI_API_KEY",),
    "https://api.openai.com/v1",
    "gpt-6-luna",
    base_url_variables=("OPENAI_BASE_URL", "OPENAI_API_BASE"),
)

PROVIDERS = (
    OPENAI,
    Provider("openrouter", ("OPENROUTER_API_KEY",), "https://openrouter.ai/api/v1", "~openai/gpt-luna-latest"),
    Provider("anthropic", ("ANTHROPIC_API_KEY",), "https://api.anthropic.com/v1", "claude-haiku-5-5"),
    Provider(
        "google",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "gemini-3.8-flash",
    ),
    Provider("deepseek", ("DEEPSEEK_API_KEY",), "https://api.deepseek.com/v1", "deepseek-flash"),
    Provider("mistral", ("MISTRAL_API_KEY",), "https://api.mistral.ai/v1", "mistral-medium-latest"),
    Provider("xai", ("XAI_API_KEY",), "https://api.x.ai/v1", "grok-4.7"),
    Provider("moonshot", ("MOONSHOT_API_KEY",), "https://api.moonshot.ai/v1", "kimi-k3"),
    Provider("groq", ("GROQ_API_KEY",), "https://api.groq.com/openai/v1", "openai/gpt-oss-120b"),
    Provider("together", ("TOGETHER_API_KEY",), "https://api.together.xyz/v1", "zai-org/GLM-5.3-Flash"),
)


def serving(base_url: str) -> Provider | None:
    """The provider whose host `base_url` names."""
    host = urlsplit(base_url).hostname
    return next((row for row in PROVIDERS if urlsplit(row.base_url).hostname == host), None)
