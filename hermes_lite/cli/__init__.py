"""The command line: one file per command group, and `app.py`, which names them and imports the one that is asked for."""
