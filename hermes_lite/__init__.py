"""hermes_lite: a terminal agent shell whose attached tools wait behind Tool Search."""

__version__ = "0.1.0"
