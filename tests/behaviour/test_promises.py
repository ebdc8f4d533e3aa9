"""Every promise has a test and every test names promises that exist."""

import ast
from pathlib import Path

from tests.support.promises import known

TESTS = Path(__file__).parent.parent


def _named() -> dict[str, set[str]]:
    named: dict[str, set[str]] = {}
    for file in sorted(TESTS.rglob("test_*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "promise":
                for argument in node.args:
                    assert isinstance(argument, ast.Constant), f"{file}: promise ids are written out"
                    named.setdefault(str(argument.value), set()).add(file.name)
    return named


def test_every_promise_is_named_by_a_test() -> None:
    assert sorted(set(known()) - set(_named())) == []


def test_every_named_promise_exists() -> None:
    assert sorted(set(_named()) - set(known())) == []
