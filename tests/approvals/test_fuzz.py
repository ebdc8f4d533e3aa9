"""What is allowed is run in a real shell whose programs only write down that they were called."""

import contextlib
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_lite.approvals.harmless import is_harmless
from hermes_lite.approvals.shell import Command, Word
from tests.approvals.judging import verdict
from tests.support.promises import promise

BASH = shutil.which("bash")
RECORDED = ("git", "rm", "foo", "ls", "cat", "sudo", "grep", "wc")
REAL = ("env", "timeout", "xargs", "find", "nice", "nohup", "sh", "bash", "setsid")
COMMANDS = (
    *r"""
rm x
'rm' x
"rm" x
\rm x
r''m x
$'rm' x
${Z:-rm} x
$R x
r* x
{rm,x}
git status
git status -s
git push
git $R
'git status'
foo a
foo $R
foo 'rm x'
foo "a b"
a=b foo
ls
cat f
cat < f
wc -l
echo rm x
x=rm
R=rm
PATH=.
cd .
true
# rm x
eval
--
""".strip().split("\n"),
    *("r\\\nm x", "rm\tx"),
)
DRESSES = (
    *r"""
{}
$({})
foo $({})
`{}`
echo `echo \`{}\``
""{}
echo ${R:x}; x='a[$({})]'
x='a[$({})]'; echo ${R:x}
echo "$({})"
echo \$({})
echo "\$({})"
({})
( ( {} ) )
{ {}; }
! {}
foo <({})
foo # {}
foo '{}'
foo "{}"
foo <<< "$({})"
if {}; then {}; fi
for i in a; do {}; done
while {}; do {}; break; done
case x in x) {};; esac
select i in a; do {}; done
f() { {}; }; f
sh -c '{}'
bash -c "{}"
bash <<< '{}'
eval '{}'
eval {}
trap '{}' EXIT
env {}
env A=b {}
timeout 5 {}
nice -n 5 {}
nohup {}
setsid {}
command {}
builtin {}
exec {}
time {}
coproc {}
sudo {}
xargs {} </dev/null
find . -maxdepth 0 -exec {} \;
source <({})
echo {} | sh
echo '{}' | bash -s
x=$({}) foo
a=( $({}) )
export R=$({})
declare R=$({})
[[ -n $({}) ]]
echo $(( $({}) 1 ))
echo ${R:-$({})}
echo ${R#$({})}
{} > out
{} >/dev/null
{} 2>&1
<f {}
""".strip().split("\n"),
    *("cat <<E\n{}\nE\n", "cat <<'E'\n{}\nE\n", "bash <<'E'\n{}\nE\n", "bash <<E\n{}\nE\n", "cat <<-E\n\t{}\n\tE\n"),
    *("cat <<E | bash\n{}\nE\n", "{} <f <<E\nrm x\nE\n"),
)
JOINTS = ("; ", " && ", " || ", " | ", "\n", " & ", " |& ", ";;", " ")
SMALL = st.sampled_from(
    [*";|&\n\"'\\$(){}<>#!`*? \t=~[]", "<<E", "$(", "rm ", "E\n", "\\\n", "\r", "&&", "'\\''", "}"]
)


@st.composite
def scripts(draw: st.DrawFn) -> str:
    """A script of known commands in odd dresses, then with a few characters put in or taken out at random."""
    text = draw(st.sampled_from(COMMANDS))
    for _ in range(draw(st.integers(0, 4))):
        dress = draw(st.sampled_from(DRESSES))
        text = dress.replace("{}", text)
        if draw(st.booleans()):
            pair = [text, draw(st.sampled_from(COMMANDS))]
            text = draw(st.sampled_from(JOINTS)).join(draw(st.permutations(pair)))
    for _ in range(draw(st.sampled_from([0, 0, 1, 2, 3]))):
        place = draw(st.integers(0, len(text)))
        text = text[:place] + draw(SMALL) + text[place + draw(st.integers(0, 1)) :]
    return text


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with recording programs in `bin`, their record in `log` (one file a call), and `work` to run in."""
    folder = tmp_path_factory.mktemp("bench")
    programs = folder / "bin"
    programs.mkdir()
    for name in RECORDED:
        program = programs / name
        record = f'printf "%s\\0" {name} "$@" > {folder}/log/$$'
        program.write_text(f'#!{BASH}\n{record}\n[ {name} != sudo ] || "$@"\n')
        program.chmod(0o755)
    for name in REAL:
        (programs / name).symlink_to(str(shutil.which(name)))
    return folder


def ran(text: str, bench: Path) -> list[list[str]]:
    """The recorded programs, each with its arguments, that a real shell starts for `text`."""
    log, work = bench / "log", bench / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    (work / "f").touch()
    shutil.rmtree(log, ignore_errors=True)
    log.mkdir()
    with contextlib.suppress(subprocess.TimeoutExpired):  # a loop that chance made endless
        subprocess.run(
            [str(BASH), "-c", text],
            cwd=work,
            env={"PATH": str(bench / "bin"), "R": "rm", "HOME": str(work)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=2,
            check=False,
        )
    return [entry.read_bytes().decode().split("\0")[:-1] for entry in sorted(log.iterdir())]


@promise("APPROVE.fuzz")
@pytest.mark.skipif(BASH is None, reason="needs bash")
@settings(max_examples=120, deadline=None)
@given(text=scripts())
def test_what_runs_unasked_runs_only_what_was_allowed(bench: Path, text: str) -> None:
    if "\0" in text or verdict(text, allow=["foo*", "git push"], deny=["rm*"]).decision != "allow":
        return
    for words in ran(text, bench):
        command = Command(tuple(Word(word) for word in words))
        assert words[0] == "foo" or words == ["git", "push"] or is_harmless(command), words
    assert [file.name for file in (bench / "work").iterdir()] == ["f"]


@promise("APPROVE.fuzz")
@pytest.mark.skipif(BASH is None, reason="needs bash")
@settings(max_examples=120, deadline=None)
@given(text=scripts())
def test_what_yolo_lets_through_never_runs_a_denied_command(bench: Path, text: str) -> None:
    if "\0" in text or verdict(text, mode="yolo", deny=["rm*"]).decision != "allow":
        return
    assert [words for words in ran(text, bench) if words[0] == "rm"] == []
