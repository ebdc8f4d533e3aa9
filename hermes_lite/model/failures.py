"""What a failed model request means: the error a person reads, and whether sending it again can help.

Endpoints word the same failure in many ways, and some put it into the stream after a 200. Everything that depends on
such words stands in the tables of this file. No message carries a key, an address's password or a page of HTML.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from socket import gaierror
from ssl import SSLCertVerificationError
from typing import Any, TypeAlias

from hermes_lite.errors import ContextOverflowError, HermesError, ModelError, NoModelError
from hermes_lite.messages import AssistantMessage
from hermes_lite.model import sdk
from hermes_lite.model.endpoint import Endpoint
from hermes_lite.model.retry import asked_delay
from hermes_lite.text import cut, one_line

MESSAGE_LIMIT = 300

_TRANSIENT = frozenset((None, 408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529))
_OVERFLOW_STATUSES = frozenset((None, 400, 413, 422, 429, 500))
_OVERFLOW = re.compile(
    r"context[ _-]?(?:length|window|size|limit)"
    r"|maximum (?:context|model|input|prompt|sequence) length"
    r"|(?:prompt|input|request|message)s? (?:is|are|was|were) too (?:long|large)"
    r"|(?:input|prompt) (?:token count|length)[^.]{0,60}exceed"
    r"|too many (?:input |prompt )?tokens"
    r"|exceeds? the (?:available context|model'?s? (?:context|max)|maximum number of tokens)"
    r"|max_model_len|request too large|reduce the length of the (?:messages|prompt|input)"
    r"|tokens? to keep from the initial prompt|input tokens exceed",
    re.IGNORECASE,
)
_NOT_THERE = frozenset((404, 405, 501))
_NAMES_THE_MODEL = re.compile(r"\bmodel\b", re.IGNORECASE)
_KEY_LIKE = re.compile(
    r"\b(?:sk|pk|rk|xai|gsk|hf|key|AIza)[-_]?[A-Za-z0-9*_-]{12,}|(?i:bearer)\s+\S+|://[^/\s@]+@",
)


@dataclass(frozen=True, slots=True)
class Failure:
    """`reason` is a few words for a countdown; `asked` the seconds that the endpoint asks us to wait."""

    error: HermesError
    reason: str
    transient: bool = False
    asked: float | None = None

    def final(self) -> "Failure":
        """The same failure of a request that must not be sent again."""
        return replace(self, transient=False)

    def given_up(self, cap: float) -> HermesError:
        """The error when no wait is left; it says so when the endpoint asks for one longer than `cap` seconds."""
        if self.asked is None or self.asked <= cap:
            return self.error
        mend = f"It asks to wait {self.asked:.0f} seconds, more than model.retry_cap_seconds ({cap:g}) allows."
        return ModelError(self.error.message, mend=mend)


def refused_field(error: Exception, candidates: Collection[str]) -> str:
    """The one of `candidates`, fields of the request body, that a 400 or 422 complains of; else ""."""
    said = _said(getattr(error, "body", None))
    if getattr(error, "status_code", None) not in (400, 422) or _OVERFLOW.search(said):
        return ""
    return next((field for field in sorted(candidates) if field in said), "")


def of_request(error: Exception, endpoint: Endpoint) -> Failure:
    """What the SDK's exception means when no answer had begun."""
    openai = sdk.load()
    match error:
        case openai.APIStatusError():
            return _of_status(error.status_code, _Refusal.of(error, endpoint), endpoint)
        case openai.APITimeoutError():
            return _timeout(endpoint)
        case _:
            return _unreachable(error, endpoint)


def of_list(error: Exception, endpoint: Endpoint) -> HermesError:
    """What the SDK's exception means when the list of models was asked for."""
    if getattr(error, "status_code", None) in _NOT_THERE:
        return no_list(endpoint)
    return of_request(error, endpoint).error


def no_list(endpoint: Endpoint) -> ModelError:
    return ModelError(f"{endpoint.host} does not list its models", mend="Any name that it serves can still be used.")


def of_stream(error: Exception, endpoint: Endpoint) -> Failure:
    """What an exception of the SDK or of a decoder means in the middle of an answer."""
    openai = sdk.load()
    match error:
        case openai.APITimeoutError():
            return _timeout(endpoint)
        case openai.APIConnectionError():
            return _broken_off(endpoint)
        case openai.APIError():
            return _of_status(_stated_status(error.body), _Refusal.of(error, endpoint), endpoint)
        case _:
            return _broken_off(endpoint)


