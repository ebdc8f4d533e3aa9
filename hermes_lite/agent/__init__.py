"""The agent: a person's turn taken to its end over a model and real tools.

`loop.py` is the main loop, `turn.py` one model request, `calls.py` the pipeline of one real call, `plan.py` which
calls may run side by side, `prompt.py` what stands before the conversation, `conversation.py` what a session keeps
frozen and what it appends.
"""
