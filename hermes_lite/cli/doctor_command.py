"""`hermes-lite doctor`: what is missing or wrong, each finding with its mend."""

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from textwrap import indent
from typing import Annotated, Literal

import anyio
import typer
from rich.text import Text

from hermes_lite.cli.console import OutputConsole
from hermes_lite.cli.place import here
from hermes_lite.cli.saying import say
from hermes_lite.config.place import Place
from hermes_lite.errors import NoModelError
from hermes_lite.model.discovery import ModelFlags, discover, no_model_error
from hermes_lite.model.endpoint import DEMO
from hermes_lite.model.settings import ModelSettings
from hermes_lite.runtime import Options, Runtime
from hermes_lite.tool_search.classify import classify
from hermes_lite.tool_search.settings import ToolSearchSettings

app = typer.Typer(add_completion=False, rich_markup_mode=None)

Level = Literal["ok", "warning", "error"]
_MARKS: dict[Level, tuple[str, str]] = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "error": ("✗", "red")}


@dataclass(frozen=True, slots=True)
class Finding:
    """`area` is what was looked at; `mend` is what to do, empty when all is well."""

    area: str
    level: Level
    text: str
    mend: str = ""


@app.command()
def check(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Check model, key, endpoint, servers and configuration. Exits with 1 when something is broken."""
    findings = anyio.run(_findings)
    if as_json:
        say(json.dumps([asdict(finding) for finding in findings], ensure_ascii=False, indent=2))
    else:
        _print(findings)
    if any(finding.level == "error" for finding in findings):
        raise typer.Exit(1)


async def _findings() -> list[Finding]:
    place = here(quiet=True)
    found = [*_home(place), *_configuration(place), await _model(place)]
    async with await Runtime.find_without_key(place, Options()) as runtime:
        await runtime.model.measure_window(ask_endpoint=runtime.endpoint.is_local)
        await runtime.toolbox.settle(place.config.get("mcp.one_shot_wait"))
        return [*found, *_servers(runtime), *_plugins(runtime), *_tools(runtime)]


def _home(place: Place) -> Iterator[Finding]:
    root = place.home.root
    existing = next(folder for folder in (root, *root.parents) if folder.exists())
    if existing.is_dir() and os.access(existing, os.W_OK):
        yield Finding("home", "ok", str(root))
    else:
        yield Finding("home", "error", f"{root} cannot be written", "Set HERMES_LITE_HOME to a folder of yours.")


def _configuration(place: Place) -> Iterator[Finding]:
    for problem in place.config.problems:
        yield Finding("configuration", "warning", str(problem), "`hermes-lite config edit` opens the file.")
    for file in place.config.untrusted:
        yield Finding("configuration", "warning", f"{file} is not used", "`hermes-lite config trust` allows it.")
    if not place.config.problems:
        yield Finding("configuration", "ok", "no problems")


async def _model(place: Place) -> Finding:
    try:
        endpoint = await discover(ModelSettings.of(place.config.section("model")), place.environ, ModelFlags())
    except NoModelError as error:
        return Finding("model", "error", error.message, error.mend)
    if endpoint.provider == DEMO:
        return Finding("model", "warning", "none; the chat opens on the offline demo planner", no_model_error().mend)
    return Finding("model", "ok", endpoint.origin)


def _servers(runtime: Runtime) -> Iterator[Finding]:
    for problem in runtime.toolbox.servers.problems:
        if not problem.fatal:
            yield Finding(f"server {problem.key}", "warning", problem.text)
    for status in runtime.toolbox.pool.statuses():
        area = f"server {status.source.label}"
        if status.state == "ready":
            yield Finding(area, "ok", f"{status.tools} tools")
        elif status.state == "disabled":
            yield Finding(area, "warning", status.detail or "off", f"`hermes-lite mcp enable {status.source.label}`")
        else:
            mend = f"`hermes-lite mcp test {status.source.label}` shows its last words."
            yield Finding(area, "error", f"{status.state}: {status.detail}", mend)


def _plugins(runtime: Runtime) -> Iterator[Finding]:
    for plugin in runtime.toolbox.plugins:
        area = f"plugin {plugin.source.label}"
        if plugin.fault:
            yield Finding(area, "error", plugin.fault, "Mend it, or take its name out of plugins.enabled.")
        else:
            yield Finding(area, "ok", f"{len(plugin.rows)} tools, {len(plugin.hooks)} hooks")


def _tools(runtime: Runtime) -> Iterator[Finding]:
    for dropped in runtime.toolbox.registry.dropped():
        yield Finding("tools", "warning", f"{dropped.name} of {dropped.source.label} was dropped: {dropped.reason}")
    settings = ToolSearchSettings.of(runtime.place.config.section("tools.tool_search"))
    for problem in classify(runtime.scope().rows, settings).reserved:
        yield Finding("tool search", "warning", problem)
    for line in runtime.without_effect():
        yield Finding("configuration", "warning", line, "Correct it or take it out.")
    yield Finding("tool search", "ok", str(runtime.assembly().activation))


def _print(findings: list[Finding]) -> None:
    console = OutputConsole()
    for finding in findings:
        mark, style = _MARKS[finding.level]
        console.print(
            Text(f"{mark} ", style=style).append(f"{finding.area}: ", "bold").append(finding.text, "default")
        )
        if finding.mend:
            console.print(Text(indent(finding.mend, "  "), style="dim"))
