"""A project on disk to ``Snapshot``: one goal, or all goals of a registry."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from loopx_policy.records import replace

from ..errors import StateError, UsageError
from ..model import Goal, Invocation, Problem, Run, Runs, Snapshot, State
from . import grammar
from .contract import place
from .leases import read_leases
from .locate import (
    find_registry,
    find_runtime_root,
    goal_folder,
    relative_name,
    repo_of,
    runs_folder,
    state_path_of,
)
from .pending import Pending, Reading
from .registry import GONE, Registry, read_registry, stamp_of
from .rollout import awaited, read_merges
from .runs import ENOUGH_ROWS, INDEX, read_runs
from .state import read_state
from .times import iso
from .workspace import read_workspace

CLOCK_SKEW: Final = 300
"""Seconds that a time of something past may lie ahead of ``now`` before that is reported."""


TORN = "lines of the run index are no JSON object and are skipped"


def read_project(
    *,
    goal_id: str | None,
    registry: str | None,
    runtime_root: str | None,
    cwd: str,
    env: Mapping[str, str],
    now: int,
    agent_id: str | None,
    capabilities: Sequence[str],
    neutral: Collection[str],
    enough: int = ENOUGH_ROWS,
    locked: bool = False,
) -> Snapshot:
    """The snapshot of one goal.

    Parameters
    ----------
    goal_id:       ``None`` means the registry's only goal
    registry:      the option as typed; ``None`` searches (see ``locate.find_registry``)
    runtime_root:  the option as typed; ``None`` takes the registry's
    cwd, env:      working directory (absolute) and environment
    now:           seconds since the epoch
    agent_id:      who asks; ``None`` where nobody is named, and never empty
    capabilities:  what the caller has besides the goal's own
    neutral:       the status-neutral classifications of the run index (IP-023)
    enough:        how many other rows are looked for beyond the quota window (IP-023)
    locked:        the caller holds the goal's lock, so that no writer has to be waited for

    Raises ``UsageError`` for a wrong argument or goal and ``StateError`` for an unusable registry. All that
    is wrong with the goal itself is a ``Problem`` in the snapshot, so that a decision can still be printed.
    """
    who = invocation(agent_id, capabilities, registry, runtime_root)
    source = read_registry(find_registry(registry=registry, runtime_root=runtime_root, cwd=cwd, env=env))
    if goal_id is None:
        goal_id = only_goal(source)
    goal, problems = source.goal(goal_id)
    return _snapshot(source, goal, problems, cwd, env, now, who, neutral, enough, locked)


def read_goals(
    *,
    registry: str | None,
    runtime_root: str | None,
    cwd: str,
    env: Mapping[str, str],
    now: int,
    agent_id: str | None,
    capabilities: Sequence[str],
    neutral: Collection[str],
    enough: int = ENOUGH_ROWS,
    source: Registry | None = None,
    part: slice = slice(None),
) -> Iterator[Snapshot]:
    """The snapshots of all goals in registry order; arguments as for ``read_project``.

    Of goals that share one id, only the first is given, with a ``Problem`` that breaks its contract. ``source`` is the
    registry where it has been read already, and ``part`` says which of its goals are wanted.
    """
    who = invocation(agent_id, capabilities, registry, runtime_root)
    if source is None:
        source = read_registry(find_registry(registry=registry, runtime_root=runtime_root, cwd=cwd, env=env))
    places: dict[str, list[int]] = {}
    for number, goal_id in enumerate(source.ids):
        places.setdefault(goal_id, []).append(number)
    for numbers in list(places.values())[part]:
        goal, problems = source.typed(numbers[0])
        if len(numbers) > 1:
            error = source.duplicate(numbers)
            problems.insert(0, Problem(error.message, error.at, error.fix))
        yield _snapshot(source, goal, problems, cwd, env, now, who, neutral, enough)


def _snapshot(
    source: Registry,
    goal: Goal,
    problems: list[Problem],
    cwd: str,
    env: Mapping[str, str],
    now: int,
    who: Invocation,
    neutral: Collection[str],
    enough: int,
    locked: bool = False,
) -> Snapshot:
    repo = repo_of(goal, source, env)
    root = find_runtime_root(
        runtime_root=_absolute(who.runtime_root, cwd), registry=source, goal=goal, cwd=cwd, env=env
    )
    folder = goal_folder(root, goal.goal_id)
    runs = Runs(complete=False)
    with Reading(folder, locked) as pending:
        current = _current(source, pending)
        if current is not source:
            source = current
            goal, problems = source.goal(goal.goal_id)
        state = _state(goal, source, repo, env, pending)
        leases, trouble = read_leases(folder, pending)
        try:
            runs = read_runs(
                runs_folder(root, goal.goal_id),
                goal_id=goal.goal_id,
                window_start=now - int(goal.quota.window_hours * 3600),
                neutral=neutral,
                enough=enough,
                pending=pending,
            )
        except StateError as error:
            trouble.append(Problem(error.message, error.at, error.fix))
        merges = read_merges(folder, goal_id=goal.goal_id, numbers=awaited(state.todos), now=now)
    for run in runs.rows:
        _hide_paths(run)
    trouble += _untidy_runs(runs, now)
    trouble += _future_todos(state, now)
    return Snapshot(
        now=now,
        goal=_shown(goal, repo),
        state=state,
        runs=runs,
        leases=leases,
        merges=merges,
        workspace=read_workspace(cwd, repo if goal.repo else ""),
        invocation=who,
        problems=problems + trouble,
    )


def _current(source: Registry, pending: Pending) -> Registry:
    """The registry now that the goal's writers are kept out: it was read before, to find the goal."""
    path = pending.path(source.path)
    if path == source.path and stamp_of(path) in (source.stamp, GONE):
        return source
    return read_registry(source.path, path)


