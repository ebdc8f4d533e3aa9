"""Tool Search: which tools wait, what of them stays visible, and how a waiting tool is found, read and called.

No I/O happens here. `assemble` is the only door to the model-visible array; `unwrap` is the only place that knows
the envelope of `tool_call`.
"""
