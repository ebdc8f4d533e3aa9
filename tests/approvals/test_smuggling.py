"""What a rule allows never runs what its author would be surprised by."""

import pytest

from tests.approvals.judging import verdict
from tests.approvals.smuggling import RULES, SMUGGLED, SMUGGLED_LINES
from tests.support.promises import promise

MEANT = r"""
git diff --stat HEAD~1 -- src/*.py
git log -p --oneline -5
git commit -am "fix $x"
git commit -m "$(date)"
git push -u origin main
git checkout -b x
git add *.py
find src -type f -name '*.py' -print
sed -n '1,5p' f
sed -n '/a b/,/c/p' f
sed 's/a/b/g;s|c|d|' f
awk -F , '{s+=$2} END {print s}' f
tar -xzf a.tar.gz
tar xzf a.tgz -C out
tar czf a.tgz src/*
npm test -- --watch=false
make all -j8
pytest -x tests -k 'a and b'
cargo test --release
go test ./...
curl -sSL -H 'a: b' https://x
sort -k2,2 -u f
rsync -av a b
ssh host ls
cd sub && npm test
cd ./sub/dir && make all
NO_COLOR=1 npm test
env NO_COLOR=1 npm test
timeout 5 git status
x=5; echo "$x"
"""


@promise("APPROVE.meant")
@pytest.mark.parametrize("kind", SMUGGLED)
def test_no_rule_lets_through_what_its_author_did_not_mean(kind: str) -> None:
    rows = SMUGGLED[kind].strip().split("\n")
    assert [text for text in rows if verdict(text, allow=RULES).decision == "allow"] == []


@promise("APPROVE.meant")
def test_a_second_line_is_never_part_of_the_first() -> None:
    assert [text for text in SMUGGLED_LINES if verdict(text, allow=RULES).decision == "allow"] == []


@promise("APPROVE.meant")
def test_a_rule_allows_what_its_author_meant() -> None:
    rules = [*RULES, "git commit*", "git add*", "git checkout*"]
    asked = {text: verdict(text, allow=rules) for text in MEANT.strip().split("\n")}
    assert {text: answer.reason for text, answer in asked.items() if answer.decision != "allow"} == {}


@promise("APPROVE.meant")
@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("git diff --output=*", "git diff --output=x"),
        ("find . -delete", "find . -delete"),
        ("find . -name * -delete", "find . -name '*.pyc' -delete"),
        ("sed -i s/a/b/ *", "sed -i s/a/b/ f"),
        ("curl -o out.json *", "curl -o out.json https://x"),
        ("git -C sub status*", "git -C sub status -s"),
        ("make CC=clang*", "make CC=clang all"),
        ("FOO=1 npm test", "FOO=1 npm test"),
        ("*", "git diff --output=x; cd /evil; npm test"),
    ],
)
def test_a_rule_that_spells_it_out_means_it(rule: str, text: str) -> None:
    assert verdict(text, allow=[rule]).decision == "allow"


@promise("APPROVE.meant")
def test_a_command_elsewhere_offers_no_rule_to_keep() -> None:
    answer = verdict("cd /evil && npm test", allow=["npm test"])
    assert (answer.decision, answer.suggestion) == ("ask", ())
