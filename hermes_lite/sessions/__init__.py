"""Conversations on disk: one append-only JSON Lines file each, and an index over all of them that may be lost.

Read in this order: `records.py` (one line), `history.py` (what a file's lines add up to), `repair.py` (a history that
every provider accepts), `session.py` (the one writer of a file), `store.py` (the folder), `index.py` (search),
`export.py` (for people).
"""
