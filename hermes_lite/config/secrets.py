"""Secrets: which names hold them, how they are shown, and the `.env` file of the home folder that keeps them.

A line of `.env` is `NAME=value`, with `export` before it, quotes around it and comments between as shells allow.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hermes_lite.config.atomic import write_atomically
from hermes_lite.config.source import text_of
from hermes_lite.paths import Home

_MODE = 0o600
_ENV_NAME = re.compile(r"[A-Z][A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD)")
_SECRET_NAME = re.compile(
    r"(?:^|[_-])(?:api[_-]?key|key|token|secret|password|passwd|authorization|cookie|credentials?)$", re.IGNORECASE
)
_REFERENCE = re.compile(r"\$\{[^}]*\}")
_LINE = re.compile(
    r"""^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|(.*?))\s*(?:\s#.*)?$"""
)
_HIDDEN_PARENTS = frozenset(("headers",))


def is_secret_variable(name: str) -> bool:
    """True for the name of an environment variable that holds a secret, such as `OPENAI_API_KEY`."""
    return _ENV_NAME.fullmatch(name) is not None


def masked(value: Any, path: Sequence[str] = ()) -> Any:
    """`value`, found under `path`, as it may be shown: secrets inside become dots, `${VAR}` stays as written."""
    if isinstance(value, Mapping):
        return {key: masked(entry, (*path, str(key))) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [masked(entry, path) for entry in value]
    return mask(value) if isinstance(value, str) and _is_hidden(path) else value


def secrets_in(value: Any, name: str = "") -> Iterator[str]:
    """The secrets written out in `value`, such as `mcp_servers`; of `Bearer abc` what stands behind the scheme."""
    if isinstance(value, Mapping):
        for key, entry in value.items():
            yield from secrets_in(entry, str(key))
    elif isinstance(value, str) and value.strip() and _SECRET_NAME.search(name) and not _REFERENCE.search(value):
        yield value.split()[-1]


def mask(secret: str) -> str:
    """Enough of a secret to tell two apart, never enough to use: nothing of a short one."""
    if not secret or _REFERENCE.search(secret):
        return secret
    return f"{secret[:3]}…{secret[-4:]}" if len(secret) >= 20 else "…"


def read_env(home: Home) -> dict[str, str]:
    """What `.env` sets; empty when there is none or it cannot be read."""
    try:
        text = text_of(home.env) or ""
    except (OSError, UnicodeDecodeError):
        return {}
    return {name: value for name, value in (_assignment(line) for line in text.splitlines()) if name}


def environment(home: Home, environ: Mapping[str, str]) -> dict[str, str]:
    """`environ` over what `.env` adds: where `${VAR}` and keys are looked up."""
    return {**read_env(home), **environ}


def write_env(home: Home, name: str, value: str | None) -> str | None:
    """Set `name` in `.env`, or remove it with `None`; other lines stay. Returns the old value.

    Raises `OSError` and `UnicodeDecodeError`.
    """
    lines = (text_of(home.env) or "").splitlines()
    old = None
    kept: list[str] = []
    for line in lines:
        found, content = _assignment(line)
        if found == name:
            old = content
        kept += [line] if found != name else []
    if value is not None:
        place = next((i for i, line in enumerate(lines) if _assignment(line)[0] == name), len(kept))
        kept.insert(place, f"{name}={_quoted(value)}")
    write_atomically(home.env, "".join(f"{line}\n" for line in kept), _MODE)
    return old


def _assignment(line: str) -> tuple[str, str]:
    match = _LINE.match(line)
    if match is None:
        return "", ""
    name, double, single, bare = match.groups()
    if double is not None:
        return name, re.sub(r"\\(.)", r"\1", double)
    return name, single if single is not None else bare


def _quoted(value: str) -> str:
    if re.fullmatch(r"[\w./:@%+=,-]*", value):
        return value
    return '"' + re.sub(r'(["\\$`])', r"\\\1", value) + '"'


def _is_hidden(path: Sequence[str]) -> bool:
    return bool(path) and (
        _SECRET_NAME.search(path[-1]) is not None or any(part in _HIDDEN_PARENTS for part in path[:-1])
    )
