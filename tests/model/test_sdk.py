"""Loading is watched in processes of their own."""

import subprocess
import sys

from tests.support.promises import promise


def run(program: str) -> str:
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@promise("MODEL-lazy")
def test_importing_the_client_loads_neither_the_sdk_nor_the_tables() -> None:
    loaded = run(
        "import sys, hermes_lite.model.connect, hermes_lite.model.discovery\n"
        "print([name for name in ('openai', 'httpx2', 'httpx', 'pydantic', 'genai_prices') if name in sys.modules])"
    )
    assert loaded == "[]"


@promise("MODEL-lazy")
def test_loading_leaves_out_types_that_no_chat_needs_until_they_are_named() -> None:
    program = (
        "import sys\n"
        "from hermes_lite.model.sdk import load\n"
        "openai = load()\n"
        "before = sum(name.startswith('openai.types') for name in sys.modules)\n"
        "from openai.types import Batch\n"
        "assert openai.types.chat.ChatCompletion.__name__ == 'ChatCompletion' and Batch\n"
        "assert not hasattr(openai.types, 'nothing_of_this_name')\n"
        "print(before)"
    )
    assert int(run(program)) < 120
