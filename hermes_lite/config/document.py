"""Reads YAML: text -> nodes with lines, and the marks that `surgery` cuts along. Owner of ruamel.yaml.

YAML 1.2 rules hold, so `off`, `on`, `yes` and `no` are words. A key that stands twice, several documents in one file
and a top level that is not a mapping are faults of the file: a later `set` could not know which to change.
"""

import math
from collections.abc import Callable, Iterator, Mapping

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode
from ruamel.yaml.nodes import Node as YamlNode

from hermes_lite.config.faults import in_words
from hermes_lite.config.nodes import Atom, BrokenYaml, Listing, Mapped, Node, Scalar

_NO_REASON = "it is not valid YAML"
_TAG = "tag:yaml.org,2002:"


def parse(text: str) -> Mapped:
    """The mapping that a configuration file holds; empty when the file says nothing. Raises `BrokenYaml`."""
    root = compose(text)
    return Mapped({}) if root is None else Mapped(_entries(root), _line(root))


def parse_value(text: str) -> Node:
    """Any YAML value, for one written on the command line. Raises `BrokenYaml`."""
    node = _composed(text)
    return Scalar("", None) if node is None else to_node(node)


def compose(text: str) -> MappingNode | None:
    """The marked tree of a configuration file. Raises `BrokenYaml`."""
    root = _composed(text)
    if root is None or (isinstance(root, ScalarNode) and root.value == ""):
        return None
    if isinstance(root, MappingNode):
        return root
    raise BrokenYaml("the file is not a mapping of keys to values", _line(root), root.start_mark.column + 1)


def _composed(text: str) -> YamlNode | None:
    try:
        node: YamlNode | None = YAML(typ="safe", pure=True).compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise BrokenYaml(in_words(error.problem or error.context or _NO_REASON), *place) from None
    except (YAMLError, ValueError, RecursionError) as error:
        raise BrokenYaml(in_words(str(error).splitlines()[0] if str(error) else _NO_REASON)) from None
    return node


def to_node(node: YamlNode, line: int | None = None) -> Node:
    """The value of a marked node; `line` is that of its key when it has one."""
    line = _line(node) if line is None else line
    if isinstance(node, MappingNode):
        return Mapped(_entries(node), line)
    if isinstance(node, SequenceNode):
        return Listing(tuple(to_node(item) for item in node.value), line)
    return Scalar(str(node.value), _atom(node), line)


def _entries(mapping: MappingNode) -> dict[str, Node]:
    own: dict[str, Node] = {}
    inherited: dict[str, Node] = {}
    for key, value in mapping.value:
        if key.tag == f"{_TAG}merge":
            for source in _merged(value):
                inherited = _entries(source) | inherited
            continue
        name = _key(key)
        if name in own:
            raise BrokenYaml(f"the key {name!r} stands twice", _line(key), key.start_mark.column + 1)
        own[name] = to_node(value, _line(key))
    return inherited | own


def _merged(node: YamlNode) -> Iterator[MappingNode]:
    for source in node.value if isinstance(node, SequenceNode) else [node]:
        if not isinstance(source, MappingNode):
            raise BrokenYaml("`<<` wants a mapping", _line(source), source.start_mark.column + 1)
        yield source


def _key(node: YamlNode) -> str:
    if isinstance(node, ScalarNode):
        return str(node.value)
    raise BrokenYaml("a key is a single word or text", _line(node), node.start_mark.column + 1)


def _line(node: YamlNode) -> int:
    return int(node.start_mark.line) + 1


def _integer(text: str) -> int:
    digits = text.replace("_", "")
    prefix = digits.lstrip("+-")[:2].lower()
    return int(digits, {"0x": 16, "0o": 8, "0b": 2}.get(prefix, 10))


def _real(text: str) -> float | str:
    number = float(text.replace("_", "").replace(".inf", "inf").replace(".nan", "nan"))
    return number if math.isfinite(number) else text


_ATOMS: Mapping[str, Callable[[str], Atom]] = {
    f"{_TAG}null": lambda _: None,
    f"{_TAG}bool": lambda text: text.lower() in ("true", "yes", "on", "y"),
    f"{_TAG}int": _integer,
    f"{_TAG}float": _real,
}


def _atom(node: YamlNode) -> Atom:
    text = str(node.value)
    convert = _ATOMS.get(str(node.tag), str)
    try:
        return convert(text)
    except ValueError:
        return text