def _untidy_runs(runs: Runs, now: int) -> Iterator[Problem]:
    if runs.torn:
        said = f"{runs.torn} {TORN}."
        spent = sum(1 for run in runs.rows if "torn" in run.raw)
        if spent:
            said = f"{said[:-1]}; {spent} of them may have spent a slot and count as spent."
        yield Problem(said, INDEX, "Remove them once nobody writes to it.", "", False)
    ahead = sum(1 for run in runs.rows if run.generated_at is not None and run.generated_at > now + CLOCK_SKEW)
    if ahead:
        said = f"{ahead} rows of the run index lie in the future, up to {iso(_latest(runs))}."
        yield Problem(said, INDEX, "Set the clock of the machine that wrote them.", "", False)


def _latest(runs: Runs) -> int:
    return max(run.generated_at for run in runs.rows if run.generated_at is not None)


def _future_todos(state: State, now: int) -> Iterator[Problem]:
    """What has happened cannot lie in the future; due times and ends may."""
    limit = now + CLOCK_SKEW
    for todo in state.todos:
        for key in ("updated_at", "completed_at", "last_checked_at"):
            time = getattr(todo, key)
            if time is not None and time > limit:
                said = f"{todo.todo_id}: {key}={iso(time)} lies in the future."
                yield Problem(said, place(todo, state.file), "Correct it.", todo.todo_id, False)


def _state(goal: Goal, source: Registry, repo: str, env: Mapping[str, str], pending: Pending) -> State:
    path = state_path_of(goal, source, env)
    if path:
        return read_state(pending.path(path), file=relative_name(path, repo), agents=goal.agents)
    number = source.ids.index(goal.goal_id)
    at = f"{source.name}:{source.line(('goals', number))}"
    fix = "Add state_file, relative to the goal's repo."
    return State(readable=False, problems=[Problem(f"Goal {goal.goal_id} names no state_file.", at, fix)])


def with_state(snapshot: Snapshot, state: State) -> Snapshot | None:
    """The snapshot with another goal state, all else being as it was; ``None`` where that asks for other files too."""
    if not awaited(state.todos) <= awaited(snapshot.state.todos):
        return None
    untimely = list(_future_todos(snapshot.state, snapshot.now)) if snapshot.problems else []
    problems = [problem for problem in snapshot.problems if problem not in untimely]
    return replace(snapshot, state=state, problems=[*problems, *_future_todos(state, snapshot.now)])


def only_goal(source: Registry) -> str:
    """The id of the registry's only goal; ``UsageError`` where it has several, or none."""
    ids = list(dict.fromkeys(source.ids))
    if len(ids) == 1:
        return ids[0]
    if not ids:
        raise UsageError("The registry lists no goal.", at=source.name, fix="Begin one with loopx goal init.")
    shown = ", ".join(ids[:8]) + (" ..." if len(ids) > 8 else "")
    raise UsageError(f"The registry has {len(ids)} goals.", at=source.name, fix=f"Name one with --goal-id: {shown}.")


def invocation(
    agent_id: str | None,
    capabilities: Sequence[str] = (),
    registry: str | None = None,
    runtime_root: str | None = None,
) -> Invocation:
    """Who asks and with what, from the options as typed. ``UsageError`` for one that breaks its grammar."""
    if agent_id is not None and not grammar.is_agent_id(agent_id):
        if not agent_id.strip():
            raise UsageError("--agent-id is empty.", fix="Name an agent, or leave the option out.")
        fix = "Write a-z first, then a-z, 0-9, _, ., :, @ or -, at most 80 characters."
        raise UsageError(f"--agent-id {agent_id[:60]!r} is no agent id.", fix=fix)
    if runtime_root == "":
        raise UsageError("--runtime-root is empty.", fix="Name a folder, or leave the option out.")
    found: dict[str, None] = {}
    for item in capabilities:
        name = grammar.capability(item)
        if name is None:
            fix = "Write a-z first, then a-z, 0-9, _, : or -, at most 64 characters."
            raise UsageError(f"--available-capability {item[:60]!r} is no capability.", fix=fix)
        found[name] = None
    return Invocation(agent_id, tuple(found), registry or "", runtime_root or "")


def _absolute(path: str, cwd: str) -> str | None:
    return os.path.join(cwd, path) if path and not path.startswith("~") else path or None


def _shown(goal: Goal, repo: str) -> Goal:
    """The goal as a snapshot carries it: a snapshot is shown and passed on, so no absolute path stays in it."""
    return replace(
        goal,
        repo=_name(goal.repo),
        state_file=relative_name(goal.state_file, repo) if _private(goal.state_file) else goal.state_file,
        raw=_without_paths(goal.raw),
    )


def _hide_paths(run: Run) -> None:
    raw = run.raw
    for key in ("json_path", "markdown_path"):
        value = raw.get(key)
        if isinstance(value, str) and _private(value):
            raw[key] = _name(value)


def _without_paths(value: Any) -> Any:
    if isinstance(value, str):
        return _name(value)
    if isinstance(value, dict):
        return {key: _without_paths(item) for key, item in value.items()}
    return [_without_paths(item) for item in value] if isinstance(value, list) else value


def _private(path: str) -> bool:
    return path.startswith(("/", "~/")) or path[1:3] in (":\\", ":/")


def _name(path: str) -> str:
    return os.path.basename(path.rstrip("/\\")).rpartition("\\")[2] if _private(path) else path
