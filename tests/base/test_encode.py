"""Text from outside may hold surrogates that no encoder takes: there is one way to bytes, and guards go it."""

import ast
from pathlib import Path

import pytest

import hermes_lite
from hermes_lite.approvals.shell import Unreadable, parse
from hermes_lite.config.atomic import write_atomically
from hermes_lite.mcp.server_log import file_name
from hermes_lite.text import encodable, utf8
from tests.support.promises import promise

PACKAGE = Path(hermes_lite.__file__).parent
HELPERS = PACKAGE / "text.py"
LONE = "a\ud800b"


def _calls(file: Path) -> list[ast.Call]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


def _may_fail(call: ast.Call) -> bool:
    """Whether `call` turns text into bytes, text that may hold a surrogate, without saying what becomes of those."""
    if isinstance(call.func, ast.Name):
        return call.func.id in ("bytes", "bytearray") and len(call.args) == 2
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "encode":
        return False
    says_what_becomes = len(call.args) > 1 or any(keyword.arg == "errors" for keyword in call.keywords)
    return not says_what_becomes and not _is_ascii(call.func.value)


def _is_ascii(value: ast.expr) -> bool:
    """Whether `value` is a literal, JSON with its escapes, or a tokenizer, whose `encode` gives numbers."""
    match value:
        case ast.Constant() | ast.Name(id="encoding"):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(id="json"), attr="dumps"), keywords=keywords):
            return all(keyword.arg != "ensure_ascii" for keyword in keywords)
        case _:
            return False


@promise("S-F17")
def test_text_becomes_bytes_in_one_place() -> None:
    offenders = [
        f"{file.relative_to(PACKAGE)}:{call.lineno}: {ast.unparse(call)}"
        for file in sorted(PACKAGE.rglob("*.py"))
        if file != HELPERS
        for call in _calls(file)
        if _may_fail(call)
    ]
    assert offenders == [], "hermes_lite.text.utf8 makes bytes of text from outside"


@promise("S-F17")
@pytest.mark.parametrize(
    ("source", "fails"),
    [
        ("text.encode()", True),
        ("text.encode('utf-8')", True),
        ("bytes(text, 'utf-8')", True),
        ("f'{text}'.encode()", True),
        ("json.dumps(x, ensure_ascii=False).encode()", True),
        ("json.dumps(x).encode()", False),
        ("'x'.encode()", False),
        ("text.encode('utf-8', 'replace')", False),
        ("utf8(text)", False),
    ],
)
def test_the_search_for_offenders_finds_them(source: str, fails: bool) -> None:
    call = ast.parse(source, mode="eval").body
    assert isinstance(call, ast.Call)
    assert _may_fail(call) is fails


@promise("S-F17")
def test_guards_and_hashes_take_surrogates(tmp_path: Path) -> None:
    with pytest.raises(Unreadable):
        parse(f"echo {LONE}")
    assert utf8(LONE) == "a\ufffdb".encode()
    assert encodable(LONE, "ascii") == "a?b"
    assert file_name(LONE).isascii()
    write_atomically(tmp_path / "file", LONE)
    assert (tmp_path / "file").read_text(encoding="utf-8") == "a\ufffdb"
