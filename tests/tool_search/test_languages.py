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
    assert languages(server_tools("s", {f"t{n}": text for n, text in enumerate(descriptions)})) == found