@dataclass(frozen=True, slots=True)
class _Refusal:
    """What the endpoint said, safe to show, and the headers it said it with."""

    text: str
    headers: Mapping[str, str]

    @classmethod
    def of(cls, error: Any, endpoint: Endpoint) -> "_Refusal":
        response = getattr(error, "response", None)
        headers = {} if response is None else {key.lower(): value for key, value in response.headers.items()}
        is_page = "html" in headers.get("content-type", "")
        said = "" if is_page else _said(error.body) or ("" if response is not None else str(error.message))
        return cls(safe(said, endpoint), headers)


def _of_status(status: int | None, refusal: _Refusal, endpoint: Endpoint) -> Failure:
    label = _label(status)
    said = f": {refusal.text}" if refusal.text else ""
    if status in _OVERFLOW_STATUSES and _OVERFLOW.search(refusal.text):
        return Failure(overflow(f"{endpoint.model} takes no request of this size{said}"), label)
    if meaning := _MEANINGS.get(status) or _meaning_of_words(refusal.text):
        return Failure(meaning(endpoint, label, said), label)
    transient = status in _TRANSIENT and refusal.headers.get("x-should-retry") != "false"
    error = ModelError(f"{endpoint.host} failed, {label}{said}", mend=_MEND_LATER if transient else _MEND_REFUSED)
    return Failure(error, label, transient, asked_delay(refusal.headers, refusal.text))


_MEND_LATER = "Try again later, or choose another model with /model or --model."
_MEND_REFUSED = "It does not take the request as it is: choose another model with /model or --model."


def _meaning_of_words(said: str) -> "_Meaning | None":
    return next((meaning for words, meaning in _MEANINGS_OF_WORDS if words.search(said)), None)


def _key_refused(endpoint: Endpoint, label: str, said: str) -> HermesError:
    what = "refused the key" if endpoint.api_key else "wants a key"
    return NoModelError(
        f"{endpoint.host} {what}, {label}{said}",
        mend=f"Set a valid key (in use: {endpoint.origin}); `hermes-lite doctor` checks it.",
    )


def _access_refused(endpoint: Endpoint, label: str, said: str) -> HermesError:
    return NoModelError(
        f"{endpoint.host} refused access to {endpoint.model}, {label}{said}",
        mend=f"Check what the key may use (in use: {endpoint.origin}), or choose another model.",
    )


def _no_credit(endpoint: Endpoint, label: str, said: str) -> HermesError:
    return ModelError(
        f"{endpoint.host} wants payment, {label}{said}", mend="Add credit there, or choose another model."
    )


def _no_tools(endpoint: Endpoint, label: str, said: str) -> HermesError:
    return NoModelError(
        f"{endpoint.model} cannot call tools, {label}{said}",
        mend="Choose a model that can: /model or --model.",
    )


def _not_there(endpoint: Endpoint, label: str, said: str) -> HermesError:
    if _NAMES_THE_MODEL.search(said):
        return NoModelError(
            f"{endpoint.host} has no model {endpoint.model!r}, {label}{said}",
            mend="Name one that it has: /model or --model.",
        )
    return ModelError(
        f"nothing answers chat requests at {safe(endpoint.base_url, endpoint)}, {label}{said}",
        mend="Check the base URL; it usually ends in /v1.",
    )


_Meaning: TypeAlias = Callable[[Endpoint, str, str], HermesError]
_MEANINGS: Mapping[int | None, _Meaning] = {
    401: _key_refused,
    402: _no_credit,
    403: _access_refused,
    404: _not_there,
    405: _not_there,
}
_MEANINGS_OF_WORDS: tuple[tuple[re.Pattern[str], _Meaning], ...] = (
    (re.compile(r"insufficient[_ ](?:quota|balance|credit|funds)|credit balance", re.IGNORECASE), _no_credit),
    (
        re.compile(r"not support (?:tool|function)|(?:tool|function)\S* (?:use |calling )?(?:is|are) not supp", re.I),
        _no_tools,
    ),
)


