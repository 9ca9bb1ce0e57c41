"""``loopx doctor``: what is installed, found and readable; each finding with its fix."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Literal

from loopx_policy.errors import LoopxError
from loopx_policy.model import Snapshot

from ..request import Globals, Result

SCHEMA = "loopx_doctor_v0"
OLDEST = (3, 11)
FLAG = "CPPFLAGS=-DPyEval_CallObject=PyObject_CallObject "


@dataclass(slots=True, frozen=True)
class Check:
    """One finding: ``warn`` leaves the program working, ``fail`` does not."""

    name: str
    status: Literal["ok", "warn", "fail"]
    found: str
    fix: str = ""


def doctor(options: Globals) -> Result:
    """Every check; exit code 1 if one failed."""
    checks = [python(), compiler(), engine(), git(), catalog(options), *project(options)]
    failed = any(check.status == "fail" for check in checks)
    data = {"schema_version": SCHEMA, "ok": not failed, "checks": [asdict(check) for check in checks]}
    return Result(data, "doctor", 1 if failed else 0)


def python() -> Check:
    """Whether this Python is new enough."""
    version = ".".join(map(str, sys.version_info[:3]))
    found = f"{version} at {sys.executable}"
    if sys.version_info[:2] < OLDEST:
        return Check("python", "fail", found, "Install Python 3.11 or newer and run make clean, then make demo.")
    return Check("python", "ok", found)


def compiler() -> Check:
    """Whether the engine could be built here; it matters only where the engine is not built yet."""
    configured = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    name = shlex.split(str(configured))[0]
    place = shutil.which(name)
    if place is None:
        return Check("compiler", "warn", f"{name} is not on PATH", "apt install gcc python3-dev")
    header = os.path.join(sysconfig.get_path("include"), "Python.h")
    if not os.path.exists(header):
        return Check("compiler", "warn", f"{place}, without Python's headers", "apt install python3-dev")
    return Check("compiler", "ok", place)


def engine() -> Check:
    """Whether the matching engine is built; without it the interpreter decides alone."""
    pip = f"{sys.executable} -m pip install --no-cache-dir --force-reinstall durable-rules"
    install = f"{FLAG}{pip}" if sys.version_info >= (3, 13) else pip
    try:
        import durable_rules_engine
    except Exception as error:
        found = f"not built ({' '.join(str(error).split())[:120]}); the interpreter decides alone"
        return Check("engine", "warn", found, install)
    from importlib.metadata import PackageNotFoundError, version

    try:
        return Check("engine", "ok", f"durable_rules {version('durable-rules')}, beside the interpreter")
    except PackageNotFoundError:
        return Check("engine", "ok", f"{durable_rules_engine.__name__}, beside the interpreter")


def git() -> Check:
    """Whether the workspace guard can tell a worktree from a primary checkout."""
    place = shutil.which("git")
    if place is None:
        return Check("git", "warn", "not on PATH; no worktree can be made for a side agent", "apt install git")
    return Check("git", "ok", place)


def catalog(options: Globals) -> Check:
    """Whether the rule files compile."""
    from .policy import load

    try:
        found = load(options)
    except LoopxError as error:
        return Check("catalog", "fail", str(error), "loopx catalog lint")
    patterns = {case.pattern for cases in found.cases.values() for case in cases}
    patterns |= {item.pattern for item in found.obligations} | {item.pattern for item in found.withholdings}
    count = sum(name.startswith("IP-") for name in patterns)
    return Check("catalog", "ok", f"{count} patterns, {len(found.modes)} modes, digest {found.digest}")


def project(options: Globals) -> list[Check]:
    """Whether a registry is found, and whether each goal's state can be read."""
    from .goals import near, registered

    try:
        path, goals = registered(options)
    except LoopxError as error:
        named = bool(options.registry or os.environ.get("LOOPX_REGISTRY"))
        where = f"{error.at}: " if error.at else ""
        return [Check("registry", "fail" if named or error.at else "warn", f"{where}{error.message}", error.fix)]
    ids = ", ".join(goal.goal_id for goal in goals) or "no goal in it"
    return [Check("registry", "ok", f"{near(path, os.getcwd())}: {ids}"), *states(options)]


def states(options: Globals) -> list[Check]:
    """Each goal's state and its problems, and the agents that may ask."""
    from .goals import snapshots
    from .policy import load

    try:
        found = snapshots(options, load(options))
    except LoopxError as error:
        return [Check("goals", "fail", f"{error.at}: {error.message}" if error.at else error.message, error.fix)]
    return [check for snapshot in found for check in state(snapshot)]


def _number(count: int, word: str) -> str:
    return f"{count} {word}{'s' * (count != 1)}"


def state(snapshot: Snapshot) -> Iterator[Check]:
    """One goal."""
    goal = snapshot.goal
    if snapshot.state.readable:
        torn = f", {snapshot.runs.torn} torn lines skipped" if snapshot.runs.torn else ""
        todos, runs = _number(len(snapshot.state.todos), "todo"), _number(len(snapshot.runs.rows), "run")
        told = f"{snapshot.state.file}, {todos}; {runs} read{torn}"
        yield Check(f"state of {goal.goal_id}", "ok", told)
    for problem in [*snapshot.problems, *snapshot.state.problems]:
        status: Literal["warn", "fail"] = "fail" if problem.breaks_contract else "warn"
        where = f"{problem.at}: " if problem.at else ""
        yield Check(f"state of {goal.goal_id}", status, f"{where}{problem.message}", problem.fix)
    if goal.agents:
        told = f"{', '.join(goal.agents)}; primary {goal.primary_agent or 'not named'}"
        yield Check(f"agents of {goal.goal_id}", "ok", told)
