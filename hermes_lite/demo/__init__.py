"""Three small MCP servers that ship with the product: something real to work with from the first minute.

Each is started as `python -m hermes_lite.demo.NAME` and speaks the protocol through the official SDK. They run
offline and give the same answer to the same question.
"""
