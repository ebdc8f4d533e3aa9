"""Changes the user's own configuration: one key at a time, judged by the schema, under a lock, all or nothing.

Only the user's file is ever written, never a project's. Whatever is refused raises `ConfigError` (exit 2) before
anything is written, so the file keeps its bytes. Names of secrets go to `.env` instead.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import portalocker

from hermes_lite.config.atomic import write_atomically
from hermes_lite.config.cache import node_from_text, parse_remembered
from hermes_lite.config.defaults import defaults_file
from hermes_lite.config.document import parse
from hermes_lite.config.keys import KeyPath, join, members, split
from hermes_lite.config.kinds import ANYTHING, Kind
from hermes_lite.config.nodes import BrokenYaml, Mapped, Node, node_of, plain
from hermes_lite.config.schema import SHORTHANDS, Schema, takes_effect
from hermes_lite.config.secrets import is_secret_variable, read_env, write_env
from hermes_lite.config.source import source_of
from hermes_lite.config.surgery import CannotEdit, drop, put
from hermes_lite.config.values import unknown_key
from hermes_lite.errors import ConfigError
from hermes_lite.paths import Home
from hermes_lite.text import capitalised, clean_surrogates

_PATIENCE = 5.0


@dataclass(frozen=True, slots=True)
class Change:
    """What was done. `old` and `new` are what the file says, `None` where it says nothing; `secret` values are masked
    before they are shown."""

    key: str
    old: Any
    new: Any
    takes_effect: str
    secret: bool = False


def set_value(home: Home, key: str, value: Any, force: bool = False) -> Change:
    """Set `key` in the user's file to a text, typed by the schema, or to a Python value.

    `force` writes a key that the schema does not know. Raises `ConfigError`, then nothing is written.
    """
    if is_secret_variable(key):
        return _set_secret(home, key, str(value))
    path = split(key)
    path = (*path, SHORTHANDS[path]) if path in SHORTHANDS else path
    typed = _typed(_schema(), path, value, force)
    with _locked(home, home.config):
        file = _UserFile(home)
        old = file.current(path)
        file.rewrite(put(file.spelled_out(path), path, typed))
    return Change(join(path), old, typed, takes_effect(path))


def set_members(home: Home, key: str, values: Mapping[str, Any]) -> None:
    """Set members of the table `key`, in one write. Raises `ConfigError`, then nothing is written."""
    section = split(key)
    schema = _schema()
    typed = {name: _typed(schema, (*section, name), value, force=False) for name, value in values.items()}
    with _locked(home, home.config):
        file = _UserFile(home)
        edited = file.spelled_out(section)
        if file.current(section) is None:
            edited = put(edited, section, typed)
        else:
            for name, value in typed.items():
                edited = put(edited, (*section, name), value)
        file.rewrite(edited)


def append_item(home: Home, key: str, item: Any) -> Change:
    """Add `item` to the end of the list `key` unless it is in it. Raises `ConfigError`, then nothing is written."""
    path = split(key)
    with _locked(home, home.config):
        file = _UserFile(home)
        old = file.current(path)
        items = old if isinstance(old, list) else []
        typed = _typed(_schema(), path, items if item in items else [*items, item], force=False)
        file.rewrite(put(file.spelled_out(path), path, typed))
    return Change(key, old, typed, takes_effect(path))


def remove_item(home: Home, key: str, item: Any) -> Change:
    """Take `item` out of the list `key`. Raises `ConfigError` when the user's file does not hold it."""
    path = split(key)
    with _locked(home, home.config):
        file = _UserFile(home)
        old = file.current(path)
        if not isinstance(old, list) or item not in old:
            raise ConfigError(f"{key} does not hold {item!r} in {home.config}; nothing was written")
        rest = [other for other in old if other != item]
        file.rewrite(put(file.spelled_out(path), path, rest))
    return Change(key, old, rest, takes_effect(path))


def unset_value(home: Home, key: str) -> Change:
    """Take `key` out of the user's file, so that the lower layers hold. Raises `ConfigError` when it is not in it."""
    if is_secret_variable(key):
        return _unset_secret(home, key)
    path = split(key)
    with _locked(home, home.config):
        file = _UserFile(home)
        old = file.current(path)
        try:
            file.rewrite(drop(file.spelled_out(path), path))
        except KeyError:
            raise _not_set(home, key, path) from None
    return Change(key, old, None, takes_effect(path))


