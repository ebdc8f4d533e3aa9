"""What of a result reaches the model."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_lite.agent.results import HIDDEN, Shelf
from tests.support.promises import promise


def kept(folder: Path) -> list[str]:
    return [file.read_text(encoding="utf-8") for file in sorted(folder.glob("*"))]


def test_short_text_passes_unchanged_and_leaves_no_file(tmp_path: Path) -> None:
    assert Shelf(tmp_path / "results", 100).fit("call_1", "short") == "short"
    assert not (tmp_path / "results").exists()


@promise("S-C10")
def test_long_text_keeps_its_ends_and_the_whole_is_in_a_file(tmp_path: Path) -> None:
    whole = "start " + "x" * 5_000 + " end"
    text = Shelf(tmp_path / "results", 1_000).fit("call/../1", whole)
    assert text.startswith("start x") and text.endswith("x end")
    (file,) = (tmp_path / "results").iterdir()
    assert f"the whole is in {file}" in text
    assert file.read_text(encoding="utf-8") == whole
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_cannot_be_written_costs_the_file_and_not_the_result(tmp_path: Path) -> None:
    blocked = tmp_path / "results"
    blocked.write_text("not a folder", encoding="utf-8")
    text = Shelf(blocked, 100).fit("call_1", "x" * 1_000)
    assert "the whole could not be kept" in text


@pytest.mark.parametrize("secret", ["sk-12345678", 'with"quote', "back\\slash", "schlüssel-ß"])
def test_a_secret_goes_as_it_is_and_as_it_stands_in_json(tmp_path: Path, secret: str) -> None:
    shelf = Shelf(tmp_path, 1_000, (secret,))
    for text in (secret, json.dumps({"k": secret}), json.dumps({"k": secret}, ensure_ascii=False)):
        assert secret not in shelf.fit("c", text)
        assert HIDDEN in shelf.fit("c", text)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(text=st.text(alphabet=st.characters(exclude_categories=()), max_size=400), limit=st.integers(20, 100))
def test_whatever_comes_is_bounded_and_can_be_sent(tmp_path: Path, text: str, limit: int) -> None:
    fitted = Shelf(tmp_path / "results", limit, ("secret-word",)).fit("call_1", text + "secret-word")
    fitted.encode("utf-8")
    body = [line for line in fitted.split("\n") if "characters left out" not in line]
    assert sum(map(len, body)) <= limit
    assert "secret-word" not in "".join(kept(tmp_path / "results") if (tmp_path / "results").exists() else [fitted])
