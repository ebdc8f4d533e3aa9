"""`python -m hermes_lite` and the `hermes-lite` command."""

import sys
from importlib import import_module

from hermes_lite.cli.guard import guarded, prepare_streams


def main() -> None:
    """Run the command line; the bare command, the start that people wait for, needs no parser of options."""
    prepare_streams()
    tree = "app" if sys.argv[1:] else "bare"
    sys.exit(guarded(lambda: import_module(f"hermes_lite.cli.{tree}").run()))


if __name__ == "__main__":
    main()
