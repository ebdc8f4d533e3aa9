"""What the rest of the product may import without paying for the SDK."""

import subprocess
import sys

from tests.support.promises import promise

_LIGHT = (
    "pool",
    "settings",
    "install",
    "other_clients",
    "probe",
    "trust",
    "grants",
    "last_seen",
    "demo_servers",
    "rows",
    "results",
)


@promise("MCP-1")
def test_no_module_that_others_import_loads_the_sdk() -> None:
    imports = "; ".join(f"import hermes_lite.mcp.{name}" for name in _LIGHT)
    script = f"import sys; {imports}; print({{'mcp', 'mcp_types', 'pydantic', 'httpx2'}} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"
