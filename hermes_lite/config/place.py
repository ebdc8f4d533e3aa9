"""Where a process works: what every command needs to know before it does anything."""

from collections.abc import Mapping
from dataclasses import dataclass

from hermes_lite.config.values import Config
from hermes_lite.paths import Home, Project


@dataclass(frozen=True, slots=True)
class Place:
    """The configuration in force, the home, the project folder, and the environment with what `.env` adds."""

    config: Config
    home: Home
    project: Project
    environ: Mapping[str, str]
