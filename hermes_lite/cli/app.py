"""The command tree. Each group lives in its own file and is imported only when it is named.

This is the only file with function-level imports: `--help` and `--version` must load neither a model client nor an
MCP client, and each command only what it needs.
"""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperGroup

from hermes_lite import __version__
from hermes_lite.cli.guard import quiet_pipe
from hermes_lite.cli.loading import load
from hermes_lite.cli.usage import run_named
from hermes_lite.errors import HermesError


class _Group(NamedTuple):
    module: str
    help: str


GROUPS = {
    "config": _Group("config_commands", "Read and change the configuration."),
    "prompt-size": _Group(
        "prompt_size_command", "What every turn costs before you say a word, with and without deferral."
    ),
    "tools": _Group("tools_commands", "List, search, describe, call and check the tools the model can reach."),
    "mcp": _Group("mcp_commands", "Attach, test and remove MCP servers."),
    "sessions": _Group("sessions_commands", "List, show, export and delete past conversations."),
    "doctor": _Group(
        "doctor_command", "Check model, key, endpoint, servers and configuration; each finding with its mend."
    ),
    "help": _Group("help_command", "The manual: `hermes-lite help TOPIC`."),
}


@contextmanager
def _leaving_quietly() -> Iterator[None]:
    """The parser would make a failure of a reader who went away."""
    try:
        yield
    except BrokenPipeError:
        raise typer.Exit(quiet_pipe()) from None


class _LazyGroup(TyperGroup):
    """Lists every group from the table and imports a group's module when the group is used."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(GROUPS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in GROUPS:
            return None
        module = load(GROUPS[cmd_name].module)
        command = typer.main.get_command(module.app)
        command.name = cmd_name
        return command

    def make_context(self, *args: Any, **more: Any) -> Any:
        """Read the options; `--help` and `--version` print here."""
        with _leaving_quietly():
            return super().make_context(*args, **more)

    def invoke(self, ctx: Any) -> Any:
        """Run what is named."""
        with _leaving_quietly():
            return super().invoke(ctx)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, group.help) for name, group in GROUPS.items()])


class OutputFormat(StrEnum):
    TEXT = "text"
    JSON = "json"
    STREAM_JSON = "stream-json"


app = typer.Typer(cls=_LazyGroup, rich_markup_mode=None, pretty_exceptions_enable=False, no_args_is_help=False)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hermes-lite {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
def chat(
    context: typer.Context,
    prompt: Annotated[
        str | None,
        typer.Option(
            "-p", "--print", metavar="TEXT", help="One turn without a terminal; standard input is appended."
        ),
    ] = None,
    output_format: Annotated[OutputFormat, typer.Option(help="How -p prints.")] = OutputFormat.TEXT,
    proceed: Annotated[
        bool, typer.Option("-c", "--continue", help="Go on with the last session of this folder.")
    ] = False,
    resume: Annotated[
        str | None, typer.Option("-r", "--resume", metavar="ID", help="Go on with the session ID.")
    ] = None,
    model: Annotated[str | None, typer.Option("-m", "--model", help="The model to talk to.")] = None,
    base_url: Annotated[str | None, typer.Option(metavar="URL", help="An OpenAI-compatible endpoint.")] = None,
    toolsets: Annotated[str | None, typer.Option(metavar="A,B", help="Grant only these toolsets.")] = None,
    yolo: Annotated[bool, typer.Option("--yolo", help="Run every tool without asking.")] = False,
    demo: Annotated[
        bool, typer.Option("--demo", help="Use the offline demo planner, whatever is configured.")
    ] = False,
    version: Annotated[
        bool, typer.Option("-V", "--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Chat with a model that works your tools. Without a command: the interactive chat."""
    if context.invoked_subcommand is not None:
        return
    from hermes_lite.cli.start import start
    from hermes_lite.cli.wish import Wish

    wish = Wish(
        prompt=prompt,
        output_format=output_format.value,
        proceed=proceed,
        resume=resume,
        model=model or "",
        base_url=base_url or "",
        toolsets=tuple(toolsets.split(",")) if toolsets else (),
        yolo=yolo,
        demo=demo,
    )
    try:
        code = start(wish) if prompt is None else load("one_shot_command").run(wish)
    except HermesError as error:
        if prompt is not None and output_format is not OutputFormat.TEXT:
            from hermes_lite.ui.oneshot import refusal

            typer.echo(json.dumps(refusal(error)))
        raise
    raise typer.Exit(code)


def run() -> None:
    """Parse the command line and run what it names."""
    sys.exit(run_named(typer.main.get_command(app), "hermes-lite"))
