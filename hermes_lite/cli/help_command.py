"""`hermes-lite help TOPIC`: the manual that ships with the product."""

from importlib.resources import files
from typing import Annotated

import typer
from rich.markdown import Markdown

from hermes_lite.cli.console import OutputConsole
from hermes_lite.errors import UsageError

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def show(topic: Annotated[str, typer.Argument(help="The topic; without one, the list of topics.")] = "") -> None:
    """Show a page of the manual."""
    pages = {page.name.removesuffix(".md"): page for page in files("hermes_lite").joinpath("manual").iterdir()}
    if not topic:
        typer.echo(
            "Topics:\n" + "\n".join(f"  {name:16}{_title(pages[name].read_text('utf-8'))}" for name in sorted(pages))
        )
        return
    if topic not in pages:
        raise UsageError(f"the manual has no topic {topic!r}", mend=f"Topics: {', '.join(sorted(pages))}.")
    OutputConsole(min(100, OutputConsole().width)).print(Markdown(pages[topic].read_text("utf-8")))


def _title(text: str) -> str:
    return text.partition("\n")[0].lstrip("# ")
