"""Says what is wrong with a command line in our own words, whatever the parser of options calls it."""

import re
from difflib import get_close_matches
from typing import Any

import typer

from hermes_lite.errors import HermesError, UsageError
from hermes_lite.text import reworded

_NO_COMMAND = re.compile(r"No such command '(.*?)'\..*")
_VALUE = r"Invalid value for '(.+?)'(?: / .+)?: (?:Value error, )?"
_WORDS = (
    (_VALUE + r"('.*') is not one of (.*?)\.?", r"\1: \2 is not one of \3"),
    (_VALUE + r"Input should be a valid integer.*", r"\1 wants a whole number"),
    (_VALUE + r"Unable to parse input string as an integer.*", r"\1 wants a smaller number"),
    (_VALUE + r"Input should be a (?:valid|finite) number.*", r"\1 wants a number"),
    (_VALUE + r"Input should be greater than or equal to (\S+)", r"\1 must be at least \2"),
    (_VALUE + r"Input should be less than or equal to (\S+)", r"\1 must be at most \2"),
    (_VALUE + r"(.*)", r"\1: \2"),
    (r"Missing (?:argument|option|parameter) '(.*)'\..*", r"\1 is missing"),
    (r"No such option: (\S+).*", r"there is no option \1"),
    (_NO_COMMAND.pattern, r"there is no command \1"),
    (r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)", r"\1: nothing more is expected here"),
    (r"Option '(.*)' requires (?:an argument|\d+ arguments)\.", r"\1 wants a value"),
    (r"Option '(.*)' does not take a value\.", r"\1 takes no value"),
)


def run_named(command: Any, program: str) -> int:
    """Run what the words of this process name in the tree of `command`; the exit code. Raises `HermesError`."""
    try:
        code = command.main(prog_name=program, standalone_mode=False)
    except typer.Abort:
        raise HermesError("nobody answered; nothing was done") from None
    except typer.TyperException as error:
        said = error.format_message()
        if not said.startswith("Usage:"):
            raise _refusal(error, said, program) from None
        typer.echo(said, err=True)  # a group without a command: its help is the answer
        return UsageError.exit_code
    return code if isinstance(code, int) else 0


def _refusal(error: typer.TyperException, said: str, program: str) -> UsageError:
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else program
    close = [*(getattr(error, "possibilities", None) or ()), *_near(context, said)]
    hint = f"Did you mean {' or '.join(close)}? " if close else ""
    return UsageError(reworded(said, _WORDS), mend=f"{hint}`{path} --help` shows what there is.")


def _near(context: Any, said: str) -> list[str]:
    """The commands that are spelled like the one that does not exist."""
    unknown = _NO_COMMAND.fullmatch(said)
    return get_close_matches(unknown[1], context.command.list_commands(context), n=1) if unknown else []
