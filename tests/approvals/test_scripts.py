"""Shell scripts, command by command."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_lite.approvals.launchers import parts
from hermes_lite.approvals.rules import exactly
from hermes_lite.approvals.shell import Unreadable
from tests.approvals.judging import always, verdict
from tests.support.promises import promise

FREE = r"""
ls -la
pwd; whoami
git status -s && git log --oneline -5
git diff --stat HEAD~1 -- src
cat a.txt | grep -n x | sort -u | head -5
find . -name '*.py' -type f
wc -l *.py
cat "$HOME/x" $(ls)
for f in *.py; do cat "$f"; done
if [ -f x ]; then cat x; else ls; fi
cat x >/dev/null 2>&1
cat < in.txt
timeout 5 env LC_ALL=C nice -n 5 git status
sh -c 'ls && pwd'
x=5; echo $x
cd sub && ls
command -v git
echo $((1 + 2)) "${x:-y}" `ls`
cat <(ls) <<< word
"""

ASKS = r"""
ls > out
ls >> ~/.bashrc
cat < /dev/tcp/10.0.0.1/80
ls | tee x
git log --output=x
git diff --ext-diff
git -c core.pager=evil log
cd sub && git status
git branch new
sort -o x y
sort --compress-program=evil x
find . -delete
find . -fprint x
find . -exec cat {} \;
rg --pre evil x
uniq a b
tree -o x
date 010101
./ls
/tmp/bin/cat x
PATH=. ls
GIT_PAGER=evil git log
export PATH=.; ls
PATH=.; ls
https_proxy=evil ls
for PATH in .; do ls; done
X=$(cmd) ls
env -S 'ls'
env PATH=. ls
sudo ls
xargs cat
python -c 'print(1)'
node x.js
awk 'BEGIN{system("x")}'
eval "$X"
bash -c "$X"
echo x | sh
bash script.sh
bash < script.sh
. ./env.sh
trap 'ls' EXIT
alias ls=x
ls() { x; }; ls
function ls { x; }
echo $((x))
echo ${!x} ${x@P}
[[ -v a[0] ]]
test -v 'a[$(x)]'
[ $x ]
a=(1 $(x))
printf -v x y
let x=1
coproc x
read x
ls &>out
exec >out
: > out
"""

DRESSES = r"""
rm x
/bin/rm x
\rm x
'rm' x
r''m x
"rm" x
ls; rm x
ls && rm x
ls | rm x
ls & rm x
(rm x)
{ rm x; }
! rm x
if rm x; then ls; fi
for i in 1; do rm x; done
case x in x) rm x;; esac
echo $(rm x)
echo `rm x`
echo "a $(rm x) b"
cat <(rm x)
x=$(rm x)
sh -c 'rm x'
/bin/sh -c 'rm x'
./sh -c 'rm x'
bash -lc "rm x"
bash -c 'bash -c "rm x"'
eval rm x
eval 'rm' x
trap 'rm x' EXIT
env rm x
env A=b rm x
env -i -u X rm x
env -S 'rm x'
/usr/bin/env --weird rm x
timeout -s KILL 5 rm x
nice -n5 rm x
nohup rm x
time rm x
command rm x
exec rm x
builtin exec rm x
sudo -u root rm x
sudo A=b rm x
xargs -n 1 rm
xargs --unknown rm
find . -exec rm {} +
find . -name x -ok rm {} ;
busybox rm x
A=b rm x
rm > /dev/null x
>/dev/null rm x
coproc rm x
f() { rm x; }; f
ssh host rm x
watch -n 1 rm x
"""


@promise("APPROVE.looks", "APPROVE.parts")
@pytest.mark.parametrize("text", [*FREE.split("\n")[1:-1], "bash <<'E'\nls\nE", "cat <<E\n$(ls) $x\nE"])
def test_what_can_only_look_runs_unasked(text: str) -> None:
    assert verdict(text).decision == "allow", verdict(text).reason


@promise("APPROVE.looks", "APPROVE.parts")
@pytest.mark.parametrize("text", [*ASKS.split("\n")[1:-1], "cat <<E\n$(x)\nE", "bash <<'E'\nx\nE"])
def test_what_may_write_start_or_send_asks(text: str) -> None:
    assert verdict(text).decision == "ask"


@promise("S-E2")
@pytest.mark.parametrize(
    ("pattern", "text", "decision"),
    [
        ("make*", "make", "allow"),
        ("make*", "make all -j", "allow"),
        ("make*", "makefoo", "ask"),
        ("make*", "make; x", "ask"),
        ("make*", "make && x", "ask"),
        ("make*", "make\nx", "ask"),
        ("make*", "make | x", "ask"),
        ("make*", "make & x", "ask"),
        ("make*", "make $(x)", "ask"),
        ("make*", "make > f", "ask"),
        ("make*", "./make", "ask"),
        ("make*", "CC=evil make", "ask"),
        ("CC=gcc make*", "CC=gcc make all", "allow"),
        ("git push*", "git push origin", "allow"),
        ("git push*", "git pushy", "ask"),
        ("git push*", 'git "push origin"', "ask"),
        ("git*", "git-evil", "ask"),
        ("npm run test:*", "npm run test:unit -- -x", "allow"),
        ("npm run test:*", "npm run lint", "ask"),
        ("npm run *", "npm run x y", "allow"),
        ("npm run", "npm run x", "ask"),
        ("./scripts/*", "./scripts/check", "allow"),
        ("./scripts/*", "./scripts/../evil", "ask"),
        ("cp * dest", "cp a dest", "allow"),
        ("cp * dest", "cp a b dest", "ask"),
        ("mkdir 'a b'", "mkdir 'a b'", "allow"),
        ("kill ?", "kill 5", "allow"),
        ("kill ?", "kill 55", "ask"),
        ("*", "anything at > all; f() { x; }", "allow"),
    ],
)
def test_patterns_are_matched_word_by_word(pattern: str, text: str, decision: str) -> None:
    assert verdict(text, allow=[pattern]).decision == decision


@promise("S-E3")
def test_a_substitution_in_an_assignment_is_judged() -> None:
    assert verdict("X=$(cmd) npm -v", allow=["npm*"]).decision == "ask"
    assert verdict("x=$(rm y) ls", deny=["rm*"]).decision == "deny"


@promise("S-E4")
def test_a_heredoc_hides_neither_a_redirection_nor_an_assignment() -> None:
    text = "PATH=./evil cat <<E > f\nhello\nE"
    assert verdict(text, allow=["cat*"]).decision == "ask"
    assert set(always(text)) == {"'>' f", "PATH=./evil cat"}
    assert verdict("cat <<E | sh\nls\nE", allow=["cat*"]).decision == "ask"
    assert verdict("bash <<E < other\nls\nE").decision == "ask"


@promise("S-E6")
def test_the_body_of_a_quoted_heredoc_is_data_unless_a_shell_reads_it() -> None:
    assert verdict("cat <<'E'\nrm -rf $(x)\nE", deny=["rm*"]).decision == "allow"
    assert verdict("bash <<'E'\nrm x\nE", deny=["rm*"]).decision == "deny"


@promise("S-E7", "APPROVE.always")
@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("git commit -m 'x y'", ["git commit*"]),
        ("npm run test -- -x", ["npm run test*"]),
        ("pytest -x tests", ["pytest*"]),
        ("make all && mkdir out", ["make all*", "mkdir*"]),
        ("pytest -p evil", ["pytest -p evil"]),
        ("pytest $x", []),
        ("python x.py", ["python x.py"]),
        ("python -c 'import os'", ["python -c 'import os'"]),
        ("node -e 1", ["node -e 1"]),
        ("sudo make all", ["sudo make all"]),
        ("xargs git add", ["xargs git add"]),
        ("find . -exec touch x \\;", ["find . -exec touch x ';'"]),
        ("awk 'system(x)' f", ["awk 'system(x)' f"]),
        ("env -S 'make all'", ["env -S 'make all'"]),
        ("rm a", ["rm a"]),
        ("rm 'a*[b]'", ["rm 'a[*][[]b]'"]),
        ("curl https://x.y", ["curl https://x.y"]),
        ("git -c a=b commit", ["git -c a=b commit"]),
        ("git push", ["git push"]),
        ("python $x", []),
        ("make all; python $x", []),
        ("f() { x; }", []),
    ],
)
def test_always_proposes_the_narrowest_rules(text: str, rules: list[str]) -> None:
    assert always(text) == rules
    if rules:
        assert verdict(text, allow=rules).decision == "allow"


@promise("APPROVE.parts")
@pytest.mark.parametrize("text", DRESSES.split("\n")[1:-1])
def test_no_dress_hides_a_denied_command(text: str) -> None:
    for mode in ("ask", "yolo", "auto-edit", "deny"):
        assert verdict(text, mode=mode, allow=["*"], deny=["rm*"]).decision == "deny"


@pytest.mark.parametrize("text", ["$X x", "${X} y", "$(echo rm) x", "r$X x", "*m x", "{rm,-rf,x}", "$'\\x72m' x"])
def test_a_command_that_may_be_a_denied_one_never_passes_unseen(text: str) -> None:
    assert verdict(text, allow=["*"], deny=["rm*"]).decision == "ask"
    assert verdict(text, mode="yolo", deny=["rm*"]).decision == "deny"


@pytest.mark.parametrize(
    "text",
    [
        "git status\n\\rm x",
        "echo ${R#$(rm x)}",
        "command <f rm x",
        "env }A=b rm x",
        "echo rm x | sh",
        "echo rm x | bash -s",
        'bash -c "$X"',
        'eval "$X"',
        "source <(echo rm x)",
    ],
)
def test_what_a_real_shell_has_shown_to_slip_through_stays_caught(text: str) -> None:
    assert verdict(text, allow=["*"], deny=["rm*"]).decision != "allow"
    assert verdict(text, mode="yolo", deny=["rm*"]).decision == "deny"


def test_an_open_word_is_doubtful_only_where_it_could_make_the_difference() -> None:
    assert verdict("git push $X", allow=["git push*"], deny=["git push --force*"]).decision == "ask"
    assert verdict("git add $X", allow=["git add*"], deny=["rm*"]).decision == "allow"
    assert verdict("git push --force $X", allow=["git push*"], deny=["git push --force*"]).decision == "deny"


def test_a_launcher_allowed_by_a_prefix_does_not_bring_its_command_along() -> None:
    assert verdict("find . -exec rm {} +", allow=["find*"]).decision == "ask"
    assert verdict("xargs rm", allow=["xargs*"]).decision == "ask"
    assert verdict("sudo rm x", allow=["sudo*"]).decision == "ask"
    assert verdict("sudo rm x", allow=["sudo rm x"]).decision == "allow"


@promise("S-E11")
@pytest.mark.parametrize(
    "text",
    [
        *("ls (", "ls 'x", "if ls", "ls <<", "ls\u202e", "ls\u00a0x", "l\\\ns", "ls \x1b[1m", "=(ls)", "ls >("),
        "echo " + "$(echo " * 80 + ")" * 80,
        "sh -c 'sh -c \"sh -c ls",
    ],
)
def test_what_the_parser_cannot_read_asks_and_offers_nothing_to_keep(text: str) -> None:
    answer = verdict(text, allow=["ls*", "echo*"])
    assert (answer.decision, answer.suggestion) == ("ask", ())


VISIBLE = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf", "Zl", "Zp", "Co", "Cn"]), min_size=1)


@given(st.lists(VISIBLE, min_size=1, max_size=4))
def test_a_rule_kept_to_the_letter_covers_its_command_and_no_longer_one(words: list[str]) -> None:
    text = " ".join("'" + word.replace("'", "'\"'\"'") + "'" for word in words)
    try:
        found, longer = parts(text), parts(text + " more")
    except Unreadable:
        return
    if len(found) == 1:
        rule = exactly("terminal", found[0].command)
        assert rule.is_exact
        assert rule.covers(found[0].command)
        assert not any(rule.covers(part.command) for part in longer)
