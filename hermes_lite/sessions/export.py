"""A whole conversation as one text. Nothing of it can act on the page or the terminal that shows it."""

import json
from collections.abc import Callable, Iterator, Mapping
from html import escape
from itertools import groupby
from typing import Literal, TypeAlias

import regex

from hermes_lite.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage, to_record
from hermes_lite.sessions.history import History
from hermes_lite.sessions.session import ACTIVITY
from hermes_lite.text import clean_surrogates, harmless, one_line

Format: TypeAlias = Literal["markdown", "html", "jsonl"]

_STYLE = (
    "body{max-width:46rem;margin:2rem auto;padding:0 1rem;font:16px/1.5 system-ui,sans-serif}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#8881;padding:.6rem;border-radius:.4rem}"
    "section{margin:1.2rem 0}h2{font-size:1rem;margin:0;opacity:.7}summary{cursor:pointer}"
)
_TICKS = regex.compile(r"`+")


def markdown(history: History) -> str:
    """The conversation as Markdown, each call with its result."""
    results = _results(history)
    parts = [f"# {_title(history)}", _facts(history)]
    for speaker, messages in _spoken(history):
        parts.append(f"## {speaker}")
        parts += [part for message in messages for part in _markdown_parts(message, results)]
    return "\n\n".join(parts) + "\n"


def html(history: History) -> str:
    """The conversation as one self-contained page; calls are folded."""
    results = _results(history)
    sections = [
        f"<section><h2>{escape(speaker)}</h2>\n"
        + "\n".join(part for message in messages for part in _html_parts(message, results))
        + "\n</section>"
        for speaker, messages in _spoken(history)
    ]
    title = escape(_title(history))
    return (
        f'<!doctype html>\n<html><head><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style></head>\n'
        f"<body><h1>{title}</h1>\n<p>{escape(_facts(history))}</p>\n" + "\n".join(sections) + "\n</body></html>\n"
    )


def jsonl(history: History) -> str:
    """The conversation as a session file of its own, compacted and repaired: the header, then one message a line.

    The numbers of each turn stand behind them.
    """
    messages = ({"type": "message", "message": to_record(message)} for message in history.messages)
    numbers = ({"type": ACTIVITY, "fact": fact} for fact in history.facts.get(ACTIVITY, ()))
    records = [history.header, *messages, *numbers]
    return "".join(clean_surrogates(json.dumps(record, ensure_ascii=False)) + "\n" for record in records)


FORMATS: Mapping[Format, Callable[[History], str]] = {"markdown": markdown, "html": html, "jsonl": jsonl}

_Results: TypeAlias = Mapping[int, ToolMessage]


def _title(history: History) -> str:
    return one_line(history.tally.title) or "Conversation"


def _facts(history: History) -> str:
    header = history.header
    facts = (header.get("id", ""), header.get("at", ""), header["cwd"], history.tally.model)
    return one_line(" · ".join(str(fact) for fact in facts if fact))


def _spoken(history: History) -> Iterator[tuple[str, list[Message]]]:
    """Runs of messages of one speaker, results left out: they stand with their calls."""
    said = (message for message in history.messages if not isinstance(message, ToolMessage))
    for speaker, run in groupby(said, key=_speaker):
        yield speaker, list(run)


def _speaker(message: Message) -> str:
    if isinstance(message, AssistantMessage):
        return "Assistant"
    return "Person" if isinstance(message, UserMessage) else "Shell"


def _results(history: History) -> _Results:
    """The result of each call, by the identity of the call: some models use the same call id again."""
    found: dict[int, ToolMessage] = {}
    waiting: dict[str, ToolCall] = {}
    for message in history.messages:
        if isinstance(message, AssistantMessage):
            waiting = {call.id: call for call in message.calls}
        elif isinstance(message, ToolMessage) and message.call_id in waiting:
            found[id(waiting[message.call_id])] = message
    return found


def _markdown_parts(message: Message, results: _Results) -> Iterator[str]:
    if message.text.strip():
        yield harmless(message.text).strip()
    if isinstance(message, AssistantMessage):
        for call in message.calls:
            yield f"**{one_line(call.name)}**\n\n{_fenced(call.arguments)}"
            if id(call) in results:
                yield _fenced(results[id(call)].text)


def _fenced(text: str) -> str:
    text = harmless(text).strip("\n")
    fence = "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(text)), default=0))
    return f"{fence}\n{text}\n{fence}"


def _html_parts(message: Message, results: _Results) -> Iterator[str]:
    if message.text.strip():
        yield f"<pre>{escape(harmless(message.text).strip())}</pre>"
    if isinstance(message, AssistantMessage):
        for call in message.calls:
            result = results.get(id(call))
            shown = escape(harmless(call.arguments)) + (f"\n\n{escape(harmless(result.text))}" if result else "")
            yield f"<details><summary>{escape(one_line(call.name))}</summary><pre>{shown}</pre></details>"
