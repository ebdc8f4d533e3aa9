"""What each key may hold and when a change of it takes effect: the one place, beside the defaults.

A key exists because `config_defaults.yaml` names it, and its comment there is its help. Its kind follows from the
default (a list of texts, a whole number, ...) unless `KINDS` says more: choices, ranges, the shape of items.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from hermes_lite.config.hook_events import EVENT_NAMES, EVENTS, LONGEST_TIMEOUT, other_names
from hermes_lite.config.keys import KeyPath, join
from hermes_lite.config.kinds import ANYTHING, Choice, Either, Flag, Integer, Items, Kind, Number, Record, Table, Text
from hermes_lite.config.nodes import Listing, Mapped, Node, Scalar

_RULES = Items(Either((Text(), Table(Text(), single=True))))
_TEXTS = Items(Text())


def _hooks(ticks: int) -> Kind:
    """Commands, alone or with what they are for; `ticks` is how many units of a timeout make a second."""
    command: Mapping[str, Kind] = {
        "type": Choice(("command",)),
        "command": Text(),
        "timeout": Number(0.1 * ticks, LONGEST_TIMEOUT * ticks),
        **dict.fromkeys(("name", "description", "statusMessage"), Text()),
    }
    alone = Record({"matcher": Text(), **command}, required=("command",))
    inside = Items(Record(command, required=("command",)))
    group = Record(
        {"matcher": Text(), "hooks": inside, "sequential": Flag(), "description": Text()}, required=("hooks",)
    )
    return Items(Either((Text(), alone, group)))


_SECONDS = tuple(
    f"mcp.{name}"
    for name in (
        *("connect_timeout", "call_timeout", "call_most", "stop_grace", "keepalive", "reconnect_first"),
        *("reconnect_most", "first_turn_wait", "one_shot_wait", "line_limit", "log_limit", "login_timeout"),
    )
)
# The fields of a server, and the names that other clients give them. What they mean is settled in `hermes_lite.mcp`.
SERVER_FIELDS: Mapping[str, Kind] = {
    "command": Either((Text(), _TEXTS)),
    "args": _TEXTS,
    "env": Table(Text()),
    "cwd": Text(),
    "url": Text(),
    "headers": Table(Text()),
    "enabled": Flag(),
    "timeout": Number(0.1),
    "connect_timeout": Number(0.1),
    "supports_parallel_tool_calls": Flag(),
    "tools": Record({"include": _TEXTS, "exclude": _TEXTS}, open=True),
    **dict.fromkeys(("auth", "oauth", "type", "disabled", "trusted", "sampling", "inherit_env"), ANYTHING),
    **dict.fromkeys(("include", "exclude", "always_load", "description"), ANYTHING),
}
SERVER_ALIASES: Mapping[str, str] = {
    **dict.fromkeys(("httpUrl", "serverUrl"), "url"),
    "transport": "type",
    "environment": "env",
    **dict.fromkeys(("includeTools", "allowedTools", "enabled_tools"), "include"),
    **dict.fromkeys(("excludeTools", "excludedTools", "disabled_tools"), "exclude"),
    "tool_timeout_sec": "timeout",
    **dict.fromkeys(("startup_timeout_sec", "connectTimeout"), "connect_timeout"),
    "alwaysLoad": "always_load",
    "trust": "trusted",
}
_SERVER = Record({**SERVER_FIELDS, **dict.fromkeys(SERVER_ALIASES, ANYTHING)}, open=True)

KINDS: Mapping[str, Kind] = {
    "tools.tool_search.enabled": Choice(("auto", "on", "off"), true="auto", false="off"),
    "tools.tool_search.strategy": Choice(("bridge", "activate")),
    "tools.tool_search.threshold_pct": Number(0, 100),
    "tools.tool_search.search_default_limit": Integer(1, 100),
    "tools.tool_search.max_search_limit": Integer(1, 100),
    "tools.tool_search.listing": Choice(("auto", "off"), true="auto", false="off"),
    "tools.tool_search.listing_max_tokens": Integer(0, 100_000),
    "tools.tool_search.search_budget": Integer(0),
    "tools.terminal.timeout": Integer(1, 3600),
    "tools.terminal.output_bytes": Integer(1000),
    "model.context_length": Either((Choice(("auto",)), Integer(1024))),
    **dict.fromkeys(("model.timeout", "model.connect_timeout"), Number(0.1)),
    "model.max_retries": Integer(0, 20),
    **dict.fromkeys(("model.retry_cap_seconds", "model.probe_timeout"), Number(0)),
    "model.text_tool_calls": Choice(("auto", "off"), true="auto", false="off"),
    "agent.max_steps": Integer(1),
    "agent.tool_timeout": Number(1),
    "agent.parallel_limit": Integer(1, 64),
    "agent.result_max_chars": Integer(1000),
    "agent.approvals.mode": Choice(("ask", "auto-edit", "yolo", "deny")),
    **dict.fromkeys(("agent.approvals.allow", "agent.approvals.ask", "agent.approvals.deny"), _RULES),
    "agent.approvals.timeout": Number(0),
    **{f"agent.hooks.{name}": _hooks(known.ticks) for name, known in EVENT_NAMES.items()},
    "agent.hooks.timeout": Number(0.1, LONGEST_TIMEOUT),
    "agent.compact_at_pct": Number(10, 100),
    "log.level": Choice(("debug", "info", "warning", "error")),
    "log.kilobytes": Integer(10, 1_000_000),
    "mcp.concurrent_starts": Integer(1),
    **dict.fromkeys(_SECONDS, Number(0)),
    "mcp_servers": Table(_SERVER),
    "plugins.enabled": _TEXTS,
    "ui.plain": Choice(("auto", "on", "off"), true="on", false="off"),
}

# Other names that a key may be written under, each holding beside it.
OTHER_NAMES: Mapping[str, tuple[str, ...]] = {f"agent.hooks.{event}": other_names(event) for event in EVENTS}

# A boolean in the place of the section stands for this key of it.
SHORTHANDS: Mapping[KeyPath, str] = {("tools", "tool_search"): "enabled"}

# When a change is felt, by the longest prefix that fits.
EFFECTS: Mapping[str, str] = {
    "": "in the next session",
    "mcp_servers": "in the next session; in a running one after /mcp reload",
}


@dataclass(frozen=True, slots=True)
class Key:
    """One leaf of the schema. `default` is the node that stands in the defaults file, for the key itself or for the
    one that this is another name of."""

    path: KeyPath
    kind: Kind
    default: Node
    is_other_name: bool = False

    @property
    def name(self) -> str:
        return join(self.path)


@dataclass(frozen=True)
class Schema:
    keys: Mapping[KeyPath, Key]

    @classmethod
    def of(cls, defaults: Mapped) -> "Schema":
        return cls({key.path: key for key in _keys((), defaults)})

    @cached_property
    def sections(self) -> frozenset[KeyPath]:
        """Every proper prefix of a key, the root `()` included."""
        return frozenset(path[:end] for path in self.keys for end in range(len(path)))

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(key.name for key in self.keys.values())

    def kind_at(self, path: KeyPath) -> Kind | None:
        """The kind of the key `path`, or of an entry inside a key that is a table or a record."""
        for end in range(len(path), 0, -1):
            key = self.keys.get(path[:end])
            if key is not None:
                return _inside(key.kind, path[end:])
        return None

    def names_around(self, path: KeyPath) -> tuple[str, ...]:
        """Every key, with the fields of the entry that `path` lies in."""
        entry = self.kind_at(path[:-1])
        fields = entry.fields if isinstance(entry, Record) else ()
        return (*self.names, *(join((*path[:-1], name)) for name in fields))

    def owner(self, path: KeyPath) -> Key | None:
        """The key that `path` names or lies inside."""
        return next((self.keys[path[:end]] for end in range(len(path), 0, -1) if path[:end] in self.keys), None)


def takes_effect(path: KeyPath) -> str:
    return next(EFFECTS[join(path[:end])] for end in range(len(path), -1, -1) if join(path[:end]) in EFFECTS)


def _keys(path: KeyPath, node: Node) -> Iterator[Key]:
    known = KINDS.get(join(path))
    if isinstance(node, Mapped) and known is None and node.entries:
        for name, entry in node.entries.items():
            yield from _keys((*path, name), entry)
    else:
        yield Key(path, known or _derived(node), node)
        for name in OTHER_NAMES.get(join(path), ()):
            other = (*path[:-1], name)
            yield Key(other, KINDS[join(other)], node, is_other_name=True)


def _derived(default: Node) -> Kind:
    match default:
        case Listing():
            return _TEXTS
        case Mapped():
            return Table(ANYTHING)
        case Scalar(value=bool()):
            return Flag()
        case Scalar(value=int()):
            return Integer(0)
        case Scalar(value=float()):
            return Number(0)
        case Scalar(value=None):
            return Text(optional=True)
        case _:
            return Text()


def _inside(kind: Kind, rest: KeyPath) -> Kind | None:
    for name in rest:
        match kind:
            case Table(entry=entry):
                kind = entry
            case Record(fields=fields) if name in fields:
                kind = fields[name]
            case _ if kind is ANYTHING:
                pass
            case _:
                return None
    return kind
