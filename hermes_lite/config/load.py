"""Lays the layers over each other: defaults < user < project < environment < command line.

Nothing that stands in a file, a variable or an option can stop the start: what cannot be taken over becomes a
`Problem`, and the value that the lower layers give holds. Only a broken installation (no defaults) raises.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from hermes_lite.config.cache import node_from_text, parse_remembered
from hermes_lite.config.defaults import defaults_file
from hermes_lite.config.keys import KeyPath, join, split, suggestion
from hermes_lite.config.kinds import Kind, Table
from hermes_lite.config.literals import written
from hermes_lite.config.nodes import BrokenYaml, Mapped, Node, Scalar
from hermes_lite.config.schema import SHORTHANDS, Key, Schema
from hermes_lite.config.source import source_of, text_of
from hermes_lite.config.trust import is_trusted
from hermes_lite.config.values import Config, Layer, Origin, Problem, unknown_key
from hermes_lite.paths import Home, Project

PREFIX = "HERMES_LITE__"


@dataclass(frozen=True, slots=True)
class Setting:
    """One key as one layer sets it; `node` is what was written there."""

    path: KeyPath
    node: Node
    origin: Origin


@dataclass(slots=True)
class _Stack:
    """The layers laid so far."""

    schema: Schema
    values: dict[KeyPath, Any] = field(default_factory=dict)
    origins: dict[KeyPath, Origin] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def lay(self, found: Iterable[Setting | Problem]) -> None:
        for each in found:
            if isinstance(each, Problem):
                self.problems.append(each)
            else:
                self._set(each)

    def _set(self, setting: Setting) -> None:
        owner = self.schema.owner(setting.path)
        kind = self.schema.kind_at(setting.path)
        assert owner is not None and kind is not None
        try:
            value = kind.accept(setting.node)
        except ValueError as error:
            message = f"{error}; {self._holding(owner, setting)}"
            place = setting.origin
            self.problems.append(Problem(message, place.name or join(setting.path), place.file, place.line))
            return
        self.values[owner.path] = _replaced(self.values.get(owner.path), setting.path[len(owner.path) :], value)
        self.origins[setting.path] = setting.origin

    def _holding(self, owner: Key, setting: Setting) -> str:
        if owner.path != setting.path:
            return "it is left out"
        return f"using {written(self.values[owner.path])}"


def load(
    home: Home, project: Project, environ: Mapping[str, str], overrides: Mapping[str, str] = MappingProxyType({})
) -> Config:
    """The effective configuration of a process that starts in `project`.

    `overrides` are keys and texts from the command line. Raises `ConfigError` for a key there that does not exist,
    and when the defaults file is missing; anything else is reported in `Config.problems`.
    """
    cache = home.cache / "config" if home.root.is_dir() else None
    source = defaults_file()
    defaults = parse_remembered(source.read_text(encoding="utf-8"), source, cache)
    schema = Schema.of(defaults)
    trusted = is_trusted(home, project)
    stack = _Stack(schema)
    stack.lay(Setting(key.path, key.default, Origin("defaults", source)) for key in schema.keys.values())
    stack.lay(_file(schema, home.config, "user", cache))
    if trusted:
        stack.lay(_file(schema, project.config, "project", cache))
    stack.lay(_unreadable_env(home.env))
    stack.lay(_environment(schema, environ))
    stack.lay(_options(schema, overrides))
    untrusted = () if trusted else (project.config,)
    return Config(schema, stack.values, stack.origins, tuple(stack.problems), untrusted)


def _walk(schema: Schema, path: KeyPath, node: Node, origin: Origin) -> Iterator[Setting | Problem]:
    """Every key that the mapping of a file sets, and a problem for each thing that is no key."""
    here = replace(origin, line=node.line or None)
    if path in schema.keys:
        yield from _entries(schema.keys[path].kind, path, node, here)
    elif path not in schema.sections:
        yield _unknown(here, path, schema)
    elif isinstance(node, Mapped):
        for name, entry in node.entries.items():
            yield from _walk(schema, (*path, name), entry, origin)
    elif path in SHORTHANDS and isinstance(node, Scalar) and isinstance(node.value, bool):
        yield Setting((*path, SHORTHANDS[path]), node, here)
    elif not (isinstance(node, Scalar) and node.value is None):
        yield Problem(
            f"{join(path)} is a section; a value cannot stand in its place", join(path), here.file, here.line
        )


def _entries(kind: Kind, path: KeyPath, node: Node, origin: Origin) -> Iterator[Setting]:
    """A table is laid entry by entry: a bad server does not take the others with it, a project adds to the user's."""
    if isinstance(kind, Table) and isinstance(node, Mapped) and node.entries:
        for name, entry in node.entries.items():
            yield Setting((*path, name), entry, replace(origin, line=entry.line or None))
    else:
        yield Setting(path, node, origin)


