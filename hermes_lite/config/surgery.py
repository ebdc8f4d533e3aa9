"""Changes one key in the text of a configuration file and leaves every other byte as it is.

Pure: text in, text out. The marks of the parsed tree say where to cut; comments, order, quotes, indentation, line
ends and keys that nobody knows stay. `put` and `drop` check their own work: when the new text does not read as the
old one but for that key, they raise `CannotEdit` instead of returning it.
"""

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode
from ruamel.yaml.nodes import Node as YamlNode

from hermes_lite.config.document import compose, parse, to_node
from hermes_lite.config.keys import KeyPath, join
from hermes_lite.config.literals import block, one_json_line, text, written, written_item
from hermes_lite.config.nodes import BrokenYaml, Mapped, Node, plain

_INDENT = 2
_COLON = re.compile(r"\s*:")
_ALIAS = re.compile(r"\s*:\s*(\*[^\s,\]}]+)")
_DOCUMENT_END = re.compile(r"^\.\.\.", re.MULTILINE)
_COMMENT = re.compile(r"(?:^|\s)#")


class CannotEdit(ValueError):
    """The file is laid out in a way that this one key cannot be changed in without touching others."""


def put(source: str, path: KeyPath, value: Any) -> str:
    """`source` with `path` set to `value`. Raises `BrokenYaml` and `CannotEdit`."""
    root = compose(source)
    edited = _unharmed(source, _put(source, root, path, value), path)
    if _at(parse(edited), path) != value:
        raise CannotEdit(f"{join(path)} cannot be written into the file as it is laid out")
    return edited


def drop(source: str, path: KeyPath) -> str:
    """`source` without `path`, and without sections that this leaves empty. Raises `KeyError` when it is not set."""
    root = compose(source)
    places = _places(root, path)
    if len(places) < len(path):
        raise KeyError(join(path))
    while len(places) > 1 and len(places[-1].parent.value) == 1 and not places[-2].has_comment(source):
        places.pop()
    return _unharmed(source, places[-1].removed(source), path)


