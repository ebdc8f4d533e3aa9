from pathlib import Path

import pytest

from hermes_lite.tools.core.workspace import Checkpoints, Undone
from tests.support.promises import promise
from tests.tools.workbench import Workbench


def outcomes(undone: tuple[Undone, ...]) -> dict[str, str]:
    return {one.path.name: one.outcome for one in undone}


@promise("CORE-UNDO")
def test_the_changes_of_a_turn_are_taken_back(bench: Workbench) -> None:
    old = bench.folder / "old.txt"
    old.write_bytes(b"caf\xe9\n")
    bench.run("write_file", path="old.txt", content="first")
    bench.run("patch", path="old.txt", old_text="first", new_text="second")
    bench.run("write_file", path="new/file.txt", content="x")
    checkpoints = bench.resource(Checkpoints)
    assert checkpoints.last() == 1
    assert outcomes(checkpoints.undo(1)) == {"old.txt": "restored", "file.txt": "removed"}
    assert old.read_bytes() == b"caf\xe9\n"
    assert not (bench.folder / "new/file.txt").exists()
    assert checkpoints.last() is None
    assert checkpoints.undo(1) == ()


@promise("CORE-UNDO")
def test_what_others_changed_since_is_left_alone_and_named(bench: Workbench) -> None:
    for name in ("edited", "deleted", "put_back"):
        (bench.folder / name).write_text("before")
        bench.run("write_file", path=name, content="ours")
    bench.run("write_file", path="created", content="ours")
    (bench.folder / "edited").write_text("theirs")
    (bench.folder / "deleted").unlink()
    (bench.folder / "put_back").write_text("before")
    (bench.folder / "created").write_text("theirs")
    assert outcomes(bench.resource(Checkpoints).undo(1)) == {
        "edited": "conflict",
        "deleted": "conflict",
        "put_back": "unchanged",
        "created": "conflict",
    }
    assert (bench.folder / "edited").read_text() == "theirs"
    assert (bench.folder / "created").read_text() == "theirs"


@promise("CORE-UNDO")
def test_turns_are_undone_one_after_the_other_even_after_a_restart(bench: Workbench) -> None:
    for content in ("one", "two", "three"):
        bench.run("write_file", path="a.txt", content=content)
        bench.next_turn()
    again = Workbench(bench.folder, bench.side).resource(Checkpoints)
    path = bench.folder / "a.txt"
    for turn, content in ((3, "two"), (2, "one")):
        assert again.last() == turn
        assert outcomes(again.undo(turn)) == {"a.txt": "restored"}
        assert path.read_text() == content
    assert outcomes(again.undo(1)) == {"a.txt": "removed"}


def test_a_link_is_followed_to_the_file_that_was_changed(bench: Workbench) -> None:
    (bench.folder / "real").write_text("before")
    (bench.folder / "link").symlink_to("real")
    bench.run("write_file", path="link", content="after")
    bench.resource(Checkpoints).undo(1)
    assert (bench.folder / "link").is_symlink()
    assert (bench.folder / "real").read_text() == "before"


def test_what_is_remembered_is_bounded(bench: Workbench) -> None:
    for number in range(6):
        (bench.folder / f"{number}.txt").write_text("x" * 4000)
        bench.run("write_file", path=f"{number}.txt", content="y")
        bench.next_turn()
    checkpoints = bench.resource(Checkpoints)
    assert sorted(int(entry.name) for entry in checkpoints.folder.iterdir()) == [5, 6]
    (bench.folder / "huge.txt").write_text("x" * 20_000)
    bench.run("write_file", path="huge.txt", content="y")
    assert outcomes(checkpoints.undo(7)) == {"huge.txt": "too large"}
    assert (bench.folder / "huge.txt").read_text() == "y"


def test_one_file_that_cannot_be_restored_does_not_stop_the_others(bench: Workbench) -> None:
    for name in ("blocked", "free"):
        bench.run("write_file", path=name, content="ours")
    (bench.folder / "blocked").unlink()
    (bench.folder / "blocked").mkdir()
    assert outcomes(bench.resource(Checkpoints).undo(1)) == {"blocked": "failed", "free": "removed"}


@pytest.mark.parametrize("name", ["sp ace", "uni\u2028code", "🦄", "a\nb"])
def test_any_file_name_can_be_undone(bench: Workbench, name: str) -> None:
    bench.run("write_file", path=name, content="x")
    assert outcomes(bench.resource(Checkpoints).undo(1)) == {name: "removed"}
    assert list(Path(bench.folder).iterdir()) == []
