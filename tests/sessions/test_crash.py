"""What is left after the process or the machine died while it wrote."""

import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_lite.errors import SessionError
from hermes_lite.messages import Message, UserMessage
from tests.sessions.support import HERE, TURN, store_in, talk
from tests.sessions.test_repair import is_valid
from tests.support.promises import promise

WRITER = """
import sys
from pathlib import Path
from hermes_lite.messages import UserMessage
from hermes_lite.sessions.store import SessionStore
session = SessionStore(Path(sys.argv[1]), Path(sys.argv[2])).create(Path("/here"), "m")
for number in range(1_000_000):
    session.append(UserMessage(f"{number} " + "ü" * (number % 97 * 50)))
    if number % 5 == 0:
        session.sync()
    sys.stdout.write(f"{number}\\n")
    sys.stdout.flush()
"""


@promise("S-F7")
def test_a_file_cut_at_any_of_200_bytes_opens_and_goes_on(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    with store.create(HERE, "m") as session:
        for _ in range(3):
            talk(session, *TURN)
            session.sync()
    whole = session.path.read_bytes()
    header_end = whole.index(b"\n") + 1
    for end in random.Random(7).sample(range(header_end, len(whole)), 200):
        path = session.path.with_name("cut.jsonl")
        path.write_bytes(whole[:end])
        kept = list(_messages_before(whole, end))
        with store.open("cut") as again:
            assert [m for m in again.messages if m in TURN] == kept
            assert is_valid(again.messages)
            again.append(UserMessage("go on"))
        after = store.read("cut")
        assert after.messages[-1] == UserMessage("go on")
        assert [m for m in after.messages if m in TURN] == kept
        assert not any("unreadable" in note for note in after.notes)


def _messages_before(whole: bytes, end: int) -> tuple[Message, ...]:
    """The messages whose lines, line feed apart, lie before `end`."""
    ends, place = [], 0
    for line in whole.split(b"\n"):
        place += len(line)
        if line.startswith(b'{"type":"message"'):
            ends.append(place)
        place += 1
    return (TURN * 3)[: sum(one <= end for one in ends)]


@promise("S-F7")
@pytest.mark.parametrize("lines", [1, 40, 333])
def test_a_killed_writer_loses_no_message_it_had_finished(tmp_path: Path, lines: int) -> None:
    store = store_in(tmp_path)
    command = [sys.executable, "-c", WRITER, str(store.folder), str(store.cache)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        for _ in range(lines):
            writer.stdout.readline()
        writer.send_signal(signal.SIGKILL)
        finished = lines + len(writer.stdout.read().splitlines())
    (info,) = store.list()
    with store.open(info.id) as session:
        numbers = [int(message.text.split()[0]) for message in session.messages if isinstance(message, UserMessage)]
        assert numbers == list(range(len(numbers)))
        assert len(numbers) >= finished - 1
        session.append(UserMessage("go on"))


@promise("SESSION-APPEND")
def test_a_last_line_without_its_line_feed_is_kept(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    with store.create(HERE, "m") as session:
        talk(session, UserMessage("one"))
    session.path.write_bytes(session.path.read_bytes().rstrip(b"\n"))
    before = session.path.read_bytes()
    with store.open(session.id) as again:
        again.append(UserMessage("two"))
    assert session.path.read_bytes().startswith(before + b"\n")
    assert store.read(session.id).messages == [UserMessage("one"), UserMessage("two")]


def test_reading_a_torn_file_changes_nothing(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    with store.create(HERE, "m") as session:
        talk(session, UserMessage("one"))
    session.path.write_bytes(session.path.read_bytes() + b'{"type":"mess')
    before = session.path.read_bytes()
    store.read(session.id)
    store.list()
    store.open(session.id)._writer.close()  # type: ignore[union-attr]
    assert session.path.read_bytes() == before


def test_a_file_without_a_whole_header_is_named_and_not_listed(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.folder.mkdir()
    for name, content in {"torn": '{"type":"sess', "empty": "", "other": '{"a": 1}\n', "odd": "\0\0\0"}.items():
        (store.folder / f"{name}.jsonl").write_text(content)
        with pytest.raises(SessionError, match="not a session file"):
            store.open(name)
    assert store.list() == ()


def test_a_file_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    with store.create(HERE, "m") as session:
        talk(session, UserMessage("one"))
    session.path.write_text(session.path.read_text().replace('"version":1', '"version":99', 1))
    with pytest.raises(SessionError, match="newer"):
        store.open(session.id)
