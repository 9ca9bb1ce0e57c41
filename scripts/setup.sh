#!/bin/sh
# Make a virtual environment and install this project into it.
#
#   sh scripts/setup.sh VENV run|test [PYTHON]
#
# PYTHON defaults to the first of python3, python3.13, python3.12, python3.11 that is new enough. Says in one
# line what is missing and how to mend it. The matching engine is built from source; where that is impossible
# everything else is installed, and the interpreter decides alone.
set -eu

venv=$1
wanted=$2
cd "$(dirname "$0")/.."
log="$venv.log"

say() { printf 'loopx setup: %s\n' "$*" >&2; }

die() {
    say "$*"
    exit 1
}

new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

# A Python that can seed an environment with pip by itself goes before one that cannot.
find_python() {
    fallback=
    for name in ${PYTHON:-python3 python3.13 python3.12 python3.11}; do
        new_enough "$name" || continue
        if "$name" -c 'import venv, ensurepip' >/dev/null 2>&1; then
            echo "$name"
            return
        fi
        fallback=${fallback:-$name}
    done
    echo "$fallback"
}

python=${3:-$(find_python)}
[ -n "$python" ] || die "no Python 3.11 or newer was found; install one (Debian 12 and later: apt install python3 python3-venv)."
new_enough "$python" || die "$python does not run or is older than 3.11; name another one with PYTHON=..."

make_venv() {
    rm -rf "$venv"
    if "$python" -c 'import ensurepip' >/dev/null 2>&1; then
        "$python" -m venv "$venv"
    elif "$python" -m pip --version >/dev/null 2>&1 && "$python" -m venv --without-pip "$venv" 2>/dev/null; then
        "$python" -m pip --python "$venv/bin/python" install -q pip
    else
        rm -rf "$venv"
        die "$python cannot make a virtual environment (ensurepip is missing): apt install python3-venv, then try again."
    fi
}

if ! { new_enough "$venv/bin/python" && "$venv/bin/python" -m pip --version >/dev/null 2>&1; }; then
    make_venv
fi
vpy=$venv/bin/python

pip() { "$vpy" -m pip --disable-pip-version-check install -q "$@" >>"$log" 2>&1; }

requirements() {
    "$vpy" - "$wanted" <<'PY'
import sys, tomllib

with open("pyproject.toml", "rb") as file:
    project = tomllib.load(file)["project"]
extra = project["optional-dependencies"]["test" if sys.argv[1] == "test" else "server"]
lines = project["dependencies"] + extra
for line in lines:
    if not line.startswith("durable-rules"):
        print(line)
PY
}

engine_works() { "$vpy" -c 'import durable_rules_engine' >/dev/null 2>&1; }

# Python 3.13 dropped a name that the engine's C source uses.
if "$vpy" -c 'import sys; sys.exit(sys.version_info < (3, 13))'; then
    CPPFLAGS="${CPPFLAGS:-} -DPyEval_CallObject=PyObject_CallObject"
    export CPPFLAGS
fi

# Why the engine cannot be built here, or nothing.
missing_for_build() {
    cc=$("$vpy" -c 'import os, sysconfig; print((os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0])')
    if ! command -v "$cc" >/dev/null 2>&1; then
        echo "there is no C compiler (apt install gcc python3-dev, then make clean and try again)"
    elif ! "$vpy" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))'; then
        echo "Python's C headers are missing (apt install python3-dev, then make clean and try again)"
    fi
}

install_engine() {
    requirement=$("$vpy" -c 'import tomllib; print(next(r for r in tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"] if r.startswith("durable-rules")))')
    engine_works && return
    why=$(missing_for_build)
    if [ -z "$why" ]; then
        # The second try is for a broken build in pip's cache, as one made without the flag above is.
        pip "$requirement" && engine_works && return
        pip --no-cache-dir --force-reinstall "$requirement" && engine_works && return
        why="its build failed (see $log)"
        "$vpy" -m pip uninstall -q -y durable-rules >>"$log" 2>&1 || true
    fi
    say "the matching engine is not installed, since $why; the interpreter decides alone."
}

: >"$log"
say "installing into $venv ($("$vpy" --version)); about a minute the first time"
install_engine
requirements >"$venv/requirements.txt"
pip -r "$venv/requirements.txt" || die "a package could not be installed: $(tail -n 1 "$log") (all of it: $log)"
pip --no-deps -e . || die "this project could not be installed: $(tail -n 1 "$log") (all of it: $log)"
: >"$venv/.ready-$wanted"
