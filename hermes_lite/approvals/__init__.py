"""Whether a call may run: the person's rules (`policy`), what a shell script really does (`shell`, `launchers`), and
the question to the person (`gate`).

`policy.judge` is pure; only `gate` waits. Read `policy` first.
"""
