"""The tools that come with the product, one file a family. `hermes_lite.tools.rows` names them by dotted path.

A handler gets arguments that already fit its row's schema. It finds what lasts longer than a call in the context's
resources: `CoreSettings`, `SideFolder`, `Checkpoints`, `ProcessTable` (to be closed with the session), `TodoList`,
`SessionHistory` and `ToolNames`.
"""
