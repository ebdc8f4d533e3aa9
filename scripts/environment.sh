# Sourced by the scripts beside it: makes environments from lock files, once.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

die() {
    printf '%s: %s\n' "$(basename "$0")" "$1" >&2
    exit 1
}

# The first Python on this machine that is new enough.
find_python() {
    local candidate
    for candidate in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11 python; do
        if command -v "$candidate" >/dev/null 2>&1 &&
            "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            printf '%s' "$candidate"
            return
        fi
    done
    die "Python 3.11 or newer was not found. Install it, or name one: PYTHON=/path/to/python $0"
}

# environment DIR LOCK...: a virtual environment in DIR with what the locks name; a lock that is in already costs nothing.
environment() {
    local folder=$1 stamp lock mark
    shift
    for lock in "$@"; do
        mark="$folder/.installed-$(basename "$lock" .lock)"
        stamp=$(cksum <"$lock")
        [ -f "$mark" ] && [ "$(cat "$mark")" = "$stamp" ] && continue
        printf 'Setting up %s from %s (once; about a minute) ...\n' "${folder#"$root"/}" "${lock#"$root"/}" >&2
        if [ ! -x "$folder/bin/python" ]; then
            "$(find_python)" -m venv "$folder" ||
                die "no virtual environment could be made. On Debian and Ubuntu: apt install python3-venv"
        fi
        "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r "$lock" ||
            die "the packages of ${lock#"$root"/} could not be installed; is the package index reachable?"
        printf '%s' "$stamp" >"$mark"
    done
}

# product DIR: the product itself, from this checkout, in the environment DIR.
product() {
    local folder=$1
    [ "$("$folder/bin/python" -c 'import hermes_lite; print(hermes_lite.__path__[0])' 2>/dev/null)" = "$root/hermes_lite" ] &&
        [ -x "$folder/bin/hermes-lite" ] && return
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e "$root" ||
        die "the checkout could not be installed into ${folder#"$root"/}"
}

# packages DIR LOCKS: what the npm lock in the folder LOCKS names, in DIR. They are optional: without Node 20, or when
# they cannot be had, the tests that need them say so and are skipped.
packages() {
    local folder=$1 locks=$2 stamp
    command -v npm >/dev/null && node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' 2>/dev/null || return 0
    stamp=$(cksum <"$locks/package-lock.json")
    [ "$(cat "$folder/.installed" 2>/dev/null)" = "$stamp" ] && return
    printf 'Setting up %s from %s (once; some seconds) ...\n' "${folder#"$root"/}" "${locks#"$root"/}" >&2
    mkdir -p "$folder"
    cp "$locks/package.json" "$locks/package-lock.json" "$folder"
    if (cd "$folder" && npm ci --silent --ignore-scripts --no-audit --no-fund >&2); then
        printf '%s' "$stamp" >"$folder/.installed"
    else
        printf '%s: the npm packages could not be installed; their tests are skipped\n' "$(basename "$0")" >&2
    fi
}
