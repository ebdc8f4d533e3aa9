"""The demo planner: what answers when there is no model, so that the loop and the tools can be seen at work.

It is no language model and says so. It knows the jobs of one table and finds the tools for them as a model does.
"""
