"""The tools of the workshop: plain functions, one file a craft. A function's name and docstring are the tool's."""
