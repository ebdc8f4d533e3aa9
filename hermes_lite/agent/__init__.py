"""The agent: a person's turn taken to its end over a model and real tools.

`loop.py` is the main loop and `agent.py` what it works with; `turn.py` is what it remembers meanwhile. One model
request is `request.py`, with `text_gate.py` before the screen and `reminders.py` behind it; one real call is
`calls.py`, after `gates.py` let it through, over what `desk.py` holds, its result cut by `results.py`. `plan.py` says
which calls may run side by side. `conversation.py` is what a session keeps frozen and what it appends,
`notices.py` what it tells of its tools, `compaction.py` how it gets shorter, `prompt.py` what stands before it.
"""
