"""``loopx doctor``: what is installed, found and readable; each finding with its fix."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import sysconfig
from dataclasses import asdict, dataclass
from typing import Literal

from loopx_policy.errors import LoopxError

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
    checks = [python(), compiler(), engine(), git(), catalog(), *project(options)]
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
    install = f"{FLAG if sys.version_info >= (3, 13) else ''}{sys.executable} -m pip install --no-cache-dir --force-reinstall durable-rules"
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


def catalog() -> Check:
    """Whether the rule files compile."""
    from .policy import load

    try:
        found = load()
    except LoopxError as error:
        return Check("catalog", "fail", str(error), "loopx catalog lint")
    patterns = {case.pattern for cases in found.cases.values() for case in cases}
    count = sum(name.startswith("IP-") for name in patterns)
    return Check("catalog", "ok", f"{count} patterns, {len(found.modes)} modes, digest {found.digest}")


def project(options: Globals) -> list[Check]:
    """Whether a registry is found, and whether each goal's state can be read."""
    from .goals import read_goals, snapshot_of

    try:
        registry, goals = read_goals(options)
    except LoopxError as error:
        named = bool(options.registry or os.environ.get("LOOPX_REGISTRY"))
        where = f"{error.at}: " if error.at else ""
        fix = error.fix or "Go into the project's folder, or name its registry with --registry FILE."
        return [Check("registry", "fail" if named or error.at else "warn", f"{where}{error.message}", fix)]
    ids = ", ".join(goal.goal_id for goal in goals) or "no goal in it"
    checks = [Check("registry", "ok", f"{registry}: {ids}")]
    for goal in goals:
        checks += _state(options, goal.goal_id)
        if goal.agents:
            found = f"{', '.join(goal.agents)}; primary {goal.primary_agent or 'not named'}"
            checks.append(Check(f"agents of {goal.goal_id}", "ok", found))
    del snapshot_of
    return checks


def _state(options: Globals, goal_id: str) -> list[Check]:
    from .goals import snapshot_of

    name = f"state of {goal_id}"
    try:
        snapshot = snapshot_of(options, goal_id)
    except LoopxError as error:
        return [Check(name, "fail", f"{error.at}: {error.message}" if error.at else error.message, error.fix)]
    problems = [*snapshot.problems, *snapshot.state.problems]
    checks = []
    for problem in problems:
        where = f"{problem.at}: " if problem.at else ""
        checks.append(Check(name, "fail" if problem.breaks_contract else "warn", f"{where}{problem.message}", problem.fix))
    if snapshot.state.readable:
        rows = snapshot.runs.rows
        torn = f", {snapshot.runs.torn} torn lines skipped" if snapshot.runs.torn else ""
        found = f"{snapshot.state.file}, {len(snapshot.state.todos)} todos; {len(rows)} rows of the run index read{torn}"
        checks.insert(0, Check(name, "ok", found))
    return checks
