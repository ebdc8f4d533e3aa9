"""What `-p` writes: the answer alone, one JSON object, or the events as JSON lines.

Notices go to standard error, and so does a line for each call when a person watches it.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Protocol, TextIO, TypeAlias

from hermes_lite.errors import HermesError
from hermes_lite.events import CallEnded, CallStarted, Event, Notice, ReplyEnded, RequestStarted, TurnEnd, TurnEnded
from hermes_lite.messages import to_record
from hermes_lite.runtime import Overview
from hermes_lite.streams import silence
from hermes_lite.text import harmless, one_line
from hermes_lite.ui.feed import call_line, lookup_line
from hermes_lite.ui.look import writable

OutputFormat: TypeAlias = Literal["text", "json", "stream-json"]
_WIDTH = 80
_SUBTYPES: Mapping[TurnEnd, str] = {
    "answered": "success",
    "interrupted": "interrupted",
    "failed": "error",
    "denied": "permission_denied",
    "limit": "limit_reached",
}


class OneShot(Protocol):
    """`sink` takes the turn's events, `finish` its end."""

    def sink(self, event: Event) -> None: ...

    def finish(self, ended: TurnEnded, cost_usd: float | None = None) -> None: ...


def refusal(error: HermesError) -> dict[str, Any]:
    """The object that stands for the result when no turn could be run."""
    return {
        "type": "result",
        "subtype": "error",
        "is_error": True,
        "result": "",
        "error": error.message,
        "session_id": None,
    }


def one_shot_sink(format: OutputFormat, out: TextIO, err: TextIO, overview: Overview) -> OneShot:
    """The writer for `format`. Nothing that it writes can fail a turn: a reader who went away is no error."""
    return _FORMATS[format](_Pipe(out), _Pipe(err), overview)


class _Pipe:
    """A stream whose reader may go away at any time. `is_watched`: a person sees it as it is written."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._open = True
        self.is_watched = stream.isatty()

    def line(self, text: str) -> None:
        if not self._open:
            return
        try:
            self._stream.write(writable(text, self._stream) + "\n")
            self._stream.flush()
        except BrokenPipeError:
            self._open = False
            silence(self._stream)
        except OSError as error:
            self._open = False
            silence(self._stream)
            raise HermesError(
                f"the answer could not be written: {error.strerror}", mend="Make room, then ask again."
            ) from error

    def shown(self, text: str) -> str:
        """`text` as it is for a program that reads it, made harmless for a person's terminal."""
        return harmless(text) if self._stream.isatty() else text

    def json(self, value: Any) -> None:
        self.line(json.dumps(value, ensure_ascii=True, default=str))


@dataclass(slots=True)
class _Tally:
    """What one turn came to, gathered from its events."""

    steps: int = 0
    started: dict[str, CallStarted] = field(default_factory=dict)
    calls: list[dict[str, Any]] = field(default_factory=list)
    denials: list[dict[str, Any]] = field(default_factory=list)

    def note(self, event: Event) -> None:
        match event:
            case RequestStarted():
                self.steps = event.step
            case CallStarted():
                self.started[event.call_id] = event
            case CallEnded():
                self._call(event)
            case _:
                pass

    def _call(self, ended: CallEnded) -> None:
        begun = self.started.pop(ended.call_id, None)
        call = {
            "id": ended.call_id,
            "name": ended.name,
            "arguments": begun.arguments if begun else "",
            "outcome": ended.outcome,
            "via": ended.via,
            "duration_ms": round(ended.seconds * 1000),
        }
        self.calls.append(call)
        if ended.outcome == "denied":
            self.denials.append({"id": ended.call_id, "name": ended.name, "reason": ended.text})

    def result(self, ended: TurnEnded, overview: Overview, cost_usd: float | None) -> dict[str, Any]:
        failed = ended.end != "answered"
        return {
            "type": "result",
            "subtype": _SUBTYPES[ended.end],
            "is_error": failed,
            "result": "" if failed else ended.text,
            "error": ended.text if failed else None,
            "session_id": overview.session_id,
            "model": overview.model,
            "usage": asdict(ended.usage),
            "cost_usd": cost_usd,
            "num_turns": self.steps,
            "tool_calls": self.calls,
            "permission_denials": self.denials,
            "duration_ms": round(ended.seconds * 1000),
        }


class _Text:
    def __init__(self, out: _Pipe, err: _Pipe, overview: Overview) -> None:
        self._out, self._err = out, err
        self._arguments: dict[str, str] = {}

    def sink(self, event: Event) -> None:
        match event:
            case Notice():
                self._err.line(f"hermes-lite: {one_line(event.text)}")
            case CallStarted():
                self._arguments[event.call_id] = event.arguments
            case CallEnded() if self._err.is_watched:
                arguments = self._arguments.pop(event.call_id, "")
                self._err.line((lookup_line(event, _WIDTH) or call_line(event, arguments, None, _WIDTH)).plain)
            case _:
                pass

    def finish(self, ended: TurnEnded, cost_usd: float | None = None) -> None:
        if ended.end == "answered":
            self._out.line(self._out.shown(ended.text.rstrip("\n")))
        else:
            what = "" if ended.text == ended.end else f": {harmless(ended.text)}"
            self._err.line(f"hermes-lite: {ended.end}{what}")


class _Json(_Text):
    def __init__(self, out: _Pipe, err: _Pipe, overview: Overview) -> None:
        super().__init__(out, err, overview)
        self._overview = overview
        self._tally = _Tally()

    def sink(self, event: Event) -> None:
        super().sink(event)
        self._tally.note(event)

    def finish(self, ended: TurnEnded, cost_usd: float | None = None) -> None:
        self._out.json(self._tally.result(ended, self._overview, cost_usd))


class _StreamJson(_Json):
    def __init__(self, out: _Pipe, err: _Pipe, overview: Overview) -> None:
        super().__init__(out, err, overview)
        out.json(_opening(overview))

    def sink(self, event: Event) -> None:
        super().sink(event)
        self._out.json(record(event))


def _opening(overview: Overview) -> dict[str, Any]:
    failed = [status for status in overview.servers if status.state in ("failed", "needs_auth")]
    return {
        "type": "init",
        "session_id": overview.session_id,
        "model": overview.model,
        "approvals": overview.approvals,
        "tools": {"direct": overview.direct, "deferred": overview.deferred},
        "mcp_servers": [{"name": s.source.label, "state": s.state, "tools": s.tools} for s in overview.servers],
        "mcp_server_errors": [{"name": s.source.label, "state": s.state, "detail": s.detail} for s in failed],
    }


def record(event: Event) -> dict[str, Any]:
    """`event` as one JSON object: its `type` first, then its fields; a reply is written as the session keeps it."""
    fields = asdict(event) if not isinstance(event, ReplyEnded) else {"message": to_record(event.message)}
    return {"type": event.type} | fields


_FORMATS: Mapping[OutputFormat, Callable[[_Pipe, _Pipe, Overview], OneShot]] = {
    "text": _Text,
    "json": _Json,
    "stream-json": _StreamJson,
}
