"""`python -m hermes_lite` and the `hermes-lite` command."""

import sys

from hermes_lite import streams
from hermes_lite.cli.guard import guarded
from hermes_lite.cli.loading import load


def main() -> None:
    """Run the command line; the bare command, the start that people wait for, needs no parser of options."""
    streams.prepare()
    sys.exit(guarded(lambda: load("app" if sys.argv[1:] else "start").run()))


if __name__ == "__main__":
    main()
