"""Finds `config_defaults.yaml`: inside the package when installed from a wheel, else beside it in a checkout."""

from pathlib import Path

from hermes_lite.errors import ConfigError

NAME = "config_defaults.yaml"


def defaults_file() -> Path:
    """The one file where defaults stand. Raises `ConfigError` when the installation lost it."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package, package.parent):
        if (folder / NAME).is_file():
            return folder / NAME
    raise ConfigError(f"{NAME} is missing beside {package}", mend="Install the product again.")
