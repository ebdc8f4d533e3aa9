"""How Markdown is drawn: rich's elements, with those changed that would be copied along or lose width."""

from markdown_it.token import Token
from rich._loop import loop_first
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, HorizontalRule, ListItem, Markdown
from rich.rule import Rule
from rich.segment import Segment

from hermes_lite.ui.code import Highlighter, code_block

_NUMBER = len("99.")


class _Code(CodeBlock):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = str(self.text).rstrip().split("\n")
        yield code_block(Highlighter(self.lexer_name).colour(lines))


class _Heading(Heading):
    LEVEL_ALIGN = dict.fromkeys(Heading.LEVEL_ALIGN, "left")


class _Item(ListItem):
    """Its number takes the same room in every list, so that an item looks the same alone."""

    def render_number(self, console: Console, options: ConsoleOptions, number: int, last_number: int) -> RenderResult:
        style = console.get_style("markdown.item.number")
        numeral = f"{number}.".rjust(_NUMBER) + " "
        room = max(1, options.max_width - len(numeral))
        for first, line in loop_first(console.render_lines(self.elements, options.update(width=room))):
            yield Segment(numeral if first else " " * len(numeral), style)
            yield from line
            yield Segment.line()


class _Rule(HorizontalRule):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Rule(style="faint", characters="─")


class Document(Markdown):
    """Links and pictures show their address as text: what a model writes becomes no hyperlink escape."""

    elements = Markdown.elements | {
        "heading_open": _Heading,
        "fence": _Code,
        "code_block": _Code,
        "list_item_open": _Item,
        "hr": _Rule,
    }

    def __init__(self, text: str) -> None:
        super().__init__(text, code_theme="ansi_dark", hyperlinks=False)
        for block in self.parsed:
            for token in block.children or ():
                if token.type == "image":
                    _as_text(token)


def _as_text(image: Token) -> None:
    """A picture where it stands in its line, not before its paragraph as rich has it."""
    image.type, image.children = "text", None
    image.content = f"{image.content} ({image.attrs['src']})"
