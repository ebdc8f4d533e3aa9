"""Which names are secret, how they are shown, and the `.env` file."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_lite.config.secrets import environment, is_secret_variable, mask, masked, read_env, secrets_in, write_env
from hermes_lite.paths import Home
from tests.support.promises import promise


@promise("CONFIG.secrets")
def test_secrets_inside_a_value_are_masked_and_references_stay() -> None:
    shown = masked(
        {
            "command": "npx",
            "env": {"GITHUB_TOKEN": "ghp_0123456789abcdefghij", "PATH": "/bin", "API_KEY": "${API_KEY}"},
            "headers": {"X-Any": "short", "Authorization": "Bearer ${TOKEN}"},
            "listing_max_tokens": 4000,
            "api_key_env": "MY_KEY",
        }
    )
    assert shown == {
        "command": "npx",
        "env": {"GITHUB_TOKEN": "ghp…ghij", "PATH": "/bin", "API_KEY": "${API_KEY}"},
        "headers": {"X-Any": "…", "Authorization": "Bearer ${TOKEN}"},
        "listing_max_tokens": 4000,
        "api_key_env": "MY_KEY",
    }
    assert masked("secret-value", ("mcp_servers", "a", "env", "PASSWORD")) == "…"


@given(st.text(max_size=60))
def test_a_mask_never_shows_half_of_a_secret(secret: str) -> None:
    shown = mask(secret)
    assert "${" in secret or secret == "" or len(shown.replace("…", "")) * 2 <= len(secret)


@pytest.mark.parametrize(
    ("name", "is_secret"),
    [("OPENAI_API_KEY", True), ("GH_TOKEN", True), ("openai_api_key", False), ("PATH", False), ("MODEL.KEY", False)],
)
def test_names_of_secret_variables(name: str, is_secret: bool) -> None:
    assert is_secret_variable(name) is is_secret


def test_the_env_file_is_read_as_shells_write_it(home: Path) -> None:
    (home / ".env").write_text('A=1\nexport B=\'x y\' # c\n#C=2\n D = "q\\"r" \nnot a line\nE=\nF=a#b\n')
    assert read_env(Home(home)) == {"A": "1", "B": "x y", "D": 'q"r', "E": "", "F": "a#b"}
    assert environment(Home(home), {"A": "own"})["A"] == "own"
    (home / ".env").write_bytes(b"\xff")
    assert read_env(Home(home)) == {}


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=30).map(str.strip))
def test_any_secret_reads_back(home: Path, secret: str) -> None:
    write_env(Home(home), "A_KEY", secret)
    assert read_env(Home(home)) == {"A_KEY": secret}


def test_secrets_written_out_for_servers_are_known() -> None:
    servers = {
        "docs": {
            "url": "https://example.com",
            "headers": {"Authorization": "Bearer sesame-open", "Accept": "text/html"},
        },
        "git": {
            "command": "git-server",
            "env": {"GITHUB_TOKEN": "ghp_written_out", "API_KEY": "${KEY}", "LEVEL": "high"},
        },
    }
    assert sorted(secrets_in(servers)) == ["ghp_written_out", "sesame-open"]
