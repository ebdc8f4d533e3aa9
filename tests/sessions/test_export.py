import json
from pathlib import Path

from hermes_lite.messages import NoticeMessage, ToolMessage, UserMessage
from hermes_lite.sessions.store import SessionStore
from tests.sessions.support import HERE, TURN, reply, store_in, talk

HOSTILE = "\x1b]52;c;cHduZWQ=\x07<script>alert(1)</script> ```` fence \ud800"


def hostile_session(store: SessionStore) -> str:
    with store.create(HERE, "m") as session:
        talk(session, UserMessage("show me"), reply("look", "1"), ToolMessage("1", "tool_1", HOSTILE))
        talk(session, reply(HOSTILE), NoticeMessage("a server came"))
        session.rename("<b>title</b>")
        return session.id


def test_markdown_shows_each_call_with_its_result(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    with store.create(HERE, "model-1") as session:
        talk(session, *TURN)
    assert store.export(session.id, "markdown") == (
        "# what is in C:\\users\\unicorn?\n\n"
        f"{session.id} · 2026-01-02T03:04:06.000+00:00 · /proj/here · model-1\n\n"
        "## Person\n\nwhat is in C:\\users\\unicorn?\n\n"
        "## Assistant\n\nlet me look\n\n"
        '**tool_1**\n\n```\n{"a": 1}\n```\n\n```\nresult of 1\n```\n\n'
        '**tool_2**\n\n```\n{"a": 1}\n```\n\n```\nresult of 2\n```\n\n'
        "a horn 🦄\n"
    )


def test_nothing_hostile_gets_out_of_an_export(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    session_id = hostile_session(store)
    markdown, html = store.export(session_id, "markdown"), store.export(session_id, "html")
    assert "\x1b" not in markdown + html
    assert "`````\n<script>" in markdown
    assert "<script>" not in html
    assert "&lt;b&gt;title" in html
    assert "## Shell\n\na server came" in markdown
    (markdown + html).encode("utf-8")


def test_json_lines_can_be_read_back_as_a_session(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    with store.create(HERE, "m") as session:
        talk(session, *TURN, UserMessage("two"), reply("", "9"))
    lines = store.export(session.id, "jsonl").splitlines()
    assert [json.loads(line)["type"] for line in lines] == ["session", *["message"] * 8]
    (store.folder / "copy.jsonl").write_text("\n".join(lines))
    assert store.read("copy").messages == store.read(session.id).messages
