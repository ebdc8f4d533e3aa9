"""The manual says what the files say."""

from importlib.resources import files

from hermes_lite.config.defaults import defaults_file
from hermes_lite.config.reference import with_reference
from tests.support.promises import promise


@promise("CONFIG.reference")
def test_the_manual_lists_every_key_as_it_is_now_run_scripts_reference_if_not() -> None:
    page = files("hermes_lite").joinpath("manual", "configuration.md").read_text("utf-8")
    assert page == with_reference(page, defaults_file().read_text("utf-8"))