def _put(source: str, root: MappingNode | None, path: KeyPath, value: Any) -> str:
    places = _places(root, path)
    rest = path[len(places) :]
    if not rest:
        return places[-1].replaced(source, value)
    holder = places[-1].value if places else root
    if isinstance(holder, MappingNode) and holder.flow_style:
        return _into_flow(source, holder, rest, value)
    if isinstance(holder, MappingNode) and places:
        return _after_last(source, holder, rest, value)
    if isinstance(holder, ScalarNode) and not holder.value:
        return places[-1].replaced(source, _nested(rest, value))
    if isinstance(holder, MappingNode) and _DOCUMENT_END.search(source):
        return _after_last(source, holder, rest, value)
    if places:
        raise CannotEdit(f"{join(path[: len(places)])} holds a single value in the file, not a section")
    newline = _newline(source)
    return (
        source + ("" if not source or source.endswith("\n") else newline) + _entry(source, rest, value, 0) + newline
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """One key of the file, its value, and the mapping both stand in."""

    parent: MappingNode
    key: YamlNode
    value: YamlNode

    def replaced(self, source: str, value: Any) -> str:
        start, end = self.span(source)
        if self.parent.flow_style or not (self._is_tall() or start == end):
            old = source[start:end]
            gap = " " if start == end else ""
            new = text(value, old[:1] if old[:1] in ("'", '"') else "") if isinstance(value, str) else written(value)
            return source[:start] + gap + new + source[end:]
        if isinstance(self.value, SequenceNode) and isinstance(value, list) and value:
            return _relisted(source, self.value, value)
        return self._rebuilt(source, end, value)

    def _rebuilt(self, source: str, end: int, value: Any) -> str:
        """The line of the key stays with its comment; the lines below it are written anew."""
        colon = self.colon(source)
        line_end = _line_end(source, colon)
        new = _block(source, value, self.key.start_mark.column)
        head, below = ("", new) if new.startswith("\n") else (new, "")
        return source[:colon] + head + source[colon:line_end] + below + source[max(end, line_end) :]

    def removed(self, source: str) -> str:
        if self.parent.flow_style:
            return self._removed_from_flow(source)
        start = _line_start(source, self.key.start_mark.index)
        if source[start : self.key.start_mark.index].strip():
            raise CannotEdit("the key does not stand at the start of a line")
        return source[:start] + source[_next_line(source, self.span(source)[1]) :]

    def _removed_from_flow(self, source: str) -> str:
        siblings = [_Place(self.parent, *pair) for pair in self.parent.value]
        index = [place.key for place in siblings].index(self.key)
        if index + 1 < len(siblings):
            return source[: self.key.start_mark.index] + source[siblings[index + 1].key.start_mark.index :]
        start = siblings[index - 1].span(source)[1] if index else self.key.start_mark.index
        return source[:start] + source[self.span(source)[1] :]

    def has_comment(self, source: str) -> bool:
        """True when a comment stands on or below the key's line, which would go with the whole section."""
        end = self.span(source)[1]
        end = end if self.parent.flow_style else _line_end(source, end)
        return _COMMENT.search(source, self.key.end_mark.index, end) is not None

    def span(self, source: str) -> tuple[int, int]:
        """The value's own characters, from first to last; empty and just behind the colon when there is none."""
        alias = _ALIAS.match(source, self.key.end_mark.index)
        if alias:
            return alias.span(1)
        start, end = self.value.start_mark.index, _end(self.value, source)
        if isinstance(self.value, ScalarNode) and start >= end:
            return self.colon(source), self.colon(source)
        return start, end

    def colon(self, source: str) -> int:
        match = _COLON.match(source, self.key.end_mark.index)
        if match is None:
            raise CannotEdit(f"the key {self.key.value!r} is written in an unusual way")
        return match.end()

    def _is_tall(self) -> bool:
        return isinstance(self.value, MappingNode | SequenceNode) and not self.value.flow_style


def _places(root: MappingNode | None, path: KeyPath) -> list[_Place]:
    """The places of as many leading segments of `path` as the file has."""
    places: list[_Place] = []
    node: YamlNode | None = root
    for name in path:
        pair = next((p for p in node.value if p[0].value == name), None) if isinstance(node, MappingNode) else None
        if pair is None:
            break
        assert isinstance(node, MappingNode)
        places.append(_Place(node, *pair))
        node = pair[1]
    return places


def _end(node: YamlNode, source: str) -> int:
    """Behind the last character of `node` itself; what follows on its line is not counted."""
    if isinstance(node, MappingNode) and node.value and not node.flow_style:
        return _Place(node, *node.value[-1]).span(source)[1]
    if isinstance(node, SequenceNode) and node.value and not node.flow_style:
        return max(int(node.start_mark.index) + 1, _end(node.value[-1], source))
    start = int(node.start_mark.index)
    return start + len(source[start : node.end_mark.index].rstrip())


def _after_last(source: str, holder: MappingNode, rest: KeyPath, value: Any) -> str:
    place = _line_end(source, _end(holder, source))
    return source[:place] + _newline(source) + _entry(source, rest, value, holder.start_mark.column) + source[place:]


def _into_flow(source: str, holder: MappingNode, rest: KeyPath, value: Any) -> str:
    entry = f"{text(rest[0])}: {written(_nested(rest[1:], value))}"
    if not holder.value:
        return source[: holder.start_mark.index + 1] + entry + source[holder.start_mark.index + 1 :]
    place = _Place(holder, *holder.value[-1]).span(source)[1]
    return source[:place] + ", " + entry + source[place:]


def _entry(source: str, path: KeyPath, value: Any, indent: int) -> str:
    return " " * indent + text(path[0]) + ":" + _block(source, _nested(path[1:], value), indent)


def _block(source: str, value: Any, indent: int) -> str:
    return block(value, indent + _INDENT).replace("\n", _newline(source))


def _nested(path: KeyPath, value: Any) -> Any:
    for name in reversed(path):
        value = {name: value}
    return value


def _relisted(source: str, old: SequenceNode, new: list[Any]) -> str:
    """A block list written anew item by item: one that stays keeps its lines, the comments above it included."""
    begin = _line_start(source, old.start_mark.index)
    ends = [_line_end(source, _end(item, source)) for item in old.value]
    starts = [begin, *(_next_line(source, end) for end in ends)]
    chunks = [source[start:end] for start, end in zip(starts, ends, strict=False)]
    before = [one_json_line(plain(to_node(item))) for item in old.value]
    after = [one_json_line(item) for item in new]
    pad = " " * old.start_mark.column + "- "
    lines: list[str] = []
    for change, start, end, low, high in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        lines += chunks[start:end] if change == "equal" else [pad + written_item(item) for item in new[low:high]]
    return source[:begin] + _newline(source).join(lines) + source[ends[-1] :]


def _unharmed(source: str, edited: str, path: KeyPath) -> str:
    try:
        if _others(parse(source), path) == _others(parse(edited), path):
            return edited
    except BrokenYaml:
        pass
    raise CannotEdit(f"{join(path)} cannot be changed without touching other keys of the file")


def _others(tree: Mapped, path: KeyPath) -> dict[KeyPath, Any]:
    return {key: value for key, value in _leaves((), tree) if key[: len(path)] != path and path[: len(key)] != key}


def _leaves(path: KeyPath, node: Node) -> Iterator[tuple[KeyPath, Any]]:
    if isinstance(node, Mapped) and node.entries:
        for name, entry in node.entries.items():
            yield from _leaves((*path, name), entry)
    else:
        yield path, plain(node)


def _at(tree: Node, path: KeyPath) -> Any:
    for name in path:
        tree = tree.entries[name] if isinstance(tree, Mapped) else tree
    return plain(tree)


def _line_start(source: str, index: int) -> int:
    return source.rfind("\n", 0, index) + 1


def _line_end(source: str, index: int) -> int:
    end = source.find("\n", index)
    return len(source) if end < 0 else end - (source[end - 1] == "\r")


def _next_line(source: str, index: int) -> int:
    end = source.find("\n", index)
    return len(source) if end < 0 else end + 1


def _newline(source: str) -> str:
    return "\r\n" if "\r\n" in source else "\n"
