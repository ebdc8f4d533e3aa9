"""What the person configured: read here (`load`), changed in `hermes_lite.config.change`.

A leaf of the product: it knows files, keys and values, and nothing of what they are for.
"""

from hermes_lite.config.load import load
from hermes_lite.config.values import Config, Origin, Problem

__all__ = ["Config", "Origin", "Problem", "load"]
