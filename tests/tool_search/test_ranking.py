import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from hermes_lite.tool_search import postings
from hermes_lite.tool_search.catalog import Catalogue
from hermes_lite.tool_search.okapi import Okapi
from hermes_lite.tool_search.parameters import CHOSEN
from hermes_lite.tool_search.postings import Postings, documents
from hermes_lite.tool_search.ranking import Index, Ranking, index_of
from hermes_lite.tools.spec import ToolSpec
from tests.support.promises import promise
from tests.support.tool_rows import any_text, catalogues, server_tools

GITHUB = server_tools(
    "github",
    {
        "create_issue": "Create a new issue in a repository.",
        "list_issues": "List issues of a repository, open or closed.",
        "add_comment": "Add a comment to an issue.",
        "merge_pull_request": "Merge a pull request.",
    },
)
SLACK = server_tools(
    "slack", {"post_message": "Post a message to a channel.", "list_channels": "List the public channels."}
)
LINEAR = server_tools("linear", {"create_issue": "Create an issue.", "link_issue": "Link an issue to a project."})
SENTRY = server_tools("sentry", {"link_error_issue": "Link an error to an issue.", "list_errors": "List errors."})
STRIPE = server_tools("stripe", {"create_customer": "Create a customer.", "create_refund": "Refund a payment."})
MAIL = server_tools("gmail", {"send_email": "Send an email."})
FREEE = server_tools(
    "freee",
    {"list_deals": "取引の一覧を取得する", "create_invoice": "請求書を作成する", "upload": "証憑をアップロードする"},
)
AMAP = server_tools("amap", {"maps_weather": "查询城市天气", "maps_direction": "驾车路径规划"})
MIXED = [*GITHUB, *SLACK, *LINEAR, *SENTRY, *STRIPE, *MAIL]


def distractors(count: int) -> list[ToolSpec]:
    """Tools about nothing that any query here asks for."""
    subjects = ("valve", "orchard", "glacier", "quarry", "lantern", "saddle", "kiln", "tundra")
    verbs = ("polish", "measure", "paint", "weigh", "harvest")
    names = [f"{verbs[n % 5]}_{subjects[n // 5 % 8]}_{n}" for n in range(count)]
    return server_tools("workshop", {name: f"{name.replace('_', ' ')} with care." for name in names})


def find(query: str, rows: list[ToolSpec], limit: int = 5) -> Ranking:
    return index_of(Catalogue.of(rows)).search(query, limit)


def short(names: tuple[str, ...]) -> list[str]:
    return [name.removeprefix("mcp__").replace("__", ".") for name in names]


@promise("RANK-PLAIN")
@settings(max_examples=30, deadline=None)
@given(
    catalogues(), st.lists(st.sampled_from(["get", "list", "issu", "mail", "page", "search", "absent"]), max_size=4)
)
def test_scores_equal_plain_scoring(rows: list[ToolSpec], query: list[str]) -> None:
    docs = documents(Catalogue.of(rows).entries)
    counted = Postings.of(docs, CHOSEN)
    fast = Okapi(counted, CHOSEN.k1, CHOSEN.b)
    plain = BM25Okapi.__new__(BM25Okapi)
    plain.k1, plain.b, plain.corpus_size = CHOSEN.k1, CHOSEN.b, len(docs)
    plain.doc_freqs = [{} for _ in docs]
    for term in counted.numbers:
        for at in range(*counted.span(term).indices(len(counted.holders))):
            plain.doc_freqs[counted.holders[at]][term] = counted.frequencies[at]
    plain.doc_len = [sum(frequencies.values()) for frequencies in plain.doc_freqs]
    plain.avgdl = sum(plain.doc_len) / len(docs)
    plain.idf = {term: fast.idf_of(term) for doc in docs for term in doc.terms}
    assert np.allclose(fast.get_scores(query), plain.get_scores(query))
    assert all(idf > 0 for idf in plain.idf.values())


@promise("T-B01", "RANK-SERVICE")
@pytest.mark.parametrize(
    "query", ["stripe send email", "trello move card", "stripe schedule meeting", "zoom create meeting"]
)
def test_what_the_named_service_cannot_do_has_no_match(query: str) -> None:
    ranking = find(query, MIXED)
    assert (ranking.matches, ranking.verdict) == ((), "nothing")
    assert len(ranking.weak) <= 3


@promise("T-B02")
def test_the_right_tool_is_first_among_three_hundred() -> None:
    ranking = find("linear create issue", [*MIXED, *distractors(300 - len(MIXED))])
    assert short(ranking.matches)[0] == "linear.create_issue"
    assert not any("sentry" in name for name in ranking.matches)


