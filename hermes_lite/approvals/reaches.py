"""The words by which a command reaches further than its name says: they start another program, write a file, or take
their orders from one.

Whoever allows `git diff*` means looking at differences, not `git diff --output=x`; whoever allows `find*` does not
mean `find . -delete`. A rule covers such a word only where it spells it out (`git diff --output=*`). A word that is
open until the shell runs counts as one wherever it may turn out to be one. A program that is not listed here has
none: its name says all it does.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hermes_lite.approvals.shell import Command, Word


@dataclass(frozen=True, slots=True)
class _Reach:
    """`long` options, which may be shortened as getopt allows; `short` ones, which stand in bunches; `single` ones,
    whole words after one dash. `words` is what any other word must not be, `first` what the first operand must be."""

    long: tuple[str, ...] = ()
    short: frozenset[str] = frozenset()
    single: frozenset[str] = frozenset()
    words: re.Pattern[str] | None = None
    first: re.Pattern[str] | None = None


def _reach(options: str = "", words: str = "", first: str = "") -> _Reach:
    each = options.split()
    return _Reach(
        long=tuple(option for option in each if option.startswith("--")),
        short=frozenset(option[1] for option in each if len(option) == 2),
        single=frozenset(option for option in each if len(option) > 2 and option[1] != "-"),
        words=re.compile(words, re.DOTALL) if words else None,
        first=re.compile(first, re.DOTALL) if first else None,
    )


_NOTHING = _reach()
_GIT_DIFF = _reach("--ext-diff --output --output-directory")
_GIT_WIRE = _reach("--upload-pack --receive-pack --exec", r"ext::.*")
# git starts what its settings name, so that changing them is starting something.
_GIT_ORDERS = (
    r"ext::.*|alias|bisect|config|credential.*|daemon|difftool|filter-branch|foreach|for-each-repo|hook|init"
    r"|instaweb|maintenance|mergetool|send-email|shell|submodule|upload-.*|receive-pack|remote-.*|worktree"
)
_SED_PLACE = r"(?:\d+|\$|/(?:[^/\\\n]|\\.)*/)"
_SED_ENDS = (re.escape(char) for char in "/|,#:")
_SED_SWAP = "|".join(rf"s{end}(?:(?:[^{end}\\\n]|\\.)*{end}){{2}}[gpiI\d]*" for end in _SED_ENDS)
_SED_LOOKS = rf"(?:{_SED_PLACE}(?:,\s*[+~]?{_SED_PLACE})?\s*!?\s*)?(?:[pdqD=]|{_SED_SWAP})"
# What a builtin of the shell takes for a name: one that changes how programs are found or run, or a subscript, which
# is counted out and may run things.
_SETTING = r"(?!(?:LANG|LC_[A-Z]+|TZ)=)[A-Z_]\w*(?:\+?=.*)?|(?:path|fpath|cdpath)(?:=.*)?|.*\[.*"
_BUILTIN = _reach("-C -F -n -p -i", _SETTING)

_REACHES: Mapping[str, _Reach] = {
    **dict.fromkeys(
        ("git diff", "git log", "git show", "git stash", "git whatchanged", "git format-patch"), _GIT_DIFF
    ),
    **dict.fromkeys(("git push", "git fetch", "git pull", "git ls-remote", "git remote"), _GIT_WIRE),
    "git clone": _reach("-c -u --config --upload-pack --template --separate-git-dir", r"ext::.*"),
    "git grep": _reach("-O --open-files-in-pager"),
    "git rebase": _reach("-x --exec"),
    "git archive": _reach("-o --output --exec --remote"),
    "git bisect": _reach("", r"run|view|visualize"),
    "git submodule": _reach("", r"foreach|add|set-url|ext::.*"),
    "git config": _reach("-f --file --add --unset-all --edit -e", r".*=.*|.+!.*|!.*"),
    **dict.fromkeys(("git difftool", "git mergetool"), _reach("-x -t --extcmd --tool")),
    **dict.fromkeys(
        (
            *("git status", "git add", "git commit", "git switch", "git checkout", "git restore", "git tag"),
            *("git merge", "git branch", "git reset", "git rm", "git mv", "git ls-files", "git rev-parse"),
            *("git blame", "git describe", "git shortlog", "git cherry-pick", "git revert"),
        ),
        _NOTHING,
    ),
    "git": _reach(
        "-c -C -p -x -O --config-env --exec-path --git-dir --work-tree --exec --ext-diff --output --extcmd --config"
        " --open-files-in-pager --upload-pack --receive-pack --template --paginate",
        _GIT_ORDERS,
    ),
    "find": _reach("-delete -exec -execdir -ok -okdir -fprint -fprint0 -fprintf -fls"),
    "rg": _reach("--pre --hostname-bin"),
    "sort": _reach("-o -T --output --compress-program --temporary-directory --files0-from"),
    "tree": _reach("-o -R"),
    "date": _reach("-s --set"),
    "split": _reach("--filter"),
    "sed": _reach(
        "-e -f -i -l -s --expression --file --in-place --line-length", first=rf"{_SED_LOOKS}(?:;\s*{_SED_LOOKS})*"
    ),
    **dict.fromkeys(
        ("awk", "gawk", "mawk", "nawk"),
        _reach("-f -i -l -e -E -o -d -p -D --file --include --load --source --exec", r".*(?:system|getline|[|>@]).*"),
    ),
    "tar": _reach(
        "-I -F --use-compress-program --checkpoint-action --to-command --info-script --new-volume-script"
        " --rsh-command --rmt-command",
        r"[A-Za-z]*[IF][A-Za-z]*",
    ),
    "zip": _reach("-TT --unzip-command"),
    "rsync": _reach("-e -M --rsh --rsync-path --remote-option --config"),
    **dict.fromkeys(("ssh", "scp", "sftp"), _reach("-o -F -S -D -L -R -E -I")),
    "man": _reach("-P -H -K -C --pager --html --config-file"),
    "less": _reach("-k -o -O --lesskey-file --lesskey-src --lesskey-content --log-file", r"\+.*"),
    **dict.fromkeys(("vi", "vim", "nvim", "view"), _reach("-c -S -s -u -U -i -W --cmd --startuptime", r"\+.*")),
    **dict.fromkeys(
        ("npm", "pnpm", "yarn", "npx", "bun"),
        _reach("-C --script-shell --prefix --node-options --userconfig --globalconfig --reporter --cwd --dir"),
    ),
    "make": _reach("-f -C -I --eval --file --makefile --directory --include-dir", r"\w+\s*[:+?!]?=.*"),
    "cargo": _reach("-C -Z --config --manifest-path"),
    "go": _reach("-C -exec -toolexec -vettool -overlay -modfile -ldflags -gcflags -o"),
    "pytest": _reach("-p -c -o --config-file --rootdir --override-ini --pdbcls --basetemp --confcutdir"),
    "tox": _reach("-c -x --conf --override --workdir"),
    "mypy": _reach("--config-file --python-executable --install-types --custom-typeshed-dir"),
    "eslint": _reach("-c -o --config --rulesdir --plugin --parser --resolve-plugins-relative-to --output-file"),
    "prettier": _reach("--config --plugin"),
    "tsc": _reach("-p --project --outDir --outFile"),
    "docker": _reach("-H -c --host --config --context"),
    "kubectl": _reach("-s --kubeconfig --server --token --as"),
    "curl": _reach(
        "-o -O -K -T -c -D --output --remote-name --config --upload-file --cookie-jar --dump-header --trace"
    ),
    "wget": _reach("-O -P -e -i -o -a --output-document --directory-prefix --execute --use-askpass --config"),
    **dict.fromkeys(("declare", "typeset", "local", "export", "readonly", "unset"), _BUILTIN),
    **dict.fromkeys(("read", "mapfile", "readarray", "getopts", "let", "wait", "printf", "test", "["), _BUILTIN),
    **dict.fromkeys(("compgen", "complete"), _BUILTIN),
}
_LONGEST_NAME = 2
_PLAIN_OPEN = re.compile(r"[\w./@%+:,=][^$`]*")
_QUOTED_OPEN = re.compile(r'"[\w./@%+:,= ][^"]*"')


def reaches(command: Command) -> Iterator[Word]:
    """The words of `command` that its program's name does not cover."""
    name, reach = _named(command)
    operands = 0
    for word in command.words[name:]:
        is_option = word.known and word.text[:1] == "-" and word.text != "-"
        operands += not is_option
        if not word.known:
            reached = _may_reach(word.text, reach)
        elif is_option:
            reached = _is_reaching_option(word.text, reach)
        else:
            reached = _is_reaching_word(word.text, reach, operands == 1)
        if reached:
            yield word


def _named(command: Command) -> tuple[int, _Reach]:
    """How many words name what is done, and how far that reaches."""
    texts = [command.name, *(word.text for word in command.words[1:_LONGEST_NAME] if word.known)]
    for length in range(len(texts), 0, -1):
        reach = _REACHES.get(" ".join(texts[:length]))
        if reach is not None:
            return length, reach
    return 1, _NOTHING


def _is_reaching_option(text: str, reach: _Reach) -> bool:
    name = text.partition("=")[0]
    if name.startswith("--"):
        return len(name) > 2 and any(option.startswith(name) for option in reach.long)
    return name in reach.single or bool(reach.short & set(text[1:]))


def _is_reaching_word(text: str, reach: _Reach, is_first: bool) -> bool:
    if is_first and reach.first is not None:
        return not reach.first.fullmatch(text)
    return reach.words is not None and reach.words.fullmatch(text) is not None


def _may_reach(text: str, reach: _Reach) -> bool:
    """Whether an open word may become one of those; one that surely begins like an operand may not be an option."""
    if reach == _NOTHING or _PLAIN_OPEN.fullmatch(text):
        return False
    return not (_QUOTED_OPEN.fullmatch(text) and reach.words is None and reach.first is None)
