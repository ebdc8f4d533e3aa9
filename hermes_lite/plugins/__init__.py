"""Python that a person adds to the shell: tools and hooks, off until enabled."""

from hermes_lite.plugins.loading import Loaded, load_plugins
from hermes_lite.plugins.plugin import Plugin

__all__ = ["Loaded", "Plugin", "load_plugins"]
