"""Reads a shell script into the simple commands that it would run, without running anything. Owner of tree-sitter.

Only constructs whose meaning is known here are read: chains, pipes, groups, loops, conditions, substitutions,
redirections, heredocs. Everything else (functions, arithmetic over variables, indirect expansion, a syntax error, an
invisible character) is `Unreadable`, and whoever judges must then treat the whole script as one unknown.
A redirection to or from a file is a command of its own, `> FILE`, so that it needs leave of its own.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from hermes_lite.text import utf8

_DEEPEST = 60
_RESERVED = frozenset(
    (
        *("if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac", "select"),
        *("function", "in", "{", "}", "[[", "]]", "!"),
    )
)
_GLOB = re.compile(r"[*?\[{]")
_NEVER_BARE = re.compile(r"^#|[$`;|&<>()'\"\s]")
_GAP = re.compile(r"(?:[ \t]|\\\n)*")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_SPLIT_WORD = re.compile(r"\S\\\n")
_HARMLESS_SETTING = re.compile(r"LANG|LC_[A-Z]+|TZ|NO_COLOR|COLUMNS|TERM")
_HARMLESS_VARIABLE = re.compile(
    _HARMLESS_SETTING.pattern + r"|(?!.*_proxy$)(?!.*_config_)(?!(?:path|fpath|cdpath)$)[a-z_][a-z0-9_]*"
)
_QUOTED_ESCAPE = re.compile(r'\\([$`"\\])|\\\n')
_PLAIN_NUMBERS = re.compile(r"\$\(\([\s\d+*/%()<>-]*\)\)")
_FREE_TARGETS = frozenset(("/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"))
_REDIRECTIONS = frozenset(("file_redirect", "herestring_redirect"))
_TESTS = frozenset(
    (
        *("-f", "-e", "-d", "-r", "-w", "-x", "-s", "-L", "-h", "-n", "-z", "-a", "-o", "-nt", "-ot"),
        *("=", "==", "!=", "!", "&&", "||", "(", ")", "[", "]", "[[", "]]"),
    )
)


class Unreadable(ValueError):
    """The script cannot be taken apart with certainty; the message says why."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word after quotes were removed. Not `known`: its value, or the number of words it becomes, is open until
    the shell runs; `text` is then its source."""

    text: str
    known: bool = True


@dataclass(frozen=True, slots=True)
class Command:
    """A simple command. `assigned` are its `NAME=value` prefixes; `stdin` is a literal heredoc or here-string."""

    words: tuple[Word, ...] = ()
    assigned: tuple[Word, ...] = ()
    stdin: str | None = None

    @property
    def name(self) -> str:
        """The program, without its folder; empty when that is open."""
        return self.words[0].text.rsplit("/", 1)[-1] if self.words and self.words[0].known else ""

    @property
    def settings(self) -> tuple[Word, ...]:
        """The assignments that may change what a program does: before a command they all reach it, alone only those
        that the environment may already hold."""
        harmless = _HARMLESS_SETTING if self.words else _HARMLESS_VARIABLE
        return tuple(word for word in self.assigned if not harmless.fullmatch(re.split(r"\+?=", word.text)[0]))

    def __str__(self) -> str:
        return " ".join(_shown(word) for word in (*self.assigned, *self.words))


def parse(source: str) -> tuple[Command, ...]:
    """Every simple command of `source`, substitutions included, in no particular order. Raises `Unreadable`."""
    _check_characters(source)
    root = Parser(_LANGUAGE).parse(utf8(source)).root_node
    if root.has_error:
        raise Unreadable("it is not valid shell syntax")
    reader = _Reader()
    reader.statement(root, 0)
    return tuple(reader.commands)


def crude_commands(source: str) -> Iterator[Command]:
    """What might be commands in a script that `parse` cannot read: for refusing, never for allowing."""
    for piece in re.split(r"[;&|\n(){}`]", source):
        words = re.sub(r"['\"\\]", "", piece).split()
        for start in range(len(words)):
            yield Command(tuple(Word(word) for word in words[start:]))


def _check_characters(source: str) -> None:
    for char in source:
        if char not in "\n\t " and unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Zs", "Zl", "Zp"):
            raise Unreadable(f"it holds the hidden character U+{ord(char):04X}")
    if _SPLIT_WORD.search(source.replace(" \\\n", " ")):
        raise Unreadable("a word is split over two lines")


def _check_gaps(node: Node) -> None:
    """A command whose words the parser found on different lines is not one command, and two words that touch are one
    to a shell."""
    whole, start = node.text or b"", node.start_byte
    for left, right in pairwise(node.children):
        gap = whole[left.end_byte - start : right.start_byte - start].decode()
        if not _GAP.fullmatch(gap):
            raise Unreadable("it can be read as one command or as two")
        if not gap and not {left.type, right.type} & _REDIRECTIONS:
            raise Unreadable("two of its words touch")


def _shown(word: Word) -> str:
    return (
        word.text if not word.known or re.fullmatch(r"[\w./:@%+=,~*?{}\[\]<>&-]+", word.text) else _quote(word.text)
    )


def _quote(text: str) -> str:
    return "'" + text.replace("'", "'\"'\"'") + "'"


@dataclass(slots=True)
class _Reader:
    """Walks the syntax tree by the table `_STATEMENTS`; a node that no table names is `Unreadable`."""

    commands: list[Command] = field(default_factory=list)

    def statement(self, node: Node, depth: int) -> None:
        if depth > _DEEPEST:
            raise Unreadable("it is nested too deeply")
        if not node.is_named or node.type == "comment":
            return
        read = _STATEMENTS.get(node.type)
        if read is None:
            raise Unreadable(f"it uses {node.type.replace('_', ' ')}")
        read(self, node, depth + 1)

    def group(self, node: Node, depth: int) -> None:
        for child in node.children:
            if child.type == "((":
                raise Unreadable("it uses arithmetic")
            self.statement(child, depth)

    def loop(self, node: Node, depth: int) -> None:
        variable = node.child_by_field_name("variable")
        for child in node.children:
            if child == variable:
                self.commands.append(Command(assigned=(Word(f"{_text(child)}="),)))
            elif child.type == "do_group":
                self.statement(child, depth)
            elif child.is_named:
                self.word(child, depth)

    def case(self, node: Node, depth: int) -> None:
        for index, child in enumerate(node.children):
            if node.field_name_for_child(index) == "value":
                self.word(child, depth)
            else:
                self.statement(child, depth)

    def command(self, node: Node, depth: int) -> None:
        self.commands.append(self.simple(node, depth, []))

    def redirected(self, node: Node, depth: int) -> None:
        """A statement with redirections: the command itself, then each file it opens."""
        body = node.child_by_field_name("body")
        inputs = [text for child in node.children if child != body for text in self.redirection(child, depth)]
        if body is None:
            return
        if body.type == "command":
            self.commands.append(self.simple(body, depth, inputs))
        else:
            self.statement(body, depth)

    def simple(self, node: Node, depth: int, inputs: list[str | None]) -> Command:
        """`inputs` are what redirections feed to standard input; only a single literal one counts as known."""
        _check_gaps(node)
        words: list[Word] = []
        assigned: list[Word] = []
        for child in node.children:
            match child.type:
                case "variable_assignment":
                    assigned.append(self.assignment(child, depth))
                case "command_name":
                    words += [self.word(part, depth) for part in child.children]
                case "herestring_redirect" | "file_redirect":
                    inputs = [*inputs, *self.redirection(child, depth)]
                case _:
                    words.append(self.word(child, depth))
        if words and words[0].text in _RESERVED:
            raise Unreadable(f"`{words[0].text}` stands where a command is expected")
        return Command(tuple(words), tuple(assigned), inputs[0] if len(inputs) == 1 else None)

    def declaration(self, node: Node, depth: int) -> None:
        words = [
            self.assignment(child, depth) if child.type == "variable_assignment" else self.word(child, depth)
            for child in node.children[1:]
        ]
        self.commands.append(Command((Word(_text(node.children[0])), *words)))

    def bare_assignment(self, node: Node, depth: int) -> None:
        self.commands.append(Command(assigned=(self.assignment(node, depth),)))

    def bare_assignments(self, node: Node, depth: int) -> None:
        for child in node.children:
            self.bare_assignment(child, depth)

    def assignment(self, node: Node, depth: int) -> Word:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or name.type != "variable_name":
            raise Unreadable("it assigns to a part of an array")
        word = self.word(value, depth) if value is not None else Word("")
        operator = "+=" if any(child.type == "+=" for child in node.children) else "="
        return Word(f"{_text(name)}{operator}{word.text}", word.known)

    def test(self, node: Node, depth: int) -> None:
        """`[ ... ]` and `[[ ... ]]` with the operators that only look at files and texts."""
        words = tuple(self._operands(node, depth))
        self.commands.append(Command((Word("test"), *words)))

    def _operands(self, node: Node, depth: int) -> Iterator[Word]:
        for child in node.children:
            if child.type in _EXPRESSIONS:
                yield from self._operands(child, depth + 1)
            elif child.type == "test_operator" or not child.is_named:
                if _text(child) not in _TESTS:
                    raise Unreadable(f"it tests with {_text(child)}")
            else:
                yield self.word(child, depth)

    def redirection(self, node: Node, depth: int) -> tuple[str | None, ...]:
        """Record what a redirection opens. Gives what it feeds to standard input, `None` for what is not literal."""
        match node.type:
            case "heredoc_redirect":
                return self.heredoc(node, depth)
            case "herestring_redirect":
                word = self.word(node.children[-1], depth)
                return (word.text if word.known else None,)
            case "file_redirect":
                return self.file(node, depth)
            case _:
                raise Unreadable(f"it uses {node.type.replace('_', ' ')}")

    def file(self, node: Node, depth: int) -> tuple[str | None, ...]:
        operator = next(child.type for child in node.children if not child.is_named)
        targets = [self.word(child, depth) for child in node.children_by_field_name("destination")]
        if len(targets) > 1:
            raise Unreadable("words stand behind its redirection")
        for target in targets:
            is_descriptor = operator in (">&", "<&") and re.fullmatch(r"\d+-?|-", target.text)
            is_plain_input = operator == "<" and target.known and not target.text.startswith("/dev/")
            if not (is_descriptor or is_plain_input or (target.known and target.text in _FREE_TARGETS)):
                self.commands.append(Command((Word("<" if operator == "<" else ">"), target)))
        return (None,) if operator.startswith("<") else ()

    def heredoc(self, node: Node, depth: int) -> tuple[str | None, ...]:
        inputs: list[str | None] = []
        is_quoted = has_descriptor = False
        for child in node.children:
            match child.type:
                case "heredoc_start":
                    is_quoted = _text(child)[:1] in ("'", '"', "\\")
                case "heredoc_body":
                    inputs.append(self.heredoc_body(child, is_quoted, depth))
                case "file_descriptor":
                    has_descriptor = True
                case "heredoc_end" | "<<" | "<<-":
                    continue
                case "file_redirect" | "herestring_redirect":
                    inputs += self.redirection(child, depth)
                case "pipeline" | "list":
                    self.group(child, depth)
                case _:
                    raise Unreadable("something stands beside its heredoc")
        return (None,) if has_descriptor else tuple(inputs)

    def heredoc_body(self, node: Node, is_quoted: bool, depth: int) -> str | None:
        text = _text(node)
        embedded = [child for child in node.children if child.type != "heredoc_content"]
        if is_quoted:
            return text
        for child in embedded:
            self.word(child, depth)
        if "`" in text or (not embedded and "$" in text):
            raise Unreadable("its heredoc may run something")
        return None if embedded or "\\" in text else text

    def word(self, node: Node, depth: int) -> Word:
        read = _WORDS.get(node.type)
        if read is None or depth > _DEEPEST:
            raise Unreadable(f"it uses {node.type.replace('_', ' ')}" if node.is_named else f"`{node.type}` is in it")
        return read(self, node, depth + 1)

    def bare_word(self, node: Node, depth: int) -> Word:
        source = _text(node)
        bare = _ESCAPED.sub("", source)
        if _NEVER_BARE.search(bare):
            raise Unreadable(f"`{source}` can be read in two ways")
        if _GLOB.search(bare):
            return Word(source, known=False)
        return Word(_ESCAPED.sub(r"\1", source.replace("\\\n", "")))

    def raw(self, node: Node, depth: int) -> Word:
        return Word(_text(node)[1:-1])

    def string(self, node: Node, depth: int) -> Word:
        inside = [child for child in node.children if child.type not in ('"', "string_content")]
        for child in inside:
            self.word(child, depth)
        if inside:
            return Word(_text(node), known=False)
        return Word(_QUOTED_ESCAPE.sub(lambda match: match[1] or "", _text(node)[1:-1]))

    def joined(self, node: Node, depth: int) -> Word:
        words = [self.word(child, depth) for child in node.children]
        if all(word.known for word in words) and not any(_text(child) == "{" for child in node.children):
            return Word("".join(word.text for word in words))
        return Word(_text(node), known=False)

    def variable(self, node: Node, depth: int) -> Word:
        return Word(_text(node), known=False)

    def expansion(self, node: Node, depth: int) -> Word:
        types = [child.type for child in node.children]
        if ":" in types and not set(types[types.index(":") :]) <= {":", "number", "}"}:
            raise Unreadable("it counts with variables, which can run things")
        for child in node.children:
            if child.type in ("!", "@", "=", ":=", "subscript"):
                raise Unreadable("it uses an expansion that can run or set things")
            if child.type in _WORDS:
                self.word(child, depth)
            elif child.type == "regex" and _NEVER_BARE.search(_text(child)):
                raise Unreadable("it uses a pattern that may run something")
            elif child.is_named and child.type not in ("variable_name", "special_variable_name", "regex"):
                raise Unreadable(f"it uses {child.type.replace('_', ' ')}")
        return Word(_text(node), known=False)

    def substitution(self, node: Node, depth: int) -> Word:
        if _text(node)[0] == "`" and "\\" in _text(node):
            raise Unreadable("backslashes between backticks mean other things than they seem to")
        for child in node.children:
            if child.type == "file_redirect":
                self.file(child, depth)
            else:
                self.statement(child, depth)
        return Word(_text(node), known=False)

    def arithmetic(self, node: Node, depth: int) -> Word:
        if _PLAIN_NUMBERS.fullmatch(_text(node)):
            return Word(_text(node), known=False)
        raise Unreadable("it uses arithmetic over variables")


_EXPRESSIONS = frozenset(("unary_expression", "binary_expression", "negated_expression", "parenthesized_expression"))
_STATEMENTS: Mapping[str, Callable[[_Reader, Node, int], None]] = {
    **dict.fromkeys(
        (
            *("program", "list", "pipeline", "subshell", "compound_statement", "negated_command", "do_group"),
            *("if_statement", "elif_clause", "else_clause", "while_statement"),
        ),
        _Reader.group,
    ),
    "for_statement": _Reader.loop,
    "case_statement": _Reader.case,
    "case_item": _Reader.case,
    "command": _Reader.command,
    "redirected_statement": _Reader.redirected,
    "declaration_command": _Reader.declaration,
    "unset_command": _Reader.declaration,
    "variable_assignment": _Reader.bare_assignment,
    "variable_assignments": _Reader.bare_assignments,
    "test_command": _Reader.test,
}
_WORDS: Mapping[str, Callable[[_Reader, Node, int], Word]] = {
    "word": _Reader.bare_word,
    "number": _Reader.bare_word,
    "variable_name": _Reader.bare_word,
    "raw_string": _Reader.raw,
    "string": _Reader.string,
    "concatenation": _Reader.joined,
    "simple_expansion": _Reader.variable,
    "ansi_c_string": _Reader.variable,
    "expansion": _Reader.expansion,
    "command_substitution": _Reader.substitution,
    "process_substitution": _Reader.substitution,
    "arithmetic_expansion": _Reader.arithmetic,
}
_LANGUAGE = Language(tree_sitter_bash.language())


def _text(node: Node) -> str:
    return (node.text or b"").decode()
