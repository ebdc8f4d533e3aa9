import ast
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from hermes_lite.tools import rows
from hermes_lite.tools.registry import Registry
from hermes_lite.tools.spec import ToolSpec, resolve
from tests.support.promises import promise

each_row = pytest.mark.parametrize("row", rows.builtin_rows(), ids=lambda row: row.name)


@promise("CORE-LAZY")
def test_the_rows_file_imports_no_implementation() -> None:
    tree = ast.parse(Path(rows.__file__).read_text(encoding="utf-8"))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported == {"collections.abc", "typing", "hermes_lite.tools.spec"}
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Import)]


@promise("CORE-LAZY")
def test_listing_the_rows_loads_nothing_of_the_core() -> None:
    script = (
        "import sys; from hermes_lite.tools.rows import builtin_rows; builtin_rows()\n"
        "print([name for name in sys.modules if name.startswith(('hermes_lite.tools.core', 'anyio', 'subprocess'))])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@promise("CORE-LAZY")
@each_row
def test_every_handler_is_a_dotted_path_that_leads_somewhere(row: ToolSpec) -> None:
    assert isinstance(row.handler, str)
    assert callable(resolve(row.handler))


@promise("CORE-ARGUMENTS")
@each_row
def test_every_schema_is_valid_and_holds_the_key_argument(row: ToolSpec) -> None:
    Draft202012Validator.check_schema(row.parameters)
    properties = row.parameters["properties"]
    assert set(row.parameters["required"]) <= set(properties)
    assert row.display.key_argument is None or row.display.key_argument in properties
    assert all(described.get("description") or "enum" in described for described in properties.values())


def test_the_core_is_never_deferred_and_the_rest_may_be() -> None:
    assert [row.name for row in rows.CORE_ROWS] == [
        "terminal",
        "read_file",
        "write_file",
        "patch",
        "search_files",
        "web_fetch",
        "clarify",
    ]
    assert not any(row.deferrable for row in rows.CORE_ROWS)
    assert all(row.deferrable and row.source.kind == "builtin" for row in rows.SEARCHED_ROWS)


def test_what_changes_things_is_gated_and_never_runs_beside_itself() -> None:
    for row in rows.builtin_rows():
        assert (row.tier == "gated") == (row.risk != "read")
        assert row.parallel != "safe" or row.risk in ("read", "external")


def test_the_rows_of_one_source_register_together() -> None:
    registry = Registry()
    for source in {row.source for row in rows.builtin_rows()}:
        registry.replace(source, [row for row in rows.builtin_rows() if row.source == source])
    assert {row.name for row in registry.scope().rows} == {row.name for row in rows.builtin_rows()}
    assert {row.name for row in registry.scope({"files"}).rows} == {
        "read_file",
        "write_file",
        "patch",
        "search_files",
    }
