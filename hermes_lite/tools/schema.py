"""The JSON Schema of a tool as providers accept it, made from the one its source declares, and the way back.

What goes out is never stricter than what was declared, names apart: arguments are checked against the declared
schema (`hermes_lite.tools.arguments`), after `restore` has given them the declared names. Schemas are walked by
position, since a property may be called `type` or `required`. Local references stay references, gathered under
`$defs`; others are never fetched. The same content gives the same bytes, in whatever order its keys came.
Source: sections 7 and 11 of the tool-search design; T-E12, T-E13 and S-M8 of the robustness page.
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import isfinite
from typing import Any

from hermes_lite.text import clean_surrogates, harmless, utf8
from hermes_lite.tools import refs
from hermes_lite.tools.refs import Schema
from hermes_lite.tools.schema_types import with_types
from hermes_lite.tools.surface import surface

_MAX_DEPTH = 64
_LEGAL = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_ILLEGAL = re.compile(r"[^A-Za-z0-9_.-]+")
_DIGEST = 6


def outgoing(schema: Schema | None) -> dict[str, Any]:
    """`schema` as an object schema that OpenAI-compatible endpoints take. Shared and cached: do not change it."""
    return _normalised(_canonical(schema))[0]


def renames(schema: Schema | None) -> Mapping[str, str]:
    """The declared name of each property that goes out under another one; empty for nearly every tool."""
    return _normalised(_canonical(schema))[1]


def restore(arguments: Any, schema: Schema | None) -> Any:
    """`arguments` with declared names for outgoing ones, at any depth.

    An outgoing name carries a hash of the declared one, so it is known wherever it stands.
    """
    declared = renames(schema)
    return _with_names(arguments, declared) if declared else arguments


def outgoing_name(name: str) -> str:
    """The property name that stands for `name` on the wire; a function of `name` alone."""
    if _LEGAL.fullmatch(name):
        return name
    digest = hashlib.sha256(utf8(name)).hexdigest()[:_DIGEST]
    return f"{_ILLEGAL.sub('_', name).strip('_')[:48] or 'parameter'}_{digest}"


def _with_names(value: Any, declared: Mapping[str, str]) -> Any:
    match value:
        case dict():
            return {declared.get(key, key): _with_names(item, declared) for key, item in value.items()}
        case list():
            return [_with_names(item, declared) for item in value]
        case _:
            return value


def _canonical(schema: Schema | None) -> str:
    try:
        text = json.dumps(schema, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        return "{}"
    return clean_surrogates(text)


@lru_cache(maxsize=4096)
def _normalised(text: str) -> tuple[dict[str, Any], Mapping[str, str]]:
    root = json.loads(text, parse_constant=lambda _: None, parse_float=_finite)
    walk = _Walk(root if isinstance(root, dict) else {})
    return walk.run(), walk.renamed


def _finite(digits: str) -> float | None:
    number = float(digits)
    return number if isfinite(number) else None


@dataclass(slots=True)
class _Walk:
    """One schema on its way out: which definitions it still needs and which names it changed."""

    root: dict[str, Any]
    renamed: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    pending: list[str] = field(default_factory=list)

    def run(self) -> dict[str, Any]:
        out = self.schema(_as_object(self.root), 0)
        definitions: dict[str, Any] = {}
        while self.pending:
            pointer = self.pending.pop(0)
            definitions[self.names[pointer]] = self.schema(refs.at(self.root, pointer), 0)
        return out | ({"$defs": definitions} if definitions else {})

    def schema(self, node: Any, depth: int) -> dict[str, Any]:
        if node is False:
            return {"not": {}}
        if not isinstance(node, dict) or depth > _MAX_DEPTH:
            return {}
        out: dict[str, Any] = {}
        for keyword, value in _modern(node).items():
            out |= self.keyword(keyword, value, depth + 1)
        return _ordered(with_types(_complete(out), node))

    def keyword(self, keyword: str, value: Any, depth: int) -> dict[str, Any]:
        """`keyword: value` as it goes out, if it does."""
        if special := _SPECIAL.get(keyword):
            return special(self, value, depth)
        if keyword in _OF_SCHEMAS:
            parts = value if isinstance(value, list) else []
            return {keyword: [self.schema(part, depth) for part in parts]} if parts else {}
        if keyword in _OF_SCHEMA:
            return {} if value is None else {keyword: self.schema(value, depth)}
        if keyword in _OPEN and isinstance(value, bool | dict):
            return {keyword: value if isinstance(value, bool) else self.schema(value, depth)}
        return {keyword: value} if keyword in _PLAIN and _PLAIN[keyword](value) else {}

    def properties(self, value: Any, depth: int) -> dict[str, Any]:
        if not isinstance(value, dict):
            return {}
        return {"properties": {self.name(name): self.property(name, sub, depth) for name, sub in value.items()}}

    def property(self, name: str, sub: Any, depth: int) -> dict[str, Any]:
        out = self.schema(sub, depth)
        if self.name(name) == name:
            return out
        return _ordered(out | {"description": f"{harmless(name)}: {out.get('description', '')}".rstrip(": ")})

    def patterns(self, value: Any, depth: int) -> dict[str, Any]:
        parts = value.items() if isinstance(value, dict) else ()
        return {"patternProperties": {pattern: self.schema(sub, depth) for pattern, sub in parts}}

    def required(self, value: Any, _: int) -> dict[str, Any]:
        names = [self.name(name) for name in value if isinstance(name, str)] if isinstance(value, list) else []
        return {"required": list(dict.fromkeys(names))} if names else {}

    def reference(self, value: Any, _: int) -> dict[str, Any]:
        if value == "#":
            return {"$ref": value}
        if not isinstance(value, str) or not value.startswith("#/"):
            return {}
        return {"$ref": f"#/$defs/{self.definition(value[1:])}"} if self.leads_somewhere(value) else {}

    def leads_somewhere(self, ref: str) -> bool:
        """Whether the local reference `ref` ends at something other than a circle of references."""
        seen: set[str] = set()
        while ref not in seen:
            seen.add(ref)
            try:
                target = refs.at(self.root, ref.removeprefix("#"))
            except LookupError:
                return False
            onward = target.get("$ref") if isinstance(target, dict) else None
            if not isinstance(onward, str) or not onward.startswith("#"):
                return True
            ref = onward
        return False

    def definition(self, pointer: str) -> str:
        """The name under `$defs` of what stands at `pointer`."""
        if pointer not in self.names:
            stem = (
                _ILLEGAL.sub("_", pointer.removeprefix("/$defs/").removeprefix("/definitions/")).strip("_") or "part"
            )
            taken = set(self.names.values())
            names = (stem if number == 1 else f"{stem}_{number}" for number in range(1, len(taken) + 2))
            self.names[pointer] = next(name for name in names if name not in taken)
            self.pending.append(pointer)
        return self.names[pointer]

    def name(self, name: str) -> str:
        out = outgoing_name(name)
        if out != name:
            self.renamed[out] = name
        return out


def _text(keyword: str) -> Callable[[_Walk, Any, int], dict[str, Any]]:
    return lambda _walk, value, _depth: {keyword: harmless(value)} if isinstance(value, str) else {}


def _values(_walk: _Walk, value: Any, _depth: int) -> dict[str, Any]:
    return {"enum": value} if isinstance(value, list) and value else {}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_size(value: Any) -> bool:
    return _is_number(value) and value >= 0 and float(value).is_integer()


_SPECIAL: Mapping[str, Callable[[_Walk, Any, int], dict[str, Any]]] = {
    "properties": _Walk.properties,
    "patternProperties": _Walk.patterns,
    "required": _Walk.required,
    "$ref": _Walk.reference,
    "enum": _values,
    "description": _text("description"),
    "title": _text("title"),
}
_OF_SCHEMAS = frozenset(("anyOf", "oneOf", "allOf", "prefixItems"))
_OF_SCHEMA = frozenset(("items", "contains", "not", "if", "then", "else", "propertyNames"))
_OPEN = frozenset(("additionalProperties", "unevaluatedProperties", "unevaluatedItems"))
_SIZES = ("Length", "Items", "Contains", "Properties")
_PLAIN: Mapping[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("const", "default"), lambda _: True),
    **dict.fromkeys(("pattern", "format", "contentEncoding", "contentMediaType"), lambda it: isinstance(it, str)),
    **dict.fromkeys(("deprecated", "readOnly", "writeOnly", "uniqueItems"), lambda it: isinstance(it, bool)),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _is_number),
    **dict.fromkeys((bound + what for bound in ("min", "max") for what in _SIZES), _is_size),
    "examples": lambda it: isinstance(it, list),
    "multipleOf": lambda it: _is_number(it) and it > 0,
}
"""The keywords that a model or a provider reads, and what their values must be to be sent."""
_AT_ROOT = frozenset(("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "enum", "const", "$ref", "default"))
_ORDER = ("$ref", "type", "title", "description", "enum", "const", "default", "format", "anyOf", "oneOf", "allOf")
_LAST = ("prefixItems", "items", "properties", "required", "patternProperties", "additionalProperties", "$defs")
_RANK = {key: rank for rank, key in enumerate(_ORDER)} | {key: 100 + rank for rank, key in enumerate(_LAST)}


def _ordered(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: schema[key] for key in sorted(schema, key=lambda key: (_RANK.get(key, 50), key))}


def _as_object(root: dict[str, Any]) -> dict[str, Any]:
    """`root` as a plain object schema: providers take no combinator, reference or other type there."""
    seen = surface(root)
    rest = {key: value for key, value in refs.target(root, root).items() if key not in _AT_ROOT}
    if any(key in root for key in ("allOf", "anyOf", "oneOf", "if")):
        rest.pop("additionalProperties", None)
    hint = " or ".join(" + ".join(map(outgoing_name, names)) for names in seen.alternatives)
    note = f"{rest.get('description') or ''} Also required: {hint}.".strip()
    return rest | {
        "type": "object",
        "nullable": False,
        "properties": dict(seen.properties),
        "required": list(seen.required),
        **({"description": note} if hint else {}),
    }


def _modern(node: dict[str, Any]) -> dict[str, Any]:
    """`node` with what older drafts wrote differently: tuples in `items`, exclusive bounds as flags."""
    node = dict(node)
    if isinstance(node.get("items"), list):
        rest = node.get("additionalItems", {})
        node |= {"prefixItems": node["items"], "items": rest}
    for flag, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(node.get(flag), bool):
            exclusive = node.pop(flag) and bound in node
            node |= {flag: node.pop(bound)} if exclusive else {}
    return node


def _complete(out: dict[str, Any]) -> dict[str, Any]:
    """`out` with an entry for each required property, the required ones first."""
    if "properties" not in out:
        return out
    required = out.get("required", ())
    first = {name: out["properties"].get(name, {}) for name in required}
    return out | {"properties": first | out["properties"]}
