"""The garbage collector, at rest while much is made and nothing is thrown away.

Importing a large package, or building an index, makes hundreds of thousands of objects and no garbage; to walk them
again and again meanwhile costs a tenth of the time.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def resting() -> Iterator[None]:
    """The collector does not run inside; any thread may enter, and others may be inside already."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def spare() -> None:
    """Leave what has been made until now alone for good: it will live as long as the process."""
    gc.freeze()
