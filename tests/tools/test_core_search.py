import subprocess
from pathlib import Path

import pytest

from hermes_lite.tools.core import search
from tests.support.promises import promise
from tests.tools.workbench import Workbench


@pytest.fixture(autouse=True)
def tree(bench: Workbench) -> Path:
    for name, content in {
        "src/app.py": "import os\n\ndef main():\n    return Needle\n",
        "src/deep/er/lib.py": "needle = 1\nneedle = 2\n",
        "docs/guide.md": "A needle in the docs.\n",
        "node_modules/dep/index.js": "needle\n",
        "build/out.txt": "needle\n",
        "picture.bin": "needle\0",
    }.items():
        path = bench.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return bench.folder


def test_lines_are_found_by_expression(bench: Workbench) -> None:
    assert bench.run("search_files", pattern=r"needle = \d$").text == (
        "src/deep/er/lib.py:1: needle = 1\nsrc/deep/er/lib.py:2: needle = 2"
    )
    assert "src/app.py:4:     return Needle" in bench.run("search_files", pattern="needle", ignore_case=True).text


@pytest.mark.parametrize(
    ("glob", "names"),
    [
        ("*.py", ["src/app.py", "src/deep/er/lib.py"]),
        ("src/*.py", ["src/app.py", "src/deep/er/lib.py"]),
        ("src/**/*.py", ["src/app.py", "src/deep/er/lib.py"]),
        ("**/*.md", ["docs/guide.md"]),
        ("guide.*", ["docs/guide.md"]),
        ("*.rs", ["Nothing found."]),
    ],
)
def test_files_are_found_by_name(bench: Workbench, glob: str, names: list[str]) -> None:
    assert bench.run("search_files", glob=glob).text.split("\n") == names


def test_a_glob_narrows_a_pattern_and_a_path_the_place(bench: Workbench) -> None:
    assert bench.run("search_files", pattern="needle", glob="*.md").text == "docs/guide.md:1: A needle in the docs."
    assert bench.run("search_files", pattern="needle", path="docs").text == "docs/guide.md:1: A needle in the docs."
    assert bench.run("search_files", pattern="os", path="src/app.py").text == "src/app.py:1: import os"


def test_heavy_folders_and_binary_files_are_left_out(bench: Workbench) -> None:
    text = bench.run("search_files", pattern="needle").text
    assert "node_modules" not in text
    assert "picture.bin" not in text
    assert "build/out.txt" in text


def test_what_git_ignores_is_left_out(bench: Workbench, tree: Path) -> None:
    (tree / ".gitignore").write_text("build/\n")
    subprocess.run(["git", "init", "-q"], cwd=tree, check=True)
    subprocess.run(["git", "add", "src"], cwd=tree, check=True)
    (tree / "src/app.py").unlink()
    text = bench.run("search_files", pattern="needle|import").text
    assert "build" not in text
    assert "app.py" not in text
    assert "docs/guide.md" in text
    assert bench.run("search_files", glob="*.py", path="src/deep").text == "src/deep/er/lib.py"
    assert bench.run("search_files", pattern="needle", path="build").text == "build/out.txt:1: needle"


def test_a_work_tree_cannot_make_git_run_a_program(bench: Workbench, tree: Path, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tree, check=True)
    subprocess.run(["git", "config", "core.fsmonitor", f"touch {tmp_path}/ran; false"], cwd=tree, check=True)
    bench.run("search_files", glob="*")
    assert not (tmp_path / "ran").exists()


@promise("CORE-BOUNDED")
def test_an_answer_is_bounded_and_says_what_is_missing(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    text = bench.run("search_files", pattern="needle", limit=2).text
    assert text.count("\n") == 2
    assert text.endswith("[there is more than 2; narrow the search or raise limit]")
    monkeypatch.setattr(search, "FILE_MOST", 30)
    text = bench.run("search_files", pattern="needle", glob="*.py").text
    assert text.endswith("[1 files over 30 bytes were not searched]")
    monkeypatch.setattr(search, "SECONDS", 0.0)
    assert "[stopped after 0 seconds; narrow the search]" in bench.run("search_files", pattern="needle").text


@promise("T-B18")
def test_a_hostile_expression_is_stopped_and_an_invalid_one_explained(
    bench: Workbench, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / "docs/bomb.md").write_text("a" * 5000 + "b\n")
    monkeypatch.setattr(search, "SECONDS", 0.2)
    assert (
        "takes too long on docs/bomb.md" in bench.run("search_files", pattern=r"(a|aa)+$", path="docs/bomb.md").text
    )
    for wrong in ("(", "[", "x" * 2000, r"(?P<n"):
        result = bench.run("search_files", pattern=wrong)
        assert result.is_error
        assert "no regular expression" in result.text


def test_a_long_line_is_shown_around_the_match(bench: Workbench, tree: Path) -> None:
    (tree / "min.js").write_text("x" * 10_000 + "needle" + "y" * 10_000)
    text = bench.run("search_files", pattern="needle", path="min.js").text
    assert "needle" in text
    assert len(text) < 400


def test_each_line_is_shown_once_and_empty_matches_end(bench: Workbench, tree: Path) -> None:
    (tree / "lines.txt").write_text("aaa\n\nbab\n")
    assert bench.run("search_files", pattern="a", path="lines.txt").text == "lines.txt:1: aaa\nlines.txt:3: bab"
    assert bench.run("search_files", pattern="^a?", path="lines.txt").text.count("\n") == 2
    assert bench.run("search_files", pattern="^$", path="lines.txt").text == "lines.txt:2: "
    assert bench.run("search_files", pattern=r"a\n\nb", path="lines.txt").text == "lines.txt:1: aaa"
    (tree / "wide.txt").write_text("a" * 1_000_000)
    assert "[" not in bench.run("search_files", pattern="a", path="wide.txt").text


def test_nothing_to_look_for_and_nowhere_to_look_are_explained(bench: Workbench) -> None:
    assert "Give a pattern" in bench.run("search_files").text
    assert "There is no" in bench.run("search_files", pattern="x", path="nosuch").text
