"""Says what is wrong with a YAML file in words that need no knowledge of parsers."""

from hermes_lite.text import reworded

_WORDS = (
    (r"but found another document", "a second document begins (`---`), and a configuration is one"),
    (r"found character '\\t'.*", "a tab stands where only spaces may"),
    (r"found character '(.)' that cannot start.*", r"a value cannot begin with `\1`; put quotes around it"),
    (r"expected ',' or '(.)'.*", r"a `,` or `\1` is missing"),
    (r"expected the node content.*", "a value is missing"),
    (r"found unexpected end of stream", "a quote is never closed"),
    (r"mapping values are not allowed here", "a second `:` stands in the line; put quotes around the value"),
    (r"could not find expected ':'", "a `:` is missing after a key"),
    (r"expected <block end>.*", "the line is not indented like those before it"),
    (r"found undefined alias '(.*)'", r"`*\1` refers to nothing; put quotes around it if it is a text"),
    (r"unacceptable character #x(\w+).*", r"the character U+\1 cannot stand in it"),
    (r"found unknown escape character '(.)'", r"`\\\1` means nothing between double quotes; use single ones"),
)


def in_words(problem: str) -> str:
    """`problem`, as the parser states it, for a person; as it is when this module does not know it."""
    return reworded(problem, _WORDS)