class _UserFile:
    """The user's file as read under the lock: its text and what it says.

    Raises `ConfigError` when it is broken, `OSError` and `UnicodeDecodeError` when it cannot be read.
    """

    def __init__(self, home: Home) -> None:
        self._home = home
        self._source = source_of(home.config) or ""
        self._tree = _parsed(home, self._source)

    def current(self, path: KeyPath) -> Any:
        """The value of `path`, `None` when the file does not set it."""
        node: Node = self._tree
        for name in path:
            if not isinstance(node, Mapped) or name not in node.entries:
                return None
            node = node.entries[name]
        return plain(node)

    def spelled_out(self, path: KeyPath) -> str:
        """The text, with a boolean that stands for a section around `path` made that section."""
        for section, name in SHORTHANDS.items():
            stands = self.current(section)
            if path[: len(section)] == section != path and isinstance(stands, bool):
                word = _typed(_schema(), (*section, name), stands, force=False)
                return put(self._source, section, {name: word})
        return self._source

    def rewrite(self, edited: str) -> None:
        if edited != self._source:
            write_atomically(self._home.config, edited)


@contextmanager
def _locked(home: Home, file: Path) -> Iterator[None]:
    """Hold the lock of the configuration, and turn what stops a write of `file` into a `ConfigError`."""
    try:
        home.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        with portalocker.Lock(home.root / ".config.lock", mode="a", timeout=_PATIENCE):
            yield
    except portalocker.exceptions.LockException:
        raise ConfigError(f"another program is changing {file}; nothing was written", mend="Try again.") from None
    except CannotEdit as error:
        raise ConfigError(
            f"{error}; nothing was written", mend="Change it by hand: `hermes-lite config edit`."
        ) from None
    except OSError as error:
        reason = "its folder is a file" if isinstance(error, FileExistsError) else error.strerror
        raise ConfigError(
            f"{file} cannot be written ({reason}); nothing was changed",
            mend="Check the file and the permissions of its folder, or set HERMES_LITE_HOME to another one.",
        ) from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file} is not UTF-8 (byte {error.start}); nothing was written") from None


def _parsed(home: Home, source: str) -> Mapped:
    try:
        return parse(source)
    except BrokenYaml as error:
        raise ConfigError(
            f"{home.config}:{error.line}:{error.column}: {error.reason}; nothing was written",
            mend="Mend it with `hermes-lite config edit` first.",
        ) from None


def _schema() -> Schema:
    return Schema.of(parse_remembered(defaults_file().read_text(encoding="utf-8"), defaults_file(), None))


def _typed(schema: Schema, path: KeyPath, value: Any, force: bool) -> Any:
    key = join(path)
    kind: Kind | None = schema.kind_at(path)
    if path in schema.sections:
        hint = members(key, schema.names)
        raise ConfigError(f"{key} is a section and cannot be set as a whole", mend=capitalised(hint))
    if kind is None and not force:
        raise unknown_key(key, schema.names_around(path))
    kind = kind or ANYTHING
    try:
        node = node_from_text(kind, clean_surrogates(value)) if isinstance(value, str) else node_of(value)
        return kind.accept(node)
    except BrokenYaml as error:
        raise ConfigError(f"{key}: {value!r} is not a YAML value ({error.reason}); nothing was written") from None
    except ValueError as error:
        raise ConfigError(f"{key}: {error}; nothing was written") from None


def _not_set(home: Home, key: str, path: KeyPath) -> ConfigError:
    schema = _schema()
    if schema.kind_at(path) is None and path not in schema.sections:
        return unknown_key(key, schema.names_around(path))
    return ConfigError(f"{key} is not set in {home.config}")


def _set_secret(home: Home, name: str, value: str) -> Change:
    if not value.strip() or not value.isprintable():
        raise ConfigError(f"{name}: a secret is one line of text; nothing was written")
    with _locked(home, home.env):
        old = write_env(home, name, value.strip())
    return Change(name, old, value.strip(), takes_effect(()), secret=True)


def _unset_secret(home: Home, name: str) -> Change:
    if name not in read_env(home):
        raise ConfigError(f"{name} is not set in {home.env}")
    with _locked(home, home.env):
        old = write_env(home, name, None)
    return Change(name, old, None, takes_effect(()), secret=True)
