import pytest

from hermes_lite.tool_search.languages import languages
from tests.support.promises import promise
from tests.support.tool_rows import server_tools


@promise("T-C06")
@pytest.mark.parametrize(
    ("descriptions", "found"),
    [
        ([], ("English",)),
        (["Search mail.", ""], ("English",)),
        (["查询车票余票信息"], ("Chinese",)),
        (["Search mail.", "freee API の取引を一覧で取得する", "查询车票"], ("English", "Chinese", "Japanese")),
        (["Créer une tâche — déjà là"], ("English",)),
        (["Анализ состояния базы"], ("Russian",)),
        (["Translate into 日本語"], ("English",)),
    ],
)
def test_the_languages_of_the_descriptions_are_told(descriptions: list[str], found: tuple[str, ...]) -> None:
    rows = [row for n, text in enumerate(descriptions) for row in server_tools(f"s{n}", {"tool": text})]
    assert languages(rows) == found


@promise("T-C06")
def test_han_alone_is_japanese_where_the_source_has_kana() -> None:
    assert languages(server_tools("s", {"list": "取引一覧", "get": "取引を取得する"})) == ("Japanese",)


@promise("T-C06")
def test_one_tool_in_a_hundred_makes_no_language() -> None:
    rows = server_tools("s", {f"t{n}": "Search mail." for n in range(99)} | {"other": "查询车票"})
    assert languages(rows) == ("English",)