def overflow(message: str) -> ContextOverflowError:
    return ContextOverflowError(
        message, mend="Use /compact or /new; set model.context_length if it is known wrongly."
    )


def _timeout(endpoint: Endpoint) -> Failure:
    error = ModelError(
        f"{endpoint.host} sent nothing in time",
        mend="Raise model.timeout if the model is slow, or choose another one.",
    )
    return Failure(error, "no answer in time", transient=True)


def _unreachable(error: Exception, endpoint: Endpoint) -> Failure:
    cause = safe(str(error.__cause__ or ""), endpoint) or "connection lost"
    unreached = ModelError(
        f"cannot reach {endpoint.host}: {cause}",
        mend=f"Check that it runs and that the address is right ({safe(endpoint.origin, endpoint)}).",
    )
    for_good = any(isinstance(link, _NO_USE_TRYING_AGAIN) for link in _causes(error))
    return Failure(unreached, "connection failed", transient=not for_good)


_NO_USE_TRYING_AGAIN = (ConnectionRefusedError, gaierror, SSLCertVerificationError)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _broken_off(endpoint: Endpoint) -> Failure:
    return Failure(
        ModelError(f"{endpoint.host} broke off in the middle of its answer", mend="Send the message again."),
        "answer cut off",
        transient=True,
    )


def unfinished(endpoint: Endpoint) -> Failure:
    error = ModelError(
        f"{endpoint.host} ended its answer without a finish reason, so the answer is not complete",
        mend="Send the message again.",
    )
    return Failure(error, "answer cut off", transient=True)


def not_a_stream(endpoint: Endpoint, content_type: str) -> Failure:
    what = content_type or "something without a content type"
    error = ModelError(
        f"{safe(endpoint.base_url, endpoint)} answered with {what}, not with a model's answer",
        mend="Check the base URL; it usually ends in /v1.",
    )
    return Failure(error, "not a model")


def of_finish(message: AssistantMessage, endpoint: Endpoint, fills_window: Callable[[], bool]) -> Failure | None:
    """What is wrong with a finished reply: an error for a finish reason, or nothing said and a reason for that.

    An empty answer that ended at a length ended at the window's when the prompt fills it, else at the answer's own.
    """
    if message.finish_reason == "error":
        error = ModelError(f"{endpoint.host} ended its answer with finish reason 'error'", mend=_MEND_LATER)
        return Failure(error, "answer failed", transient=True)
    if message.text or message.calls:
        return None
    if message.finish_reason == "length" and fills_window():
        return Failure(
            overflow(f"{endpoint.model} has no room to answer: the prompt fills its window"), "window full"
        )
    silence = _SILENCES.get(message.finish_reason)
    return Failure(ModelError(f"{endpoint.model} {silence[0]}", mend=silence[1]), "no answer") if silence else None


_SILENCES = {
    "length": (
        "spent its whole output without giving an answer",
        "Ask for less at once, or allow longer answers on the endpoint.",
    ),
    "content_filter": ("gave no answer: a content filter stopped it", "Put the request in other words."),
}


def safe(text: str, endpoint: Endpoint) -> str:
    """`text` as one short line without the key in use or anything that looks like one."""
    if endpoint.api_key:
        text = text.replace(endpoint.api_key, "[key]")
    return cut(_KEY_LIKE.sub(lambda m: "://" if m[0].startswith("://") else "[key]", one_line(text)), MESSAGE_LIMIT)


def _said(body: Any) -> str:
    """The human words in an error body, whatever its shape."""
    match body:
        case str():
            return body
        case [first, *_]:
            return _said(first)
        case {"metadata": {"raw": str(raw)}, "message": str(message)}:
            return f"{message}: {raw}"
        case {"message": str(message)} | {"detail": str(message)} | {"error": str(message)}:
            code = body.get("code")
            return f"{message} ({code})" if isinstance(code, str) and code not in message else message
        case {"error": inner} | {"detail": inner} | {"message": inner}:
            return _said(inner)
        case _:
            return ""


def _stated_status(body: object) -> int | None:
    code = body.get("code") if isinstance(body, Mapping) else None
    try:
        return int(code) if code is not None else None
    except (TypeError, ValueError):
        return None


def _label(status: int | None) -> str:
    if status is None:
        return "error in the stream"
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)
