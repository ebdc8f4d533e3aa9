import os
import stat
from pathlib import Path

import pytest

from hermes_lite.tools.core import files
from hermes_lite.tools.core.workspace import replace_file
from tests.support.promises import promise
from tests.tools.workbench import Workbench


def write(bench: Workbench, name: str, content: str | bytes) -> Path:
    path = bench.folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_a_file_is_read_with_line_numbers(bench: Workbench) -> None:
    write(bench, "a.txt", "one\r\ntwo\n\nfour")
    assert bench.run("read_file", path="a.txt").text == "    1\tone\n    2\ttwo\n    3\t\n    4\tfour"
    assert bench.run("read_file", path="a.txt", offset=2, limit=1).text == (
        "    2\ttwo\n[more follows: read on with offset 3]"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"path": "alpa.txt"}, "Did you mean alpha.txt?"),
        ({"path": "no/such.txt"}, "Nor is there a folder"),
        ({"path": "."}, "is a folder. It holds:\nalpha.txt\nempty.txt\nsub/"),
        ({"path": "alpha.txt/x"}, "is a file, not a folder"),
        ({"path": "alpha.txt", "offset": 7}, "has only 1 lines"),
        ({"path": "/dev/zero"}, "device or a pipe"),
        ({"path": "bad\0name"}, "is not a path"),
        ({"path": "bad\ud800name"}, "is not a path"),
        ({"path": "x" * 5000}, "File name too long"),
    ],
)
def test_what_cannot_be_read_is_explained(bench: Workbench, arguments: dict[str, object], said: str) -> None:
    write(bench, "alpha.txt", "x")
    write(bench, "empty.txt", "")
    (bench.folder / "sub").mkdir()
    result = bench.run("read_file", **arguments)
    assert result.is_error
    assert said in result.text
    result.text.encode("utf-8", "backslashreplace")


def test_an_empty_file_is_no_error(bench: Workbench) -> None:
    write(bench, "empty.txt", "")
    result = bench.run("read_file", path="empty.txt")
    assert (result.text, result.is_error) == ("(the file is empty)", False)


def test_a_binary_file_is_refused_with_a_way_on(bench: Workbench) -> None:
    write(bench, "a.png", b"\x89PNG\r\n\x1a\n\0\0\0")
    result = bench.run("read_file", path="a.png")
    assert result.is_error
    assert "11 bytes" in result.text
    assert "xxd" in result.text


def test_a_pipe_without_a_writer_does_not_hang(bench: Workbench) -> None:
    os.mkfifo(bench.folder / "pipe")
    assert "device or a pipe" in bench.run("read_file", path="pipe").text
    assert "device or a pipe" in bench.run("write_file", path="pipe", content="x").text
    assert "device or a pipe" in bench.run("patch", path="pipe", old_text="a", new_text="b").text


@promise("CORE-BOUNDED")
def test_endless_lines_and_long_files_are_cut(bench: Workbench) -> None:
    write(bench, "one_line.txt", "x" * 1_000_000 + "\nnext\n")
    first, second = bench.run("read_file", path="one_line.txt").text.split("\n")
    assert first.endswith("x [line cut]")
    assert len(first) < 2100
    assert second == "    2\tnext"
    write(bench, "long.txt", "some words on a line\n" * 100_000)
    result = bench.run("read_file", path="long.txt", limit=5000)
    assert len(result.text) < files.READ_MOST + 3000
    assert "[more follows: read on with offset " in result.text


def test_a_path_may_start_at_home_or_root(bench: Workbench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "h.txt").write_text("home")
    assert "home" in bench.run("read_file", path="~/h.txt").text
    assert "home" in bench.run("read_file", path=str(tmp_path / "h.txt")).text
    assert bench.run("read_file", path="~nobody-such/h.txt").is_error


def test_a_new_file_is_made_with_its_folders(bench: Workbench) -> None:
    result = bench.run("write_file", path="a/b/c.txt", content="one\ntwo\n")
    assert result.text == "Created a/b/c.txt (2 lines)."
    assert (bench.folder / "a/b/c.txt").read_text() == "one\ntwo\n"


def test_an_overwritten_file_is_told_as_a_diff(bench: Workbench) -> None:
    write(bench, "a.txt", "one\ntwo\n")
    result = bench.run("write_file", path="a.txt", content="one\n2\nthree\n")
    assert result.text == "Changed a.txt: +2 -1 lines.\n@@ -1,2 +1,3 @@\n one\n-two\n+2\n+three"
    assert "nothing changed" in bench.run("write_file", path="a.txt", content="one\n2\nthree\n").text


@promise("CORE-TEXT", "S-F20")
@pytest.mark.parametrize(
    ("content", "stored"),
    [
        ("C:\\users\\unicorn", b"C:\\users\\unicorn"),
        ("a\ud800b", "a�b".encode()),
        ("", b""),
        ("no end\r\n\0", b"no end\r\n\0"),
        ("🦄" * 3, "🦄🦄🦄".encode()),
    ],
)
def test_content_is_written_as_given(bench: Workbench, content: str, stored: bytes) -> None:
    assert not bench.run("write_file", path="a.txt", content=content).is_error
    assert (bench.folder / "a.txt").read_bytes() == stored


@promise("CORE-ATOMIC")
def test_mode_and_link_stay_and_nothing_is_left_over(bench: Workbench) -> None:
    target = write(bench, "real.sh", "old")
    target.chmod(0o750)
    (bench.folder / "link.sh").symlink_to("real.sh")
    bench.run("write_file", path="link.sh", content="new")
    assert (bench.folder / "link.sh").is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o750
    assert sorted(entry.name for entry in bench.folder.iterdir()) == ["link.sh", "real.sh"]


@promise("CORE-ATOMIC")
def test_a_failing_write_leaves_the_old_content(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(bench, "a.txt", "old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        replace_file(path, b"new")
    result = bench.run("write_file", path="a.txt", content="new")
    assert result.is_error
    assert "No space left" in result.text
    assert [entry.read_text() for entry in bench.folder.iterdir()] == ["old"]


def test_a_folder_is_not_overwritten(bench: Workbench) -> None:
    (bench.folder / "sub").mkdir()
    result = bench.run("write_file", path="sub", content="x")
    assert result.is_error
    assert "is a folder" in result.text
