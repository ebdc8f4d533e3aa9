"""The command line: one file per command group; `app.py` names them and imports the one that is asked for."""
