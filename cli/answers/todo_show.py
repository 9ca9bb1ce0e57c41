"""``loopx todo show``: one todo, where it stands, what blocks it now, and what it is linked to."""

from __future__ import annotations

from shlex import quote
from typing import Any

from loopx_policy import todo_standing
from loopx_policy.decide import Policy
from loopx_policy.decision import build
from loopx_policy.errors import UsageError
from loopx_policy.facts.waits import resume_met
from loopx_policy.facts.watches import is_stale
from loopx_policy.messages import source_at
from loopx_policy.model import Snapshot, Todo
from loopx_policy.records import replace

from ..request import Globals, Result
from .goals import snapshot_of
from .policy import load
from .todo_list import readable, row
from .writing import Writer

Data = dict[str, Any]


def show(
    options: Globals, goal_id: str | None, agent_id: str | None, capabilities: tuple[str, ...], todo_id: str
) -> Result:
    """``{todo, metadata, archived, seen_by, standing, turn, names, named_by, gates, leases, steps}``.

    Without an agent in a goal that registers some, it is seen as its holder sees it, else as the primary agent does,
    and nothing is said of a turn.
    """
    catalog = load(options)
    snapshot = snapshot_of(options, catalog, goal_id, agent_id, capabilities)
    state = readable(snapshot.state)
    todo = _find(snapshot, todo_id)
    if agent_id is None:
        snapshot.invocation = replace(snapshot.invocation, agent_id=_viewer(snapshot, todo))
    evaluation = Policy(catalog).evaluate(snapshot)
    archived = not any(each is todo for each in state.todos)
    named, naming = todo_standing.links(todo, snapshot)
    covering = [] if todo.status == "done" else evaluation.turn.gates.covering(todo)
    ready = resume_met(todo, evaluation.turn.view) is True
    decision = build(evaluation)
    about = todo_standing.Standing(False, [todo_standing.Reason("", "it is archived: history")])
    data = {
        "schema_version": "loopx_todo_v0",
        "goal_id": snapshot.goal.goal_id,
        "todo": row(todo, state.file) | {"last_line": todo.last_line},
        "metadata": todo_standing.metadata(todo),
        "archived": archived,
        "seen_by": snapshot.invocation.agent_id,
        "standing": (about if archived else todo_standing.standing(todo, evaluation)).to_dict(),
        "turn": {"mode": decision.mode.name, "should_run": decision.should_run, "reason": decision.reason}
        if agent_id is not None or not snapshot.goal.agents
        else None,
        "names": named,
        "named_by": naming,
        "gates": [{"todo_id": gate.todo_id, "text": gate.text, "at": source_at(gate, state.file)} for gate in covering],
        "leases": todo_standing.leases(todo, snapshot),
        "problems": [
            {"message": problem.message, "at": problem.at, "fix": problem.fix}
            for problem in state.problems
            if problem.todo_id == todo.todo_id
        ],
        "steps": []
        if archived
        else steps(todo, Writer(options, goal_id, agent_id, capabilities).words()["flags"], agent_id, ready),
    }
    return Result(data, "todo_show")


def _find(snapshot: Snapshot, todo_id: str) -> Todo:
    every = [*snapshot.state.todos, *snapshot.state.archived]
    for todo in every:
        if todo.todo_id == todo_id:
            return todo
    from difflib import get_close_matches

    near = get_close_matches(todo_id, [todo.todo_id for todo in every], n=1)
    fix = f"Did you mean {near[0]}?" if near else "See: loopx todo list"
    raise UsageError(f"There is no todo {todo_id[:80]}.", at=snapshot.state.file, fix=fix)


def _viewer(snapshot: Snapshot, todo: Todo) -> str | None:
    goal = snapshot.goal
    names = [todo.claimed_by, goal.primary_agent, *goal.agents]
    return next((name for name in names if name in goal.agents), None)


def steps(todo: Todo, flags: str, agent_id: str | None, ready: bool) -> list[str]:
    """The commands that may come next for a todo; what is still to be filled in stands in angle brackets.

    ``ready`` says that the condition of a parked todo is met.
    """
    name = f"--todo-id {quote(todo.todo_id)}"
    replaced = f"loopx todo supersede {name} --reason '<why>' --next-agent-todo '<what instead>'{flags}"
    nothing = f"loopx todo no-followup {name} --reason '<why>'{flags}"
    if todo.role == "user":
        done = f"loopx todo complete {name} --operator{flags}"
        return [done] if todo.status != "done" and todo.task_class != "user_gate" else []
    if todo.status == "done":
        settled = todo.successor_todo_ids or todo.superseded_by or todo.no_followup or not todo.blocks_agent
        again = f"loopx todo reopen {name} --reason '<why>'{flags}"
        return [f"loopx todo archive {name}{flags}"] if settled else [again, replaced, nothing]
    if todo.status == "deferred" or (todo.blocks_agent and is_stale(todo)):
        back = [f"loopx todo reopen {name}{flags}"] if ready or todo.status != "deferred" else []
        return [*back, replaced, nothing]
    if agent_id and todo.claimed_by not in ("", agent_id):
        return []
    if not todo.claimed_by:
        return [f"loopx todo claim {name}{flags}"] if agent_id else []
    done = f"loopx todo complete {name} --evidence '<what shows it>' --next-agent-todo '<what follows>'{flags}"
    return [done, replaced, f"loopx todo update {name} --status blocked --reason '<what is in the way>'{flags}"]
