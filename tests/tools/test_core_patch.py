from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.promises import promise
from tests.tools.workbench import Workbench

POEM = "roses are red\n  violets are blue\nsugar is sweet\nroses are red\n"


@pytest.fixture
def poem(bench: Workbench) -> Path:
    path = bench.folder / "poem.txt"
    path.write_text(POEM)
    return path


def patch(bench: Workbench, old: str, new: str, **more: object) -> tuple[str, bool]:
    result = bench.run("patch", path="poem.txt", old_text=old, new_text=new, **more)
    return result.text, result.is_error


def test_unique_text_is_replaced_and_told_as_a_diff(bench: Workbench, poem: Path) -> None:
    text, is_error = patch(bench, "sugar is", "honey is")
    assert not is_error
    assert text == (
        "Changed poem.txt: +1 -1 lines.\n@@ -1,4 +1,4 @@\n roses are red\n   violets are blue\n-sugar is sweet\n"
        "+honey is sweet\n roses are red"
    )
    assert poem.read_text() == POEM.replace("sugar", "honey")


def test_every_occurrence_is_replaced_on_demand(bench: Workbench, poem: Path) -> None:
    patch(bench, "red\n", "blue\n", replace_all=True)
    assert poem.read_text() == POEM.replace("red", "blue")


@promise("CORE-PATCH")
@pytest.mark.parametrize(
    ("old", "said"),
    [
        ("roses are red", "not unique; it stands at lines 1, 4. Add lines"),
        (
            "violets are blau",
            "The nearest; this is what stands there:\n    1\troses are red\n    2\t  violets are blue\n",
        ),
        ("violets  are blue\n", "It differs in white space only; this is what stands there:"),
        ("    2\t  violets are blue\n    3\tsugar is sweet", "carries the line numbers of read_file"),
        ("entirely unlike anything 12345 67890", "nor anything like it"),
        ("", "old_text is empty"),
        ("same", "are the same"),
        ("\ud800", "not in it"),
    ],
)
def test_what_does_not_fit_changes_nothing_and_says_why(bench: Workbench, poem: Path, old: str, said: str) -> None:
    text, is_error = patch(bench, old, "same")
    assert is_error
    assert text.startswith("poem.txt was NOT changed: ")
    assert said in text
    assert poem.read_text() == POEM


def test_line_ends_of_the_file_are_kept(bench: Workbench, poem: Path) -> None:
    poem.write_bytes(POEM.replace("\n", "\r\n").encode())
    _, is_error = patch(bench, "sugar is sweet\nroses", "honey is sweet\nand\nroses")
    assert not is_error
    assert (
        poem.read_bytes() == POEM.replace("sugar is sweet\n", "honey is sweet\nand\n").replace("\n", "\r\n").encode()
    )


def test_bytes_that_are_no_text_stay_as_they_are(bench: Workbench, poem: Path) -> None:
    poem.write_bytes(b"\xff\xfe caf\xe9 red \xed\xa0\x80")
    assert not patch(bench, "red", "blue")[1]
    assert poem.read_bytes() == b"\xff\xfe caf\xe9 blue \xed\xa0\x80"


def test_a_missing_or_binary_file_is_explained(bench: Workbench, poem: Path) -> None:
    assert "Did you mean poem.txt" in bench.run("patch", path="pem.txt", old_text="a", new_text="b").text
    poem.write_bytes(b"a\0b")
    assert "not a text file" in patch(bench, "a", "b")[0]


def test_a_long_file_is_searched_for_the_nearest_lines_quickly(bench: Workbench, poem: Path) -> None:
    poem.write_text("".join(f"def function_{number}(argument):\n    return {number}\n" for number in range(20_000)))
    text, _ = patch(bench, "def function_1234(arguments):\n    return 1234", "x")
    assert "def function_1234(argument):" in text


@settings(max_examples=50, deadline=None)
@given(
    before=st.text("ab\n", max_size=8), old=st.text("cd\n", min_size=1, max_size=5), after=st.text("ab\n", max_size=8)
)
def test_exactly_the_old_text_goes(
    tmp_path_factory: pytest.TempPathFactory, before: str, old: str, after: str
) -> None:
    folder = tmp_path_factory.mktemp("patch")
    path = folder / "poem.txt"
    path.write_text(before + old + after)
    _, is_error = patch(Workbench(folder, folder / "side"), old, "NEW")
    whole = before + old + after
    unique = sum(whole.startswith(old, place) for place in range(len(whole))) == 1
    assert is_error != unique
    assert path.read_text() == (before + "NEW" + after if unique else whole)
