"""Writes the table of every key in the manual from the defaults file, its comments and the schema."""

from collections.abc import Iterator

from hermes_lite.config.document import parse
from hermes_lite.config.literals import written
from hermes_lite.config.nodes import plain
from hermes_lite.config.schema import Key, Schema

MARK = "<!-- keys: written by scripts/reference -->\n"
_LONGEST_DEFAULT = 60


def keys_reference(defaults: str) -> str:
    """Markdown: one table for each top-level section of the text of the defaults file, in its order."""
    tree = parse(defaults)
    comments = [_comment(line) for line in defaults.splitlines()]
    tables: dict[str, list[str]] = {}
    for key in Schema.of(tree).keys.values():
        if not key.is_other_name:
            tables.setdefault(key.path[0], []).append(_row(key, comments[key.default.line - 1]))
    return "\n".join(_table(section, rows) for section, rows in tables.items())


def with_reference(page: str, defaults: str) -> str:
    """`page` of the manual with what follows `MARK` written anew."""
    head, mark, _ = page.partition(MARK)
    return head + mark + "\n" + keys_reference(defaults)


def _table(section: str, rows: list[str]) -> str:
    return "\n".join(
        [f"### {section}", "", "| key | default | may be | what it does |", "| --- | --- | --- | --- |", *rows, ""]
    )


def _row(key: Key, comment: str) -> str:
    default = written(plain(key.default))
    default = default if len(default) <= _LONGEST_DEFAULT else "see `config get`"
    cells = (f"`{key.name}`", f"`{default}`" if default[:3] != "see" else default, key.kind.wanted, comment)
    return "| " + " | ".join(_cells(cells)) + " |"


def _cells(cells: tuple[str, ...]) -> Iterator[str]:
    return (cell.replace("|", "\\|") for cell in cells)


def _comment(line: str) -> str:
    return line.partition("  # ")[2].strip() or line.partition(": # ")[2].strip()
