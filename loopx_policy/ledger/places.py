"""Where the files of one goal lie, and what they hold at this instant."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping

from ..errors import StateError
from ..model import Goal, Snapshot
from ..project.leases import FOLDER as LEASES
from ..project.locate import find_registry, find_runtime_root, goal_folder, repo_of, state_path_of
from ..project.pending import read_pending
from ..project.reader import only_goal, read_project
from ..project.registry import read_registry
from ..project.rollout import LOG
from ..records import record, replace
from .files import content


@record(frozen=True)
class Caller:
    """Who writes, and how the project was named: everything that ``read_project`` takes.

    ``agent_id`` is ``None`` for a person at the terminal; ``now`` is seconds since the epoch.
    """

    cwd: str
    env: Mapping[str, str]
    now: int
    goal_id: str | None = None
    registry: str | None = None
    runtime_root: str | None = None
    agent_id: str | None = None
    capabilities: tuple[str, ...] = ()
    neutral: Collection[str] = ()


@record(frozen=True)
class Places:
    """Absolute paths of a goal's files. ``state`` is empty where the registry names none."""

    registry: str
    repo: str
    state: str
    folder: str

    @property
    def runs(self) -> str:
        return os.path.join(self.folder, "runs")

    @property
    def index(self) -> str:
        return os.path.join(self.folder, "runs", "index.jsonl")

    @property
    def events(self) -> str:
        return os.path.join(self.folder, LOG)

    def lease(self, todo_id: str) -> str:
        return os.path.join(self.folder, LEASES, f"{todo_id}.json")

    def shown(self, path: str) -> str:
        """A path as people may see it: relative to the repository, to the goal's folder or to the registry's."""
        for base in (self.repo, self.folder, os.path.dirname(os.path.dirname(self.registry))):
            if base and path.startswith(base.rstrip(os.sep) + os.sep):
                return path[len(base.rstrip(os.sep)) + 1 :]
        return os.path.basename(path)


def places_of(caller: Caller) -> tuple[Goal, Places]:
    """The goal that the caller means, and where its files lie."""
    path = find_registry(registry=caller.registry, runtime_root=caller.runtime_root, cwd=caller.cwd, env=caller.env)
    source = read_registry(path)
    goal, _ = source.goal(caller.goal_id if caller.goal_id is not None else only_goal(source))
    root = find_runtime_root(
        runtime_root=caller.runtime_root, registry=source, goal=goal, cwd=caller.cwd, env=caller.env
    )
    places = Places(
        registry=path,
        repo=repo_of(goal, source, caller.env),
        state=state_path_of(goal, source, caller.env),
        folder=goal_folder(root, goal.goal_id),
    )
    return goal, places


@record
class Ground:
    """What a command plans on: the snapshot, and the bytes that it was read from."""

    caller: Caller
    places: Places
    snapshot: Snapshot
    state: bytes = b""
    registry: bytes = b""

    @property
    def goal(self) -> Goal:
        return self.snapshot.goal


def ground(caller: Caller, places: Places) -> Ground:
    """Read everything once. Under the goal's lock nothing of it changes before the commit."""
    snapshot = read_project(
        goal_id=caller.goal_id,
        registry=caller.registry,
        runtime_root=caller.runtime_root,
        cwd=caller.cwd,
        env=caller.env,
        now=caller.now,
        agent_id=caller.agent_id,
        capabilities=caller.capabilities,
        neutral=caller.neutral,
        locked=True,
    )
    pending = read_pending(places.folder)
    state = content(pending.path(places.state)) if places.state else None
    registry = content(pending.path(places.registry))
    return Ground(caller, places, snapshot, state or b"", registry or b"")


def readable_state(here: Ground) -> bytes:
    """The bytes of the goal state; ``StateError`` where a command would write into what it cannot read."""
    state = here.snapshot.state
    if not state.readable:
        problem = state.problems[0]
        raise StateError(problem.message, at=problem.at, fix=problem.fix)
    return here.state


def as_agent(caller: Caller, agent_id: str | None) -> Caller:
    """The same caller under another name."""
    return replace(caller, agent_id=agent_id)
