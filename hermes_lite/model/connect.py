"""From an endpoint to the model behind it."""

from hermes_lite.model.client import ChatModel, Model
from hermes_lite.model.demo.offline import DemoModel
from hermes_lite.model.endpoint import DEMO, Endpoint
from hermes_lite.model.settings import ModelSettings


def connect(endpoint: Endpoint, settings: ModelSettings) -> Model:
    """The model at `endpoint`. Nothing is loaded or asked yet."""
    return DemoModel() if endpoint.provider == DEMO else ChatModel(endpoint, settings)
