"""Every exception that the product raises on purpose.

    HermesError                      (exit 1)
    |-- UsageError                   (exit 2)  the command line or a configuration write was refused
    |   |-- ConfigError                        a key, a value or a file of the configuration
    |-- DeniedError                  (exit 3)  a tool call that was needed was not allowed
    |-- LimitError                   (exit 4)  a step, size or token limit ended the work
    |-- NoModelError                 (exit 5)  no model, no key, or the key was refused
    |-- ModelError                   (exit 1)  the endpoint failed after its retries
    |   |-- ContextOverflowError               the request does not fit the model's window
    |-- ServerError                  (exit 1)  an MCP server could not be started or spoken to
    |-- SessionError                 (exit 1)  a session file cannot be found, read or written
    |-- PluginError                  (exit 1)  a plugin cannot be found, or adds what it may not

A user error names what happened, what was not done and the next step. A failure that the *model* can act on
is never an exception: it is a tool result (`hermes_lite.tools.spec.ToolResult`).
"""

import re
from typing import ClassVar

_NUMBER = re.compile(r"\[(?:Errno|WinError) -?\d+\] ")


def reason(error: BaseException) -> str:
    """What went wrong in words, without the number that the system gives it; its kind where there are none."""
    words = error.strerror if isinstance(error, OSError) else None
    return _NUMBER.sub("", words or str(error)) or type(error).__name__


class HermesError(Exception):
    """A failure that ends the command. `str(error)` is what happened; `mend` is the next step, shown after it."""

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, mend: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.mend = mend


class UsageError(HermesError):
    exit_code = 2


class ConfigError(UsageError):
    pass


class DeniedError(HermesError):
    exit_code = 3


class LimitError(HermesError):
    exit_code = 4


class NoModelError(HermesError):
    exit_code = 5


class ModelError(HermesError):
    pass


class ContextOverflowError(ModelError):
    pass


class ServerError(HermesError):
    pass


class SessionError(HermesError):
    pass


class PluginError(HermesError):
    pass
