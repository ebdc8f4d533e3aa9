"""Tools as rows of data: what a tool is, which are registered, and how their schemas and arguments are handled."""
