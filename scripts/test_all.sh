#!/bin/sh
# Run the suite on each of Python 3.11, 3.12 and 3.13 that is on PATH or under ~/.pyenv/versions.
set -u
cd "$(dirname "$0")/.."

runs_as() { [ "$("$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)" = "$2" ]; }

find_version() {
    for candidate in "python$1" python3 "$HOME/.pyenv/versions/$1".*/bin/python; do
        if runs_as "$candidate" "$1"; then
            echo "$candidate"
            return
        fi
    done
}

failed=
ran=
for version in 3.11 3.12 3.13; do
    python=$(find_version "$version")
    if [ -z "$python" ]; then
        echo "Python $version: not found, skipped"
        continue
    fi
    venv=.venv-$version
    echo "Python $version: $python"
    if { [ -e "$venv/.ready-test" ] && [ "$venv/.ready-test" -nt pyproject.toml ]; } || sh scripts/setup.sh "$venv" test "$python"; then
        "$venv/bin/python" -m pytest -q && ran="$ran $version" || failed="$failed $version"
    else
        failed="$failed $version"
    fi
done
[ -z "$failed" ] || { echo "failed on Python$failed"; exit 1; }
[ -n "$ran" ] || { echo "no suitable Python was found"; exit 1; }
echo "passed on Python$ran"
