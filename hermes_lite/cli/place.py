"""Where a command works: the configuration of this home and folder, with its problems said once."""

import os
import sys
from pathlib import Path

from hermes_lite.config import load
from hermes_lite.config.place import Place
from hermes_lite.config.secrets import environment
from hermes_lite.errors import HermesError
from hermes_lite.paths import Project, home


def here(*, quiet: bool = False) -> Place:
    """The place of this process; problems of the configuration go to standard error, one line each."""
    folder, project = home(), Project(_working_folder())
    config = load(folder, project, os.environ)
    if not quiet:
        for problem in config.problems:
            sys.stderr.write(f"hermes-lite: {problem}\n")
        for file in config.untrusted:
            sys.stderr.write(f"hermes-lite: {file} is not used yet; `hermes-lite config trust` allows it\n")
    return Place(config, folder, project, environment(folder, os.environ))


def _working_folder() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        raise HermesError("the working folder is gone", mend="Change to a folder that exists.") from error