def _file(schema: Schema, file: Path, layer: Layer, cache: Path | None) -> Iterator[Setting | Problem]:
    try:
        text = text_of(file)
        if text is None:
            return
        tree = parse_remembered(text, file, cache)
    except (OSError, UnicodeDecodeError) as error:
        yield _unreadable(file, error)
    except BrokenYaml as error:
        message = f"{error.reason} (column {error.column}); nothing of the file is used until it is mended"
        yield Problem(message, file=file, line=error.line)
    else:
        yield from _walk(schema, (), tree, Origin(layer, file))


def _unreadable_env(file: Path) -> Iterator[Problem]:
    """What keeps the keys in `.env` from being read."""
    try:
        source_of(file)
    except (OSError, UnicodeDecodeError) as error:
        yield _unreadable(file, error)


def _unreadable(file: Path, error: OSError | UnicodeDecodeError) -> Problem:
    why = "is not UTF-8" if isinstance(error, UnicodeDecodeError) else f"cannot be read ({error.strerror})"
    return Problem(f"the file {why}; nothing of it is used", file=file)


def _environment(schema: Schema, environ: Mapping[str, str]) -> Iterator[Setting | Problem]:
    for name, text in sorted(environ.items()):
        if name.startswith(PREFIX):
            path = tuple(name.removeprefix(PREFIX).lower().split("__"))
            yield from _text(schema, path, text, Origin("environment", name=name))


def _options(schema: Schema, overrides: Mapping[str, str]) -> Iterator[Setting | Problem]:
    for key, text in overrides.items():
        path = split(key)
        if schema.kind_at(path) is None:
            raise unknown_key(key, schema.names_around(path))
        yield from _text(schema, path, text, Origin("command line", name=key))


def _text(schema: Schema, path: KeyPath, text: str, origin: Origin) -> Iterator[Setting | Problem]:
    path = (*path, SHORTHANDS[path]) if path in SHORTHANDS else path
    kind = schema.kind_at(path)
    if kind is None:
        yield _unknown(origin, path, schema)
        return
    try:
        yield Setting(path, node_from_text(kind, text), origin)
    except BrokenYaml as error:
        yield Problem(f"{text!r} is not a value ({error.reason}); it is not used", origin.name or join(path))


def _unknown(origin: Origin, path: KeyPath, schema: Schema) -> Problem:
    hint = suggestion(join(path), schema.names_around(path))
    message = f"there is no such key; {hint}" if hint else "there is no such key"
    return Problem(message, origin.name or join(path), origin.file, origin.line)


def _replaced(value: Any, rest: KeyPath, new: Any) -> Any:
    """`value` with what `rest` names replaced by `new`; mappings inside are laid over each other."""
    if rest:
        inner = value if isinstance(value, Mapping) else {}
        return {**inner, rest[0]: _replaced(inner.get(rest[0]), rest[1:], new)}
    if isinstance(value, Mapping) and isinstance(new, Mapping):
        return {**value, **{name: _replaced(value.get(name), (), each) for name, each in new.items()}}
    return new
