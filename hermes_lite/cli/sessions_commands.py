"""`hermes-lite sessions`: past conversations from the shell. Loads no model client and no MCP client."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from hermes_lite.errors import SessionError, UsageError
from hermes_lite.paths import home
from hermes_lite.sessions.export import Format
from hermes_lite.sessions.store import Hit, SessionInfo, SessionStore
from hermes_lite.text import clean_surrogates, cut, one_line

app = typer.Typer(help="Past conversations.", add_completion=False, no_args_is_help=True, rich_markup_mode=None)

Id = Annotated[str, typer.Argument(metavar="ID", help="The session's id, or a beginning that no other shares.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

TITLE_WIDTH = 60


class ExportFormat(StrEnum):
    MARKDOWN = "markdown"
    HTML = "html"
    JSONL = "jsonl"


_FORMS: dict[ExportFormat, Format] = {
    ExportFormat.MARKDOWN: "markdown",
    ExportFormat.HTML: "html",
    ExportFormat.JSONL: "jsonl",
}


@app.command("list")
def list_sessions(
    here: Annotated[bool, typer.Option("--here", help="Only those started in this folder.")] = False,
    limit: Annotated[int, typer.Option(min=1, help="Show at most so many.")] = 50,
    as_json: AsJson = False,
) -> None:
    """List sessions, the one used last first."""
    found = [info for info in _store().list() if not here or info.cwd == Path.cwd()][:limit]
    if as_json:
        _print_json(found)
    elif not found:
        typer.echo("No sessions yet.", err=True)
    else:
        typer.echo("\n".join(map(_line, found)))


@app.command()
def show(session_id: Id) -> None:
    """Print a session as Markdown."""
    _print(_store().export(session_id, "markdown"))


@app.command()
def export(
    session_id: Id,
    form: Annotated[ExportFormat, typer.Option("--format", "-f", help="What to write.")] = ExportFormat.MARKDOWN,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write to this file, which must be new.")
    ] = None,
) -> None:
    """Export a session. Writes Markdown, a web page or JSON Lines."""
    text = _store().export(session_id, _FORMS[form])
    if output is None:
        _print(text)
        return
    try:
        with output.open("x", encoding="utf-8") as file:
            file.write(clean_surrogates(text))
    except FileExistsError:
        raise UsageError(f"{output} exists", mend="Name a new file, or remove it first.") from None
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror}") from error
    typer.echo(f"Wrote {output}", err=True)


@app.command()
def fork(session_id: Id) -> None:
    """Copy a session. Prints the id of the copy; works while the session is open."""
    with _store().fork(session_id) as copy:
        typer.echo(copy.id)


@app.command()
def delete(
    session_ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Ids of sessions.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Delete sessions for good. The files kept beside them go as well."""
    store = _store()
    found = [store.find(session_id).stem for session_id in session_ids]
    if not yes and not typer.confirm(f"Delete {', '.join(found)}?", default=False, err=True):
        raise typer.Exit(1)
    for session_id in found:
        typer.echo(f"Deleted {store.delete(session_id)}", err=True)


@app.command()
def search(
    words: Annotated[
        list[str], typer.Argument(metavar="WORDS...", help='What to find; "quoted words" stand together.')
    ],
    limit: Annotated[int, typer.Option(min=1, help="Show at most so many.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Search everything that was said in all sessions."""
    hits = _store().search(" ".join(words), limit)
    if as_json:
        _print_json(hits)
    elif not hits:
        raise SessionError("no session holds all these words", mend="Try fewer or other words.")
    else:
        _print("\n".join(f"{hit.session_id}  {hit.at[:10]}  {hit.role}: {hit.excerpt}" for hit in hits))


def _store() -> SessionStore:
    return SessionStore.of(home())


def _line(info: SessionInfo) -> str:
    when = info.updated.astimezone()
    title = cut(one_line(info.title), TITLE_WIDTH) or "(no title)"
    return f"{info.id}  {when:%Y-%m-%d %H:%M}  {info.messages:>4} messages  {title}"


def _print_json(items: Sequence[SessionInfo | Hit]) -> None:
    _print(json.dumps([asdict(item) for item in items], default=_plain, ensure_ascii=False))


def _plain(value: Any) -> str:
    return str(value) if isinstance(value, Path) else str(value.isoformat())


def _print(text: str) -> None:
    typer.echo(clean_surrogates(text))
