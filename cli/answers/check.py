"""``loopx check``: the findings of a project and of public texts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from loopx_policy.check.findings import Finding
from loopx_policy.check.paths import scan_paths
from loopx_policy.check.project import check_goal
from loopx_policy.check.sarif import to_sarif
from loopx_policy.engine.catalog import Catalog
from loopx_policy.errors import LoopxError, StateError, UsageError
from loopx_policy.ledger.mend import mend
from loopx_policy.ledger.places import places_of
from loopx_policy.ledger.write import Order, perform
from loopx_policy.project.locate import find_registry
from loopx_policy.project.pending import Reading
from loopx_policy.project.registry import read_registry

from ..request import Globals, Result
from .goals import snapshot_of
from .policy import load
from .writing import Writer

Data = dict[str, Any]
FOUND = 1


def check(
    options: Globals,
    goal_id: str | None,
    paths: Sequence[str],
    exclude: Sequence[str],
    fix: bool,
    dry_run: bool,
    sarif: bool,
) -> Result:
    """``{findings, mended, diff, goals, paths}``; exit code 1 where a finding is left.

    Without a project, only the paths are checked, if any are given.
    """
    if dry_run and not fix:
        raise UsageError("--dry-run without --fix changes nothing anyway.", fix="Add --fix.")
    catalog = load(options)
    goals, found = _survey(options, catalog, goal_id, bool(paths))
    diff, left = "", found
    if fix:
        diff = "".join(_mend(options, catalog, name, not dry_run) for name in goals)
    if fix and not dry_run:
        _, left = _survey(options, catalog, goal_id, bool(paths))
    findings = sorted([*left, *scan_paths(paths, exclude)])
    mended = [each for each in sorted(found) if each not in left]
    code = FOUND if findings else 0
    if sarif:
        return Result(to_sarif(findings), "sarif", code)
    data: Data = {
        "schema_version": "loopx_check_v0",
        "goals": goals,
        "paths": list(paths),
        "findings": [each.to_dict() for each in findings],
        "mended": [each.to_dict() for each in mended],
        "diff": diff,
        "dry_run": dry_run,
    }
    return Result(data, "check", code)


def _survey(options: Globals, catalog: Catalog, goal_id: str | None, paths: bool) -> tuple[list[str], list[Finding]]:
    """The goals that are checked, and what is wrong with them."""
    goals, found = _goals(options, goal_id, paths)
    return goals, [*found, *(each for name in goals for each in _of_goal(options, catalog, name))]


def _goals(options: Globals, goal_id: str | None, paths: bool) -> tuple[list[str], list[Finding]]:
    """The goals to check, and what is wrong with the registry itself."""
    try:
        path = find_registry(
            registry=options.registry or None,
            runtime_root=options.runtime_root or None,
            cwd=os.getcwd(),
            env=os.environ,
        )
    except LoopxError:
        if paths and not options.registry and goal_id is None:
            return [], []
        raise
    try:
        registry = read_registry(path)
    except StateError as error:
        return [], [_finding(error)]
    if goal_id is not None:
        registry.goal(goal_id)
        return [goal_id], []
    return list(dict.fromkeys(registry.ids)), []


def _of_goal(options: Globals, catalog: Catalog, goal_id: str) -> list[Finding]:
    try:
        _, places = places_of(Writer(options, goal_id).caller(catalog))
        # What a living writer is about to write is no leftover.
        with Reading(places.folder):
            return check_goal(snapshot_of(options, catalog, goal_id), places)
    except StateError as error:
        return [_finding(error, goal_id)]


def _mend(options: Globals, catalog: Catalog, goal_id: str, execute: bool) -> str:
    """The diff of what was mended, or would be."""
    order = Order("check --fix", {"goal_id": goal_id}, execute, registry=True)
    try:
        return perform(Writer(options, goal_id).caller(catalog), order, mend).diff
    except StateError:
        return ""  # What cannot be read is among the findings that are left.


def _finding(error: StateError, goal_id: str = "") -> Finding:
    file, _, line = error.at.rpartition(":")
    if not (file and line.isdecimal()):
        file, line = error.at, "0"
    return Finding(file, int(line), "contract", error.message, error.fix, goal_id)
