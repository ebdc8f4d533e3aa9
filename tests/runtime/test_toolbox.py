"""What is said about servers that are not there."""

from hermes_lite.runtime.toolbox import missing
from hermes_lite.tools.spec import Source, SourceState, SourceStatus
from tests.support.promises import promise


def status(name: str, state: SourceState, detail: str = "") -> SourceStatus:
    return SourceStatus(Source("mcp", name), state, 0, detail)


@promise("MCP-74")
def test_many_late_servers_share_one_line_and_the_others_keep_theirs() -> None:
    late = [status(name, "connecting") for name in "abcd"]
    others = [status("e", "failed", "exited with code 3"), status("f", "ready"), status("g", "disabled")]
    failed = "e is not available (exited with code 3)"
    assert missing([*late, *others]) == (failed, "4 servers are still connecting: a, b, c, d")
    assert missing([*late[:2], *others]) == ("a is still connecting", "b is still connecting", failed)