@promise("T-B04", "T-B07")
@pytest.mark.parametrize(
    "query", ["ask_codex", "ask codex", "mcp__plugin_x__ask_codex", "plugin_x ask codex", "askCodex"]
)
def test_a_name_finds_its_tool_first(query: str) -> None:
    rows = [*MIXED, *server_tools("plugin_x", {"ask_codex": "Consult.", "ask_codex_often": "Ask codex, ask codex."})]
    assert short(find(query, rows).matches)[0] == "plugin_x.ask_codex"


@promise("T-B07")
@settings(max_examples=25, deadline=None)
@given(catalogues())
def test_every_tool_is_found_by_its_own_name(rows: list[ToolSpec]) -> None:
    index = Index(Catalogue.of(rows))
    assert all(row.name in index.search(row.name, len(rows)).matches for row in rows if row.name.strip() == row.name)


@promise("T-B05", "T-B14")
def test_a_search_leaves_no_trace() -> None:
    first = find("create issue", MIXED)
    find("linear link issue", MIXED)
    index_of(Catalogue.of(MIXED)).closest("create_isue")
    assert find("create issue", MIXED) == first


@promise("T-B09")
def test_a_source_before_a_colon_restricts_the_search() -> None:
    ranking = find("github: create issue", MIXED)
    assert ranking.source == "github"
    assert short(ranking.matches)[0] == "github.create_issue"
    assert all(".".join(("", name)).startswith(".github") for name in short((*ranking.matches, *ranking.weak)))
    assert find("nowhere: create issue", MIXED).verdict == "unknown_source"


@promise("T-B12")
@pytest.mark.parametrize(
    ("query", "tool"),
    [
        ("send email", "gmail.send_email"),
        ("slack send message", "slack.post_message"),
        ("post to slack channel", "slack.post_message"),
        ("refund a payment", "stripe.create_refund"),
        ("new github ticket", "github.create_issue"),
        ("merge pr", "github.merge_pull_request"),
        ("show all channels", "slack.list_channels"),
        ("comment on issue", "github.add_comment"),
        ("mail senden send mail", "gmail.send_email"),
        ("add customer stripe", "stripe.create_customer"),
    ],
)
def test_everyday_intents_are_found_among_four_thousand(query: str, tool: str) -> None:
    ranking = find(query, [*MIXED, *distractors(4000)])
    assert tool in short((*ranking.matches, *ranking.weak))[:5]


@promise("T-B13")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("send email", True),
        ("gmail send mail", True),
        ("send fax", False),
        ("email", True),
        ("delete calendar", False),
    ],
)
def test_the_decision_does_not_depend_on_the_size_of_the_catalogue(query: str, found: bool) -> None:
    assert [bool(find(query, [*MAIL, *distractors(size)]).matches) for size in (0, 9, 999)] == [found] * 3


@promise("T-B17")
def test_a_changed_description_is_searched_at_once() -> None:
    rows = server_tools("s", {"run": "Press olives."})
    assert find("press olives", rows).matches
    changed = [replace(rows[0], description="Shear sheep.")]
    assert find("shear sheep", changed).matches
    assert not find("press olives", changed).matches
    assert not find("shear sheep", []).matches


@promise("T-B19")
def test_searching_touches_neither_network_nor_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("search did I/O")

    find("warm up", MIXED)
    for target in ("socket.socket.connect", "builtins.open", "io.open", "os.open"):
        monkeypatch.setattr(target, refuse)
    assert find("create issue on github", [*MIXED, *distractors(5)]).matches


@promise("T-B20")
def test_open_issues_are_no_business_of_a_chat() -> None:
    ranking = find("list the open issues", MIXED)
    assert short(ranking.matches)[0] == "github.list_issues"
    assert not any("slack" in name for name in ranking.matches)


@promise("T-B21")
@pytest.mark.parametrize(
    ("query", "name", "description"),
    [
        ("look up this URL", "fetch_webpage", "Fetch the content of a web page."),
        ("remove directory", "delete_folder", "Delete a folder."),
        ("k8s pods", "list_pods", "List the pods of a Kubernetes cluster."),
        ("new ticket", "create_issue", "Create an issue."),
        ("book appointment", "schedule_event", "Schedule an event."),
    ],
)
def test_other_words_for_the_same_thing_find_it(query: str, name: str, description: str) -> None:
    rows = [*server_tools("s", {name: description}), *distractors(50)]
    ranking = find(query, rows)
    assert short((*ranking.matches, *ranking.weak))[0] == f"s.{name}"


@promise("T-C02")
@pytest.mark.parametrize(
    ("query", "tool"),
    [
        ("创建 issue", "create_issue"),
        ("发送邮件", "send_email"),
        ("メール 送信", "send_email"),
        ("Slack メッセージ 送信", "post_message"),
    ],
)
def test_common_words_cross_from_chinese_and_japanese(query: str, tool: str) -> None:
    assert tool in {name.rpartition("__")[2] for name in find(query, MIXED).matches}


