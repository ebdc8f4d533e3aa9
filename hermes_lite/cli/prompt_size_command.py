"""`hermes-lite prompt-size`: the fixed cost of a turn, measured on what would really be sent."""

import json
from pathlib import Path
from typing import Annotated, Any

import anyio
import typer

from hermes_lite import prompt_size
from hermes_lite.cli.console import OutputConsole
from hermes_lite.cli.place import here
from hermes_lite.cli.prompt_size_view import compared, report
from hermes_lite.config.source import content_of
from hermes_lite.errors import LimitError, UsageError, reason
from hermes_lite.runtime import Options, Runtime

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def show(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    compare: Annotated[bool, typer.Option("--compare", help="With and without deferral, side by side.")] = False,
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the report there, too.")] = None,
    against: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Show the difference to a saved report.")
    ] = None,
    max_tokens: Annotated[int | None, typer.Option(metavar="N", help="Exit with 4 above N tokens.")] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Start no server; use their last seen tools.")] = False,
    model: Annotated[str, typer.Option("-m", "--model", help="Measure for this model.")] = "",
    toolsets: Annotated[str, typer.Option(metavar="A,B", help="Grant only these toolsets.")] = "",
) -> None:
    """What every turn costs before you say a word, with and without deferral. Needs no key."""
    before = _saved(against) if against else None
    size = anyio.run(_measure, model, tuple(filter(None, toolsets.split(","))), offline)
    found = prompt_size.to_json(size)
    if before is not None:
        found["against"] = prompt_size.difference(before, found)
    if save:
        save.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False, indent=2))
    else:
        console = OutputConsole()
        console.print(compared(found, console.width) if compare else report(found, console.width))
    if max_tokens is not None and size.tokens > max_tokens:
        raise LimitError(f"{size.tokens:,} tokens ({size.counter.method}) are above {max_tokens:,}")


async def _measure(model: str, toolsets: tuple[str, ...], offline: bool) -> prompt_size.PromptSize:
    place = here()
    options = Options(
        model=model, toolsets=toolsets, server_wait=place.config.get("mcp.one_shot_wait"), offline=offline
    )
    async with await Runtime.find_without_key(place, options) as runtime:
        await runtime.model.measure_window(ask_endpoint=runtime.endpoint.is_local)
        return await runtime.settled_size()


def _saved(file: Path) -> dict[str, Any]:
    try:
        loaded = json.loads(content_of(file))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{file} cannot be read: {reason(error)}", mend="Write one with --save FILE.") from error
    if not isinstance(loaded, dict):
        raise UsageError(f"{file} holds no report", mend="Write one with --save FILE.")
    return loaded
