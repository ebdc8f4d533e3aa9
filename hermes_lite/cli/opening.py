"""What the bare command does first: find the model. Loads nothing that a refusal would not need."""

from dataclasses import dataclass

import anyio

from hermes_lite.cli.wish import Wish
from hermes_lite.config.place import Place
from hermes_lite.errors import UsageError
from hermes_lite.model.discovery import ModelFlags, discover, no_model_error
from hermes_lite.model.endpoint import DEMO, Endpoint
from hermes_lite.model.settings import ModelSettings


@dataclass(frozen=True, slots=True)
class Opening:
    wish: Wish
    place: Place
    endpoint: Endpoint


def open_with(wish: Wish, place: Place) -> Opening:
    """Find the model for `wish`. Raises `UsageError`, and `NoModelError` when a one-shot run has none."""
    if wish.prompt is None and wish.output_format != "text":
        raise UsageError("--output-format is for -p", mend='Give the prompt: hermes-lite -p "..."')
    settings = ModelSettings.of(place.config.section("model"))
    flags = ModelFlags(DEMO if wish.demo else wish.model, wish.base_url)
    endpoint = anyio.run(discover, settings, place.environ, flags)
    if endpoint.provider == DEMO and wish.prompt is not None and not wish.demo:
        raise no_model_error()
    return Opening(wish, place, endpoint)
