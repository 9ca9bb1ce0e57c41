"""Snapshots of the goals that a command line names."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from loopx_policy.engine.catalog import Catalog
from loopx_policy.model import Goal, Snapshot
from loopx_policy.project.reader import read_project
from loopx_policy.project.runs import ENOUGH_ROWS
from loopx_policy.records import replace

from ..request import Globals
from .inputs import moment

if TYPE_CHECKING:
    from loopx_policy.project.registry import Registry

NEUTRAL = "IP-023.neutral"
WINDOW = "IP-023.meaningful_rows"
BROKEN = 3
"""Exit code where what was read is broken; what there is to say is said all the same."""


def neutral(catalog: Catalog) -> frozenset[str]:
    """The classifications of run rows that say nothing about the goal's state."""
    value = catalog.parameters.get(NEUTRAL, ())
    return frozenset(map(str, value)) if isinstance(value, tuple) else frozenset()


def enough(catalog: Catalog) -> int:
    """How many rows that are not neutral a decision looks for beyond the quota window."""
    value = catalog.parameters.get(WINDOW)
    return value if isinstance(value, int) else ENOUGH_ROWS


def near(path: str, cwd: str) -> str:
    """A path as short as it can be said from here, since proposed commands repeat it. Empty stays empty.

    One that climbs is left alone: what ``..`` means after a link, only the file system knows.
    """
    if not os.path.isabs(path) or os.pardir in path.split(os.sep):
        return path
    shorter = os.path.relpath(path, cwd)
    if len(shorter) >= len(path):
        return path
    return f"./{shorter}" if shorter.startswith("-") else shorter


def is_broken(snapshot: Snapshot) -> bool:
    """Whether the state cannot be read, or breaks the goal's contract."""
    problems = (*snapshot.problems, *snapshot.state.problems)
    return not snapshot.state.readable or any(problem.breaks_contract for problem in problems)


def snapshot_of(
    options: Globals,
    catalog: Catalog,
    goal_id: str | None,
    agent_id: str | None = None,
    capabilities: Sequence[str] = (),
) -> Snapshot:
    """One goal as this caller finds it now."""
    return snapshot_at(options, catalog, goal_id, agent_id, capabilities, moment(options))


def snapshot_at(
    options: Globals,
    catalog: Catalog,
    goal_id: str | None,
    agent_id: str | None,
    capabilities: Sequence[str],
    now: int,
) -> Snapshot:
    """One goal as this caller finds it, at a time in seconds since the epoch."""
    cwd = os.getcwd()
    found = read_project(
        goal_id=goal_id,
        registry=near(options.registry, cwd) or None,
        runtime_root=near(options.runtime_root, cwd) or None,
        cwd=cwd,
        env=os.environ,
        now=now,
        agent_id=agent_id,
        capabilities=capabilities,
        neutral=neutral(catalog),
        enough=enough(catalog),
    )
    return _under(found, options.rules, cwd)


def _under(snapshot: Snapshot, rules: Sequence[str], cwd: str) -> Snapshot:
    """The snapshot of a caller who named folders of rules: the commands of its answer name them too."""
    if not rules:
        return snapshot
    who = replace(snapshot.invocation, rules=tuple([near(folder, cwd) for folder in rules]))
    return replace(snapshot, invocation=who)


def snapshots(options: Globals, catalog: Catalog, goal_id: str | None = None) -> list[Snapshot]:
    """Every goal of the registry, or the one that is named."""
    if goal_id is not None:
        return [snapshot_of(options, catalog, goal_id)]
    return list(goals_of(options, catalog, moment(options)))


def goals_of(
    options: Globals, catalog: Catalog, now: int, source: Registry | None = None, part: slice = slice(None)
) -> Iterator[Snapshot]:
    """The goals of the registry, or of a part of it, one after another; ``source`` where it has been read already."""
    from loopx_policy.project.reader import read_goals

    cwd = os.getcwd()
    found = read_goals(
        registry=near(options.registry, cwd) or None,
        runtime_root=near(options.runtime_root, cwd) or None,
        cwd=cwd,
        env=os.environ,
        now=now,
        agent_id=None,
        capabilities=(),
        neutral=neutral(catalog),
        enough=enough(catalog),
        source=source,
        part=part,
    )
    return (_under(snapshot, options.rules, cwd) for snapshot in found)


def registered(options: Globals) -> tuple[str, list[Goal]]:
    """The registry's path and its goals, typed; their state is not read."""
    source = registry_of(options)
    return source.path, source.goals


def registry_of(options: Globals) -> Registry:
    """The registry that a command line means."""
    from loopx_policy.project.locate import find_registry
    from loopx_policy.project.registry import read_registry

    path = find_registry(
        registry=options.registry or None,
        runtime_root=options.runtime_root or None,
        cwd=os.getcwd(),
        env=os.environ,
    )
    return read_registry(path)
