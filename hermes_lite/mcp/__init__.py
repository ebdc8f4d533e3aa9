"""The MCP client: servers as people configure them, kept connected and turned into tool rows.

`settings` reads the definitions, `pool` keeps the servers, `rows` and `results` translate. Importing this package or
`pool` loads nothing of the `mcp` SDK; that happens in the background when the first server is about to start.
"""
