"""`/config`: one key with its value and origin, or everything that differs from the defaults. Secrets are masked."""

from rich.console import Group, RenderableType
from rich.text import Text

from hermes_lite.config import Config
from hermes_lite.config.keys import split
from hermes_lite.config.literals import written
from hermes_lite.config.secrets import masked
from hermes_lite.text import one_line


def config_screen(config: Config, key: str) -> RenderableType:
    """What holds for `key`, or without one what was changed. Raises `ConfigError` for a key that does not exist."""
    if key:
        inside = [name for name, _ in config.items() if name.startswith(f"{key}.")]
        return Group(*(_line(config, name) for name in inside)) if inside else _line(config, key)
    changed = [name for name, _ in config.items() if config.origin(name).layer != "defaults"]
    none = () if changed else (Text("Everything stands at its default."),)
    hint = Text("hermes-lite config set KEY VALUE changes one, config list shows all.", style="faint")
    return Group(*none, *(_line(config, name) for name in changed), hint)


def _line(config: Config, key: str) -> Text:
    value = written(masked(config.get(key), split(key)))
    return (
        Text(key, style="accent")
        .append(f" = {one_line(value)}", "default")
        .append(f"  {config.origin(key)}", "faint")
    )
