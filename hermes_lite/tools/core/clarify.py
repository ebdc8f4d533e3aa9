"""`clarify`: a question to the person. How it is put to them is the business of the screen."""

from typing import Any

from hermes_lite.tools.spec import Question, ToolContext, ToolResult

NOBODY = (
    "NOT ANSWERED: nobody can answer here, or the person chose not to. Decide with what you know, say what you "
    "assumed, and do nothing that cannot be undone."
)


async def clarify(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
    answer = await context.ask(Question(arguments["question"], tuple(arguments.get("choices", ()))))
    return ToolResult(answer) if answer and answer.strip() else ToolResult(NOBODY, is_error=True)
