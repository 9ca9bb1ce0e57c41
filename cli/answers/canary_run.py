"""``loopx canary run``: carry a plan out, show how it goes, and write reports of it."""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import dataclass
from typing import Any

from loopx_policy.canary.outcome import Ran
from loopx_policy.canary.outside import Machine
from loopx_policy.canary.plan import Plan
from loopx_policy.canary.reports import junit, sarif
from loopx_policy.canary.run import Terms, run_plan
from loopx_policy.errors import LoopxError, StateError, UsageError
from loopx_policy.project.locate import find_runtime_root, goal_folder, state_path_of
from loopx_policy.project.registry import read_registry

from ..progress import progress
from ..request import Globals, Result
from .canary import Selection, planned, root_of
from .policy import load

Data = dict[str, Any]
FORMATS = ("json", "junit", "sarif", "text")


@dataclass(slots=True, frozen=True)
class How:
    """``budget`` is in seconds, 0 for none; ``reports`` are ``FORMAT:FILE``."""

    budget: float = 0.0
    jobs: int | None = None
    reports: tuple[str, ...] = ()
    fail_on_gap: bool = False


def run(options: Globals, selection: Selection, how: How) -> Result:
    """``{ok, passed, failed, errors, not_run, outcomes, gaps, changed, milliseconds}``; exit code 1 if not ok."""
    wanted = [_report(each) for each in how.reports]
    root, catalog = root_of(selection.tree), load()
    plan = planned(selection, root, catalog)
    jobs = how.jobs or min(4, os.cpu_count() or 1)
    terms = Terms(time.monotonic, jobs, how.budget, tuple(state_of(options, root)))
    machine = Machine(sys.executable, os.environ, root)
    with progress(len(plan.checks), options.format) as tell:
        ran = run_plan(plan, machine, catalog, terms, tell)
    ok = ran.ok and not (how.fail_on_gap and ran.gaps)
    result = Result(told(ran, plan, ok), "canary_run", 0 if ok else 1)
    for kind, path in wanted:
        _write(path, _text(kind, ran, plan, result))
    return result


def told(ran: Ran, plan: Plan, ok: bool) -> Data:
    """A run as plain data."""
    return {
        "schema_version": "loopx_canary_run_v0",
        "ok": ok,
        "passed": ran.count("passed"),
        "failed": ran.count("failed"),
        "errors": ran.count("error"),
        "not_run": ran.count("not_run"),
        "milliseconds": ran.milliseconds,
        "outcomes": [outcome.to_dict() for outcome in ran.outcomes],
        "gaps": [gap.to_dict() for gap in ran.gaps],
        "changed": ran.changed,
        "left_out": plan.left_out,
        "profiles": {"chosen": plan.chosen, "fitting": plan.fitting},
    }


def state_of(options: Globals, root: str) -> list[str]:
    """The files and folders that hold the state of the project at ``root``, as far as its registry can be read."""
    own = os.path.join(root, ".loopx")
    found = [own] if os.path.isdir(own) else []
    path = options.registry or os.path.join(own, "registry.json")
    try:
        registry = read_registry(os.path.abspath(path))
    except (LoopxError, OSError):
        return found
    for goal in registry.goals:
        try:
            runtime = find_runtime_root(
                runtime_root=options.runtime_root or None, registry=registry, goal=goal, cwd=root, env=os.environ
            )
            found += [goal_folder(runtime, goal.goal_id), state_path_of(goal, registry, os.environ)]
        except LoopxError:
            continue
    return [place for place in dict.fromkeys(found) if place]


def _report(wanted: str) -> tuple[str, str]:
    kind, _, path = wanted.partition(":")
    if kind not in FORMATS or not path:
        raise UsageError(
            f"--report {wanted[:60]} is no FORMAT:FILE.", fix=f"Write {' or '.join(FORMATS)}, a colon and a file."
        )
    if not os.path.isdir(os.path.dirname(os.path.abspath(path))):
        raise UsageError(f"There is no folder for the report {path}.", fix="Make it, or name another file.")
    return kind, path


def _text(kind: str, ran: Ran, plan: Plan, result: Result) -> str:
    if kind == "junit":
        return junit(ran)
    if kind == "sarif":
        first = next((each.path for each in plan.touched), "")
        return json.dumps(sarif(ran, first), indent=1, ensure_ascii=False) + "\n"
    if kind == "json":
        return json.dumps(result.data, indent=1, ensure_ascii=False) + "\n"
    from ..render.canary_run import markdown

    return markdown(result.data) + "\n"


def _write(path: str, text: str) -> None:
    try:
        with open(path, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
    except OSError as error:
        raise StateError(
            f"The report cannot be written ({error.strerror}).", at=path, fix="Name another file."
        ) from None
