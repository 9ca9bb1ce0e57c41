"""``loopx review-packet``: the page that a person reads before deciding."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches

from loopx_policy.decide import Policy
from loopx_policy.engine.catalog import Catalog
from loopx_policy.errors import UsageError
from loopx_policy.facts.view import LIVE, USER_CLASSES
from loopx_policy.ledger.places import places_of
from loopx_policy.model import Run, Snapshot, Todo
from loopx_policy.project.runs import artifact
from loopx_policy.review_packet import ReviewPacket

from ..request import Result, ShouldRun
from .policy import load
from .should_run import subject
from .writing import Writer, onlooker


def review_packet(asked: ShouldRun, gate_id: str | None) -> Result:
    """The packet about what is open: for one agent, for all, or about the one item that is named."""
    catalog = load(asked.options, project=asked.snapshot is None)
    policy = Policy(catalog)
    snapshot = subject(asked, catalog)
    todos = _named(snapshot, gate_id) if gate_id else waiting(snapshot, asked.agent_id)
    evaluation = policy.evaluate(onlooker(snapshot))
    there = judgeable(Writer(asked.options, asked.goal_id), catalog) if asked.snapshot is None else lambda run: False
    return Result(ReviewPacket(policy, evaluation, there).write(todos), "review_packet")


def judgeable(writer: Writer, catalog: Catalog) -> Callable[[Run], bool]:
    """Whether a run's own file lies in the project."""
    _, places = places_of(writer.caller(catalog))
    return lambda run: bool(artifact(str(run.raw.get("json_path") or ""), places.runs))


def waiting(snapshot: Snapshot, agent_id: str | None) -> list[Todo]:
    """What waits for a person, gates first; with an agent, what concerns it."""
    found = [
        todo
        for todo in snapshot.state.todos
        if todo.status in LIVE and (todo.role == "user" or todo.task_class in USER_CLASSES)
    ]
    concerned = [todo for todo in found if agent_id is None or todo.blocks_agent in ("", agent_id)]
    return sorted(concerned, key=lambda todo: (todo.task_class != "user_gate", todo.priority, todo.order))


def _named(snapshot: Snapshot, todo_id: str) -> list[Todo]:
    found = waiting(snapshot, None)
    named = [todo for todo in found if todo.todo_id == todo_id]
    if named:
        return named
    near = get_close_matches(todo_id, [todo.todo_id for todo in found], n=1)
    fix = f"Did you mean {near[0]}?" if near else "See: loopx review-packet"
    raise UsageError(f"{todo_id[:80]} does not wait for a person.", at=snapshot.state.file, fix=fix)
