import re
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from hermes_lite.tools.naming import MAX_NAME, server_prefixes, split, tool_names
from hermes_lite.tools.spec import Source
from tests.support.promises import promise

SERVER = Source("mcp", "server")
ANYTHING = st.text(alphabet=st.characters(exclude_categories=()), max_size=90)


def named(server: str, *originals: str) -> dict[str, str]:
    return dict(tool_names(SERVER, server_prefixes([server])[server], originals).names)


def test_a_legal_name_is_kept_under_the_configured_key() -> None:
    assert named("github", "create_issue") == {"create_issue": "mcp__github__create_issue"}


@promise("T-F01")
def test_a_long_name_is_cut_to_64_characters_and_told_by_its_hash() -> None:
    name = named("plugin_with_a_long_name", "a" * 200)["a" * 200]
    assert len(name) == MAX_NAME
    assert re.fullmatch(r"mcp__plugin_with_a_long_name__a+_[0-9a-f]{8}", name)


@promise("T-F02")
def test_two_hundred_long_names_that_differ_at_their_end_stay_apart() -> None:
    originals = [f"{'fetch_incoming_phone_number_assigned_add_on_' * 2}{n}" for n in range(200)]
    names = named("twilio", *originals)
    assert len(set(names.values())) == 200
    assert max(map(len, names.values())) <= MAX_NAME


@promise("T-F03")
def test_the_same_tool_of_two_servers_has_two_names() -> None:
    prefixes = server_prefixes(["docs", "wiki"])
    assert {tool_names(SERVER, prefix, ["search"]).names["search"] for prefix in prefixes.values()} == {
        "mcp__docs__search",
        "mcp__wiki__search",
    }


@promise("T-F04")
def test_names_that_differ_by_a_separator_stay_apart_whatever_their_order() -> None:
    names = named("s", "search-a", "search_a", "search.a", " search_a")
    assert names["search-a"] == "mcp__s__search-a"
    assert names["search_a"] == "mcp__s__search_a"
    assert len(set(names.values())) == 4
    assert named("s", " search_a", "search.a", "search_a", "search-a") == names


@promise("T-F06")
def test_server_keys_that_differ_by_a_separator_stay_apart() -> None:
    prefixes = server_prefixes(["example-server", "example_server", "example server", "example__server"])
    assert prefixes["example-server"] == "mcp__example-server__"
    assert prefixes["example_server"] == "mcp__example_server__"
    assert len(set(prefixes.values())) == 4


@promise("T-F12")
def test_a_tool_without_a_usable_name_is_dropped_and_reported() -> None:
    naming = tool_names(SERVER, "mcp__s__", ["  ", "twice", "twice", "good"])
    assert set(naming.names) == {"twice", "good"}
    assert [(drop.name, drop.reason) for drop in naming.dropped] == [
        ("  ", "its name is blank"),
        ("twice", "declared more than once"),
    ]


def test_a_name_in_another_script_is_told_by_its_hash() -> None:
    assert re.fullmatch(r"mcp__s__tool_[0-9a-f]{8}", named("s", "公众号")["公众号"])


def test_accents_are_folded() -> None:
    assert named("s", "créer")["créer"] == "mcp__s__creer"


@given(st.lists(ANYTHING, max_size=12), st.randoms())
def test_names_are_legal_unique_and_independent_of_order(originals: list[str], random: Random) -> None:
    names = named("s", *originals)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in names.values())
    assert len(set(names.values())) == len(names)
    shuffled = list(originals)
    random.shuffle(shuffled)
    assert named("s", *shuffled) == names


@given(st.lists(ANYTHING, min_size=2, max_size=5, unique=True), st.lists(ANYTHING, min_size=1, max_size=4))
def test_no_two_tools_of_any_servers_share_a_name(keys: list[str], originals: list[str]) -> None:
    named = [tool_names(SERVER, prefix, originals).names for prefix in server_prefixes(keys).values()]
    every = [name for names in named for name in names.values()]
    assert len(set(every)) == len(every)


@given(ANYTHING, ANYTHING.filter(str.strip))
def test_a_name_splits_where_it_was_joined(key: str, original: str) -> None:
    prefix = server_prefixes([key])[key]
    name = tool_names(SERVER, prefix, [original]).names[original]
    assert split(name) == (prefix, name.removeprefix(prefix))
