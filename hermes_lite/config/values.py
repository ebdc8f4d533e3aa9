"""The effective configuration as a value: what each key holds and where it comes from."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from hermes_lite.config.keys import KeyPath, join, split, suggestion
from hermes_lite.config.schema import Schema
from hermes_lite.errors import ConfigError
from hermes_lite.text import capitalised

Layer: TypeAlias = Literal["defaults", "user", "project", "environment", "command line"]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value was set: a file with its line (from 1), or the name of an environment variable or option."""

    layer: Layer
    file: Path | None = None
    line: int | None = None
    name: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.file else self.name
        return f"{self.layer} ({place})" if place and self.layer != "defaults" else self.layer


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that was not taken over, shown once at start. `message` says what holds instead."""

    message: str
    key: str = ""
    file: Path | None = None
    line: int | None = None

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else str(self.file or "")
        return ": ".join(part for part in (where, self.key, self.message) if part)


@dataclass(frozen=True)
class Config:
    """Every key with its value, in the order of the defaults file.

    `untrusted` names the project files that were left out because the person has not trusted the folder.
    """

    schema: Schema
    values: Mapping[KeyPath, Any]
    origins: Mapping[KeyPath, Origin]
    problems: tuple[Problem, ...] = ()
    untrusted: tuple[Path, ...] = field(default=())

    def get(self, key: str) -> Any:
        """The value of a key, of an entry inside one, or a whole section as a mapping.

        Raises `ConfigError` with the nearest key when there is none.
        """
        path = split(key)
        if path in self.schema.sections:
            return self._section(path)
        owner = self.schema.owner(path)
        if owner is None:
            raise unknown_key(key, self.schema.names)
        value = self.values[owner.path]
        for name in path[len(owner.path) :]:
            if not isinstance(value, Mapping) or name not in value:
                raise ConfigError(f"{key} is not set", mend=f"Set it with `hermes-lite config set {key} VALUE`.")
            value = value[name]
        return value

    def section(self, key: str) -> Mapping[str, Any]:
        """A section, or a key that holds a mapping, as nested plain values. Raises `ConfigError`."""
        value = self.get(key)
        if not isinstance(value, Mapping):
            raise ConfigError(f"{key} is a single value, not a section")
        return value

    def origin(self, key: str) -> Origin:
        """Where the value of `key` was set last. Raises `ConfigError` for a key that does not exist."""
        path = split(key)
        for end in range(len(path), 0, -1):
            if path[:end] in self.origins:
                return self.origins[path[:end]]
        raise unknown_key(key, self.schema.names)

    def items(self) -> Iterator[tuple[str, Any]]:
        """Every key with its value; an entry of a table such as `mcp_servers` stands for itself."""
        for path, value in self._told():
            if isinstance(value, Mapping) and value:
                yield from ((join((*path, name)), entry) for name, entry in value.items())
            else:
                yield join(path), value

    def _told(self) -> Iterator[tuple[KeyPath, Any]]:
        """Every key; another name of one is left out while nothing stands under it."""
        for path, value in self.values.items():
            if not self.schema.keys[path].is_other_name or self.origins[path].layer != "defaults":
                yield path, value

    def _section(self, path: KeyPath) -> dict[str, Any]:
        tree: dict[str, Any] = {}
        for key, value in self._told():
            if key[: len(path)] == path:
                branch = tree
                for name in key[len(path) : -1]:
                    branch = branch.setdefault(name, {})
                branch[key[-1]] = value
        return tree


def unknown_key(key: str, known: tuple[str, ...]) -> ConfigError:
    hint = suggestion(key, known) or "`hermes-lite config list` shows every key."
    return ConfigError(f"there is no key {key}", mend=capitalised(hint))
