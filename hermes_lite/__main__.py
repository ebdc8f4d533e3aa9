"""`python -m hermes_lite` and the `hermes-lite` command."""

from hermes_lite.cli.app import main

if __name__ == "__main__":
    main()
