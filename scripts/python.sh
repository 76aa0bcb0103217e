# Sourced by the other scripts: find a Python that can make the virtual environment they need.
#
# $PYTHON decides, where it is set: a command, a path, or a version such as 3.12. Otherwise it is
# the newest of 3.14 to 3.11 that really starts, on PATH or among pyenv's versions. A name on PATH
# proves nothing: pyenv puts a command there for every version it has, also for those it won't run.

usable() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

# Debian ships Python without the module that puts pip into a virtual environment.
has_venv() {
    command -v uv >/dev/null 2>&1 || "$1" -c 'import ensurepip, venv' >/dev/null 2>&1
}

# python_of VERSION: print the first Python of that version that starts, those with venv first.
python_of() {
    second_best=
    for candidate in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1"*/bin/python; do
        usable "$candidate" || continue
        if has_venv "$candidate"; then
            printf '%s\n' "$candidate"
            return
        fi
        [ -n "$second_best" ] || second_best=$candidate
    done
    [ -n "$second_best" ] && printf '%s\n' "$second_best"
}

fail() {
    printf '%s: %s\n' "${0##*/}" "$1" >&2
    shift
    for line in "$@"; do printf '  %s\n' "$line" >&2; done
    exit 1
}

find_python() {
    case ${PYTHON-} in
    '')
        python=
        for version in 3.14 3.13 3.12 3.11; do
            found=$(python_of "$version") || continue
            python=$found
            has_venv "$found" && break
        done
        for found in python3 python; do
            [ -z "$python" ] && usable "$found" && python=$found
        done
        if [ -z "$python" ] && command -v uv >/dev/null 2>&1; then
            python=$(uv python find '>=3.11' 2>/dev/null) ||
                { uv python install 3.13 >&2 && python=$(uv python find 3.13); } || python=
        fi
        [ -n "$python" ] || fail 'no Python 3.11 or newer was found.' \
            'Install one (https://www.python.org/downloads/ or your package manager),' \
            'or name it: PYTHON=/path/to/python3.12' "$0"
        ;;
    [0-9].[0-9]*)
        python=$(python_of "$PYTHON") || fail "no Python $PYTHON that starts was found."
        ;;
    *)
        python=$PYTHON
        usable "$python" ||
            fail "PYTHON=$PYTHON does not start, or is older than Python 3.11."
        ;;
    esac
    has_venv "$python" || fail "$python cannot make virtual environments." \
        'On Debian and Ubuntu that is a package of its own: apt install python3-venv' \
        'Or install uv, or name another Python: PYTHON=/path/to/python3.12'
}
