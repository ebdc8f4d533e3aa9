"""The tools that come with the product, as rows.

Imports no implementation: each handler is a dotted path into `hermes_lite.tools.core`, so that listing, measuring and
exposing the tools never loads one. The core rows are shown to the model on every turn, which is why their texts are
short; the others wait behind search, and their texts are written to be found.
"""

from collections.abc import Mapping
from typing import Any

from hermes_lite.tools.spec import Display, Source, ToolSpec

CORE = Source("core", "core")
_HANDLERS = "hermes_lite.tools.core"


def builtin_rows() -> tuple[ToolSpec, ...]:
    """Every built-in tool: the core first, then those that may wait behind search."""
    return CORE_ROWS + SEARCHED_ROWS


def _object(required: tuple[str, ...] = (), /, **properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


def _count(description: str, *, least: int = 1, most: int | None = None) -> dict[str, Any]:
    bounds = {"minimum": least} | ({} if most is None else {"maximum": most})
    return {"type": "integer", **bounds, "description": description}


_PATH = _text("Absolute, or relative to the working folder.")

CORE_ROWS = (
    ToolSpec(
        name="terminal",
        description=(
            "Run a bash command in the working folder; gives its output and exit code. Each call is a fresh shell "
            "without input; whatever it leaves in the background is ended."
        ),
        parameters=_object(
            ("command",),
            command=_text("The command line."),
            timeout=_count("Seconds until it is killed.", most=3600),
            folder=_text("Run there instead of the working folder."),
        ),
        handler=f"{_HANDLERS}.terminal:terminal",
        source=CORE,
        toolset="terminal",
        deferrable=False,
        keywords=("shell", "bash", "command", "run", "execute", "cli"),
        self_bounded=True,
        parallel="never",
        tier="gated",
        risk="execute",
        exposure="full",
        display=Display("$", "command"),
    ),
    ToolSpec(
        name="read_file",
        description="Read a text file, with line numbers.",
        parameters=_object(
            ("path",),
            path=_PATH,
            offset=_count("First line to read, from 1."),
            limit=_count("How many lines to read.", most=5000),
        ),
        handler=f"{_HANDLERS}.files:read_file",
        source=CORE,
        toolset="files",
        deferrable=False,
        keywords=("open", "view", "cat", "show", "text", "lines"),
        parallel="safe",
        tier="silent",
        risk="read",
        exposure="read",
        idempotent=True,
        display=Display("≡", "path"),
    ),
    ToolSpec(
        name="write_file",
        description="Create a file or replace its whole content; makes missing folders. To change a part, use patch.",
        parameters=_object(
            ("path", "content"),
            path=_PATH,
            content=_text("The whole new content."),
        ),
        handler=f"{_HANDLERS}.files:write_file",
        source=CORE,
        toolset="files",
        deferrable=False,
        keywords=("create", "save", "overwrite", "new", "store"),
        parallel="path-locked",
        tier="gated",
        risk="write",
        exposure="full",
        idempotent=True,
        display=Display("+", "path"),
    ),
    ToolSpec(
        name="patch",
        description=(
            "Replace text in a file. old_text must match the file exactly, white space included, and be unique "
            "unless replace_all is set."
        ),
        parameters=_object(
            ("path", "old_text", "new_text"),
            path=_PATH,
            old_text=_text("The text to replace, without line numbers."),
            new_text=_text("What stands there instead."),
            replace_all={"type": "boolean", "description": "Replace every occurrence."},
        ),
        handler=f"{_HANDLERS}.patch:patch",
        source=CORE,
        toolset="files",
        deferrable=False,
        keywords=("edit", "change", "replace", "modify", "fix", "substitute"),
        parallel="path-locked",
        tier="gated",
        risk="write",
        exposure="full",
        display=Display("±", "path"),
    ),
    ToolSpec(
        name="search_files",
        description="Find lines by regular expression, or files by name if pattern is left out. Skips ignored files.",
        parameters=_object(
            pattern=_text("Regular expression to find in the lines of files."),
            glob=_text("Only files whose path matches, such as *.py or src/**/*.ts."),
            path=_text("File or folder to search; the working folder if left out."),
            ignore_case={"type": "boolean", "description": "Let upper and lower case match each other."},
            limit=_count("Most results to return.", most=1000),
        ),
        handler=f"{_HANDLERS}.search:search_files",
        source=CORE,
        toolset="files",
        deferrable=False,
        keywords=("grep", "find", "glob", "regex", "ls", "list", "look"),
        parallel="safe",
        tier="silent",
        risk="read",
        exposure="read",
        idempotent=True,
        display=Display("/", "pattern"),
    ),
    ToolSpec(
        name="web_fetch",
        description="Fetch a page of the web as text.",
        parameters=_object(
            ("url",),
            url=_text("Its http or https address."),
            offset=_count("Character to go on from.", least=0),
        ),
        handler=f"{_HANDLERS}.web:web_fetch",
        source=CORE,
        toolset="web",
        deferrable=False,
        keywords=("http", "url", "download", "browse", "internet", "site", "link"),
        parallel="safe",
        tier="gated",
        risk="external",
        display=Display("@", "url"),
    ),
    ToolSpec(
        name="clarify",
        description="Ask the person one question when only they can decide, and wait for the answer.",
        parameters=_object(
            ("question",),
            question=_text("The question."),
            choices={
                "type": "array",
                "items": {"type": "string"},
                "maxItems": 9,
                "description": "Answers to choose from; leave out for free text.",
            },
        ),
        handler=f"{_HANDLERS}.clarify:clarify",
        source=CORE,
        toolset="person",
        deferrable=False,
        keywords=("ask", "question", "user", "confirm", "choose"),
        parallel="never",
        tier="silent",
        risk="read",
        display=Display("?", "question"),
    ),
)

SEARCHED_ROWS = (
    ToolSpec(
        name="todo_list",
        description=(
            "Keep a to-do list of the steps of a longer task. Give items to replace the whole list; leave them out "
            "to read it. The list stays known when the conversation is shortened."
        ),
        parameters=_object(
            items={
                "type": "array",
                "maxItems": 100,
                "items": _object(
                    ("text", "state"),
                    text=_text("One step."),
                    state={"type": "string", "enum": ["open", "active", "done", "dropped"]},
                ),
                "description": "The whole list in order.",
            },
        ),
        handler=f"{_HANDLERS}.todo:todo_list",
        source=Source("builtin", "planning"),
        toolset="planning",
        keywords=("todo", "task", "plan", "checklist", "steps", "progress", "track"),
        parallel="never",
        tier="silent",
        risk="read",
        idempotent=True,
        display=Display("*", None),
    ),
    ToolSpec(
        name="process_manage",
        description=(
            "Run a command in the background, such as a server, a watcher or a long build, and work with it: start, "
            "list, poll for new output, write to its input, kill. All are ended when the shell ends."
        ),
        parameters=_object(
            ("action",),
            action={"type": "string", "enum": ["start", "list", "poll", "write", "kill"]},
            command=_text("For start: the bash command line."),
            process=_text("For poll, write and kill: the name that start gave, such as p1."),
            input=_text("For write: the text to send; end it with a line break to enter a line."),
            wait=_count("For start, poll and write: seconds to wait for output or the end.", least=0, most=60),
        ),
        handler=f"{_HANDLERS}.processes:process_manage",
        source=Source("builtin", "processes"),
        toolset="processes",
        keywords=("background", "server", "daemon", "job", "watch", "stop", "kill", "stdin", "output"),
        parallel="never",
        tier="gated",
        risk="execute",
        idempotent=True,
        exposure="full",
        display=Display("&", "command"),
    ),
    ToolSpec(
        name="session_search",
        description="Search all past conversations with this person for words or phrases; gives excerpts.",
        parameters=_object(
            ("query",),
            query=_text('Words to find, in any language; "quoted words" must stand together.'),
            limit=_count("Most excerpts to return.", most=50),
        ),
        handler=f"{_HANDLERS}.recall:session_search",
        source=Source("builtin", "history"),
        toolset="history",
        keywords=("history", "memory", "earlier", "previous", "last time", "recall", "remember", "chat", "talked"),
        parallel="safe",
        tier="silent",
        risk="read",
        idempotent=True,
        display=Display("⌕", "query"),
    ),
)