@promise("T-C02")
@pytest.mark.parametrize("query", ["荷物を追跡", "查询股票行情", "отправить письмо", "주식 시세"])
def test_a_language_that_the_catalogue_does_not_speak_is_told(query: str) -> None:
    assert find(query, MIXED).verdict == "language"


@promise("T-C02")
def test_a_missing_capability_in_a_spoken_language_is_no_matter_of_language() -> None:
    assert find("航空券を予約", FREEE).verdict == "nothing"
    assert find("航空券 予約", FREEE).verdict == "nothing"
    assert find("upload receipt", FREEE).verdict in ("found", "language")


@promise("T-C04")
@pytest.mark.parametrize(
    ("query", "rows", "tool"),
    [
        ("取引", FREEE, "list_deals"),
        ("請求書 作成", FREEE, "create_invoice"),
        ("请求天气", AMAP, "maps_weather"),
        ("天气", AMAP, "maps_weather"),
        ("驾", AMAP, "maps_direction"),
        ("高德地图 天气查询", AMAP, "maps_weather"),
        ("証憑", FREEE, "upload"),
    ],
)
def test_tools_are_found_by_the_words_of_their_own_description(query: str, rows: list[ToolSpec], tool: str) -> None:
    ranking = find(query, [*rows, *MIXED])
    assert (*ranking.matches, *ranking.weak)[0].endswith(f"__{tool}")


@promise("RANK-FILLERS")
def test_a_polite_query_finds_what_a_bare_one_finds() -> None:
    polite, bare = find("please create a github issue", MIXED), find("create github issue", MIXED)
    assert polite.matches == bare.matches
    assert short(polite.matches)[0] == "github.create_issue"


@promise("RANK-COMMON")
@pytest.mark.parametrize("query", ["create spreadsheet", "list planets", "add numbers"])
def test_a_shared_common_word_is_no_match(query: str) -> None:
    assert find(query, MIXED).matches == ()


@promise("RANK-TYPO")
@pytest.mark.parametrize("query", ["gihtub create issue", "slakc post message", "stripe create refnud"])
def test_a_misspelt_query_finds_its_tool(query: str) -> None:
    assert find(query, MIXED).matches


@promise("RANK-SMALL")
def test_the_smallest_catalogues_can_be_searched() -> None:
    assert find("create issue", []).verdict == "nothing"
    assert find("", []).verdict == "sources"
    assert find("create issue", LINEAR[:1]).matches
    assert index_of(Catalogue.of([])).closest("x") == ()


@settings(max_examples=60, deadline=None)
@given(any_text | st.text(max_size=20).map(lambda text: f"github: {text}") | st.just("issue mail " * 5000))
def test_any_query_is_answered(query: str) -> None:
    ranking = find(query, [*MIXED, *FREEE, *AMAP])
    assert len(ranking.matches) <= 5
    assert (ranking.verdict == "found") == bool(ranking.matches)


@promise("RANK-ORDER")
def test_the_order_of_the_rows_changes_no_answer() -> None:
    shuffled = random.Random(1).sample(MIXED, len(MIXED))
    assert find("create issue", shuffled) == find("create issue", MIXED)
    twins = server_tools("s", {"b_twin": "Twin.", "a_twin": "Twin."})
    assert short(find("twin", twins).matches) == ["s.a_twin", "s.b_twin"]


@promise("RANK-CHEAP")
def test_only_what_changed_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = distractors(40)
    index = index_of(Catalogue.of(rows))
    assert index_of(Catalogue.of(reversed(rows))) is index
    read_again = []
    read = postings.read
    monkeypatch.setattr(postings, "read", lambda entry: (read_again.append(entry), read(entry))[1])
    index_of(Catalogue.of([*rows[1:], replace(rows[0], description="Something else.")]))
    assert [entry.name for entry in read_again] == [rows[0].name]


def test_more_counts_the_matches_beyond_the_limit() -> None:
    rows = server_tools("s", {f"list_pods_{letter}": "List pods." for letter in "abcdefg"})
    ranking = find("list pods", rows, 3)
    assert (len(ranking.matches), ranking.more, ranking.weak) == (3, 4, ())


@pytest.mark.parametrize(("wrong", "right"), [("create_isue", "create_issue"), ("postMessages", "post_message")])
def test_the_closest_names_are_near_in_spelling(wrong: str, right: str) -> None:
    assert any(name.endswith(right) for name in index_of(Catalogue.of(MIXED)).closest(wrong))


def test_the_closest_names_are_near_in_meaning() -> None:
    assert "mcp__gmail__send_email" in index_of(Catalogue.of(MIXED)).closest("MailSend")
