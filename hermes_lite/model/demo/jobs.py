"""The jobs that the demo planner knows: how people ask for them, and how a tool for them is found and answered for.

A job names no tool. It has words to search for, and facts for a tool's parameters, named as a tool may name them.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeAlias

Facts: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Job:
    """One kind of request.

    `example` is a sentence that `pattern` fits. `facts` makes the facts from the pattern's groups. `answer` is said
    with `{result}`, the tool's own words, and the groups. `core` is a directly listed tool to use when there is one.
    A `minor` job is not among the examples that a newcomer is shown.
    """

    example: str
    pattern: str
    search: str
    answer: str = "{result}"
    facts: Callable[[Mapping[str, str]], Facts] = dict
    core: str = ""
    minor: bool = False

    def match(self, text: str) -> Mapping[str, str] | None:
        """The groups of the pattern where `text` asks for this job."""
        found = re.search(self.pattern, text.strip().rstrip("?.! "), re.IGNORECASE)
        return {key: value.strip() for key, value in found.groupdict("").items()} if found else None


def _times(groups: Mapping[str, str]) -> Facts:
    return {
        "time": _clock(groups["time"]),
        "source_zone": groups["source_zone"],
        "target_zone": groups["target_zone"],
    }


def _clock(text: str) -> str:
    """`9`, `9:30`, `9 pm` as HH:MM."""
    match = re.match(r"(\d{1,2})(?::(\d\d))?\s*(am|pm)?", text, re.IGNORECASE)
    hour, minute, half = match.groups() if match else ("0", None, None)
    of_day = int(hour) % 12 + 12 * (half.lower() == "pm") if half else int(hour)
    return f"{of_day:02}:{minute or '00'}"


def _day(text: str) -> str:
    return date.today().isoformat() if text.lower() in ("today", "now") else text


def _date_sum(groups: Mapping[str, str]) -> Facts:
    sign = -1 if groups["direction"].lower() == "before" else 1
    unit = groups["unit"].lower().rstrip("s") + "s"
    return {"day": _day(groups["day"]), "amount": sign * int(groups["amount"]), "unit": unit}


def _span(groups: Mapping[str, str]) -> Facts:
    return {"start": _day(groups["start"] or "today"), "end": _day(groups["end"])}


def _note(groups: Mapping[str, str]) -> Facts:
    return {"title": " ".join(groups["text"].split()[:5]), "text": groups["text"]}


def _measure(groups: Mapping[str, str]) -> Facts:
    return {**groups, "value": groups["value"].replace(",", ".")}


def _numbers(groups: Mapping[str, str]) -> Facts:
    return {"numbers": [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", groups["numbers"])]}


_TIME = r"(?P<time>\d{1,2}(?::\d\d)?\s*(?:am|pm)?)"
_DATE = r"\d{4}-\d\d-\d\d|today"
_VALUE = r"(?P<value>-?\d+(?:[.,]\d+)?)"
_UNIT = r"[a-z°][\w/°]*"
_QUOTED = r"[\"'`“”‘’]?"

JOBS = (
    Job(
        "What time is it in Tokyo when it is 9:00 in Paris?",
        rf"time.*\bin (?P<target_zone>[\w /-]+?),? (?:when|if)\b.*?{_TIME} (?:o'clock )?in (?P<source_zone>[\w /-]+)",
        "convert time zone city",
        "It is {result}.",
        _times,
    ),
    Job(
        "What time is it in Nairobi?",
        r"\btime\b.*\bin (?P<zone>[\w /-]+)",
        "current time in city",
        "It is {result}.",
        minor=True,
    ),
    Job(
        "How many kilometres are 26.2 miles?",
        rf"how (?:many|much) (?P<target_unit>{_UNIT}) (?:is|are|in) {_VALUE} ?(?P<source_unit>{_UNIT})",
        "convert unit measure",
        facts=_measure,
    ),
    Job(
        "Convert 72 fahrenheit to celsius",
        rf"{_VALUE} ?(?P<source_unit>{_UNIT}) (?:to|in|into|as) (?P<target_unit>{_UNIT})",
        "convert unit measure",
        facts=_measure,
        minor=True,
    ),
    Job(
        "What date is 90 days after 2026-12-01?",
        rf"(?P<amount>\d+) (?P<unit>days?|weeks?|months?|years?) (?P<direction>after|from|before) (?P<day>{_DATE})",
        "add days to date",
        "It is {result}.",
        _date_sum,
    ),
    Job(
        "How many days are there between 2026-12-01 and 2027-03-01?",
        rf"days .*?(?:between (?P<start>{_DATE}) and|(?:until|till|to)) (?P<end>{_DATE})",
        "days between dates",
        facts=_span,
        minor=True,
    ),
    Job(
        "What day of the week is 2027-01-01?",
        rf"(?:weekday|day of the week|which day|what day).*?(?P<day>{_DATE})",
        "weekday date falls",
        "It is a {result}.",
        lambda groups: {"day": _day(groups["day"])},
        minor=True,
    ),
    Job(
        "Remember to water the plants",
        r"^(?:please )?(?:add a note|note down|note|remember)(?: that| to|:)? (?P<text>.+)",
        "add note",
        "Noted: {result}.",
        _note,
    ),
    Job(
        "Find my notes about plants",
        r"(?:find|search).*\bnotes?\b.*?(?:about|for|with|on) (?P<words>.+)",
        "search notes words",
        minor=True,
    ),
    Job("List my notes", r"\b(?:list|show|what are|read)\b.*\bnotes\b", "list notes"),
    Job(
        "What is the sha256 hash of hello?",
        rf"(?P<algorithm>md5|sha1|sha256|sha512).*?\b(?:of|for) {_QUOTED}(?P<text>.+?){_QUOTED}$",
        "hash text",
    ),
    Job(
        "Decode base64 aGVsbG8=",
        rf"decode(?: this| the)? base64(?: text)?:? {_QUOTED}(?P<text>[\w+/=]+)",
        "decode base64",
        minor=True,
    ),
    Job(
        "Encode hello world as base64",
        rf"encode {_QUOTED}(?P<text>.+?){_QUOTED} (?:as|in|to|with) base64",
        "encode base64",
        minor=True,
    ),
    Job("Write 2026 as a roman numeral", r"(?P<number>\d+).*\broman\b", "roman numeral", minor=True),
    Job("What are the prime factors of 360?", r"prime factors.*?(?P<number>\d+)", "prime factors", minor=True),
    Job(
        "What is the median of 3, 9, 4?",
        r"\bmedian\b.*?(?P<numbers>-?\d[-\d., and]*)",
        "median",
        facts=_numbers,
        minor=True,
    ),
    Job(
        "Count the words of: to be or not to be",
        rf"count.*\bwords\b.*?(?:of|in):? {_QUOTED}(?P<text>.+)",
        "count words",
        minor=True,
    ),
    Job(
        "List the files here",
        r"\b(?:list|show|which|what)\b.*\b(?:files|folder|directory)\b",
        "run shell command",
        "```\n{result}\n```",
        lambda groups: {"command": "ls"},
        core="terminal",
    ),
    Job(
        "Run `git status --short`",
        r"^(?:please )?(?:run|execute) (?:the command )?`?(?P<command>[^`]+)`?",
        "run shell command",
        "```\n{result}\n```",
        core="terminal",
    ),
    Job(
        "What is 12 * (3 + 4)?",
        r"(?P<expression>[\d(][\d\s.()]*[-+*/%][-\d\s.()+*/%]*[\d)])$",
        "evaluate arithmetic expression",
        "{expression} = {result}",
        minor=True,
    ),
)
