"""`hermes-lite tools`: the layer that the model uses, from the shell."""

import json
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import asdict
from typing import Annotated, Any

import anyio
import typer
from rich.table import Table

from hermes_lite.cli.console import OutputConsole
from hermes_lite.cli.place import here
from hermes_lite.cli.saying import say, warn
from hermes_lite.errors import DeniedError, HermesError, UsageError
from hermes_lite.events import CallEnded
from hermes_lite.runtime import Options, Runtime
from hermes_lite.text import cut, one_line
from hermes_lite.tool_search.catalog import Catalogue
from hermes_lite.tool_search.explain import explain, explain_text, lines_without_matches
from hermes_lite.tool_search.lint import lint as find_defects
from hermes_lite.tool_search.ranking import Index, Ranking, index_of
from hermes_lite.tool_search.search_result import instead_of_matches
from hermes_lite.tools.spec import ToolSpec

app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)

_EXPLAIN = "--explain shows why; `hermes-lite tools list` shows all."

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
OfflineOption = Annotated[bool, typer.Option("--offline", help="Start no server; use their last seen tools.")]


@app.command("list")
def list_tools(as_json: JsonOption = False, offline: OfflineOption = False) -> None:
    """List every tool. Says whether it waits behind search."""

    async def work(runtime: Runtime) -> None:
        rows = runtime.tools()
        dropped = runtime.toolbox.registry.dropped()
        if as_json:
            _print_json(
                {
                    "tools": [{**_shown(row), "deferred": deferred} for row, deferred in rows],
                    "dropped": [{"source": d.source.label, "name": d.name, "reason": d.reason} for d in dropped],
                }
            )
            return
        OutputConsole().print(_table(rows))
        for drop in dropped:
            warn(f"dropped: {drop.name} of {drop.source.label}: {drop.reason}")

    _with_tools(work, offline)


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="What the model would search for.")],
    explained: Annotated[bool, typer.Option("--explain", help="Show why each tool was or was not found.")] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="Tools to show.")] = None,
    as_json: JsonOption = False,
    offline: OfflineOption = False,
) -> None:
    """Search the tools that wait behind search."""

    async def work(runtime: Runtime) -> None:
        index = _index(runtime)
        most = limit or runtime.place.config.get("tools.tool_search.search_default_limit")
        explanation = explain(index, query, most)
        if as_json:
            _print_json(explanation)
        elif explained:
            say(explain_text(explanation))
        else:
            _print_found(index, query, most)

    _with_tools(work, offline)


@app.command()
def describe(
    name: Annotated[str, typer.Argument(help="A tool's full or short name.")], offline: OfflineOption = False
) -> None:
    """Show a tool. Prints description and full schema, as the model would read them."""

    async def work(runtime: Runtime) -> None:
        row = _resolved(runtime, name)
        _print_json({"name": row.name, "description": row.description, "parameters": row.parameters})

    _with_tools(work, offline)


@app.command()
def call(
    name: Annotated[str, typer.Argument(help="A tool's full or short name.")],
    arguments: Annotated[str, typer.Argument(help="Its arguments as a JSON object.")] = "{}",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Run it without asking.")] = False,
) -> None:
    """Call a tool. It passes the gates of the model's calls; without --yes, what would ask is denied."""

    async def work(runtime: Runtime) -> None:
        ends: list[CallEnded] = []
        tool = _resolved(runtime, name).name
        result = await runtime.call(tool, arguments, lambda e: ends.append(e) if isinstance(e, CallEnded) else None)
        if ends[-1].outcome == "denied":
            raise DeniedError(result.text, mend=f"`hermes-lite tools call {tool} ARGUMENTS --yes` runs it.")
        (warn if result.is_error else say)(result.text)
        if result.is_error:
            raise typer.Exit(1)

    _with_tools(work, offline=False, yolo=yes)


@app.command()
def lint(as_json: JsonOption = False, offline: OfflineOption = False) -> None:
    """Find defects of tools. Looks for unfindable tools, confusable pairs, hostile names; exits with 1 for any."""

    async def work(runtime: Runtime) -> None:
        findings = find_defects(_catalogue(runtime))
        if as_json:
            _print_json([asdict(finding) for finding in findings])
        else:
            say("\n".join(f"{f.tool}: {f.message} [{f.rule}]" for f in findings) or "nothing found")
        if findings:
            raise typer.Exit(1)

    _with_tools(work, offline)


def _with_tools(work: Callable[[Runtime], Awaitable[None]], offline: bool, *, yolo: bool = False) -> None:
    async def run() -> None:
        place = here()
        wait = place.config.get("mcp.one_shot_wait")
        async with await Runtime.find_without_key(
            place, Options(offline=offline, server_wait=wait, yolo=yolo)
        ) as runtime:
            for line in await runtime.toolbox.settle(wait):
                warn(f"hermes-lite: {line}")
            await work(runtime)

    anyio.run(run)


def _catalogue(runtime: Runtime) -> Catalogue:
    return Catalogue.of(runtime.assembly().deferred, runtime.scope().statuses)


def _index(runtime: Runtime) -> Index:
    return index_of(_catalogue(runtime))


def _resolved(runtime: Runtime, name: str) -> ToolSpec:
    scope = runtime.scope()
    everything = Catalogue.of(scope.rows, scope.statuses)
    found = everything.resolve(name)
    if len(found) == 1:
        return found[0]
    close = [row.name for row in found] or list(index_of(everything).closest(name))
    mend = f"Did you mean {' or '.join(close)}?" if close else "`hermes-lite tools list` shows all."
    raise UsageError(f"no single tool is named {name!r}", mend=mend)


def _print_found(index: Index, query: str, limit: int) -> None:
    ranking = index.search(query, limit)
    entries = {entry.name: entry for entry in index.catalogue.entries}
    for name in ranking.matches:
        say(f"{name}: {entries[name].fields.summary}")
    if not ranking.matches:
        _print_instead(ranking, index.catalogue)


def _print_instead(ranking: Ranking, catalogue: Catalogue) -> None:
    told = [*lines_without_matches(instead_of_matches(ranking, catalogue))]
    if ranking.verdict == "sources":
        say("\n".join(told))
        return
    weak = [f"weak       {', '.join(ranking.weak)}"] if ranking.weak else []
    raise HermesError(f"nothing fits {cut(one_line(ranking.query), 80)!r}", mend="\n".join([*weak, *told, _EXPLAIN]))


def _table(rows: Iterable[tuple[ToolSpec, bool]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("tool", "from", "shown"):
        table.add_column(name, overflow="fold")
    for row, deferred in rows:
        table.add_row(row.name, row.source.label, "when found" if deferred else "always")
    return table


def _shown(row: ToolSpec) -> dict[str, Any]:
    return {
        "name": row.name,
        "source": row.source.label,
        "kind": row.source.kind,
        "toolset": row.toolset,
        "description": row.description,
        "risk": row.risk,
        "tier": row.tier,
        "parallel": row.parallel,
    }


def _print_json(value: Any) -> None:
    say(json.dumps(value, ensure_ascii=False, indent=2, default=str))
