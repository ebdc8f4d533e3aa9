"""How Markdown is drawn: rich's elements, with those changed that would be copied along or lose width."""

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, HorizontalRule, Markdown
from rich.padding import Padding
from rich.rule import Rule
from rich.syntax import Syntax


class _Code(CodeBlock):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = str(self.text).rstrip()
        yield Padding(
            Syntax(code, self.lexer_name, theme=self.theme, word_wrap=True, background_color="default"), (0, 0, 0, 2)
        )


class _Heading(Heading):
    LEVEL_ALIGN = dict.fromkeys(Heading.LEVEL_ALIGN, "left")


class _Rule(HorizontalRule):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Rule(style="faint", characters="─")


class Document(Markdown):
    """Links show their address as text: what a model writes becomes no hyperlink escape."""

    elements = Markdown.elements | {
        "heading_open": _Heading,
        "fence": _Code,
        "code_block": _Code,
        "hr": _Rule,
    }

    def __init__(self, text: str) -> None:
        super().__init__(text, code_theme="ansi_dark", hyperlinks=False)
