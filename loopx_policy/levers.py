"""What a person can change about a project, one change at a time, each in words.

A lever is a small change to a snapshot that somebody could make for real: answer a gate, add a glob, grant a
capability, release a claim. Nothing here knows any pattern; ``why_not`` tries levers and lets the policy speak.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from loopx_policy.facts.turn import Turn
from loopx_policy.model import Run, Snapshot, State, Todo
from loopx_policy.records import replace

EACH = 8
"""Of how many todos or scopes each kind of change is offered, if nothing else is asked for: there may be thousands."""
Change = Callable[[Snapshot], Snapshot]


@dataclass(slots=True, frozen=True)
class Lever:
    """One change in words, and the function that makes it."""

    words: str
    change: Change


def with_todo(todo_id: str, **fields: object) -> Change:
    """The change of some fields of one todo."""

    def change(snapshot: Snapshot) -> Snapshot:
        todos = [replace(todo, **fields) if todo.todo_id == todo_id else todo for todo in snapshot.state.todos]
        return replace(snapshot, state=replace(snapshot.state, todos=todos))

    return change


def _with_goal(**fields: object) -> Change:
    return lambda snapshot: replace(snapshot, goal=replace(snapshot.goal, **fields))


def _user_levers(turn: Turn, each: int) -> Iterator[Lever]:
    for gate in turn.gates.mine[:each]:
        yield Lever(f"answer the gate {gate.todo_id}", with_todo(gate.todo_id, status="done"))
    for action in turn.gates.actions[:each]:
        yield Lever(f"do the action {action.todo_id}", with_todo(action.todo_id, status="done"))


def _work_levers(turn: Turn, each: int) -> Iterator[Lever]:
    view, me = turn.view, turn.view.me
    missing: dict[str, None] = {}
    outside: dict[str, None] = {}
    leased: dict[str, None] = {}
    for candidate in turn.frontier.candidates:
        missing |= dict.fromkeys(name for names in candidate.missing.values() for name in names)
        outside |= dict.fromkeys(candidate.outside)
        if candidate.lease is not None and candidate.lease.owner != me:
            leased[candidate.lease.todo_id] = None
    for name in islice(missing, each):
        yield Lever(f"provide the capability {name}", _capability(name))
    for scope in islice(outside, each):
        yield Lever(f"add {scope} to write_scope", _add_scope(scope))
    for todo_id in islice(leased, each):
        yield Lever(f"release the lease on {todo_id}", _release(todo_id))
    for todo in view.others[:each]:
        yield Lever(f"reassign {todo.todo_id} to this agent", with_todo(todo.todo_id, claimed_by=me))
    for todo in view.blocked[:each]:
        yield Lever(f"unblock {todo.todo_id}", with_todo(todo.todo_id, status="open", task_class="advancement_task"))
    for todo in view.deferred[:each]:
        yield Lever(f"reopen {todo.todo_id}", with_todo(todo.todo_id, status="open", resume_when=""))
    for candidate in turn.frontier.candidates[:each]:
        todo_id = candidate.todo.todo_id
        yield Lever(f"finish {todo_id}", with_todo(todo_id, status="done"))
    for todo in view.monitors[:each]:
        yield Lever(f"close the watch {todo.todo_id}", with_todo(todo.todo_id, status="done"))
    for todo in view.handoffs[:each]:
        if todo.blocks_agent == me and todo.status != "done":
            yield Lever(f"finish the handoff {todo.todo_id}", with_todo(todo.todo_id, status="done", no_followup=True))
        elif todo.blocks_agent == me and not todo.no_followup:
            yield Lever(f"record that nothing follows {todo.todo_id}", with_todo(todo.todo_id, no_followup=True))


def _capability(name: str) -> Change:
    return lambda snapshot: replace(
        snapshot,
        invocation=replace(snapshot.invocation, capabilities=(*snapshot.invocation.capabilities, name)),
    )


def _add_scope(scope: str) -> Change:
    return lambda snapshot: replace(
        snapshot, goal=replace(snapshot.goal, write_scope=(*snapshot.goal.write_scope, scope))
    )


def _release(todo_id: str) -> Change:
    return lambda snapshot: replace(snapshot, leases=[lease for lease in snapshot.leases if lease.todo_id != todo_id])


def _acknowledge(snapshot: Snapshot) -> Snapshot:
    row = Run(
        generated_at=snapshot.now,
        goal_id=snapshot.goal.goal_id,
        classification="autonomous_replan_recorded",
        agent_id=snapshot.invocation.agent_id or "",
        progress_scope="agent_lane" if snapshot.invocation.agent_id else "goal",
        ack_recorded=True,
        ack_delta=True,
        delta_kinds=("runnable_todo_set",),
    )
    return replace(snapshot, runs=replace(snapshot.runs, rows=[row, *snapshot.runs.rows]))


def _promote(snapshot: Snapshot) -> Snapshot:
    rows = [replace(row, raw={**row.raw, "lesson": None}) for row in snapshot.runs.rows]
    return replace(snapshot, runs=replace(snapshot.runs, rows=rows))


def _mended(snapshot: Snapshot) -> Snapshot:
    state = snapshot.state
    sound = State(state.file, True, state.front, state.todos, state.archived, state.next_actions)
    return replace(snapshot, state=sound, problems=[])


def _add_work(snapshot: Snapshot) -> Snapshot:
    me = snapshot.invocation.agent_id or ""
    order = 1 + max((todo.order for todo in snapshot.state.todos), default=0)
    todo = Todo("todo_new", "agent", "new work", order=order, task_class="advancement_task", claimed_by=me)
    return replace(snapshot, state=replace(snapshot.state, todos=[*snapshot.state.todos, todo]))


def _goal_levers(turn: Turn) -> Iterator[Lever]:
    goal, values = turn.view.snapshot.goal, turn.record.values
    if values["state.contract_errors"] or not values["state.readable"]:
        yield Lever("mend the state", _mended)
    if values["quota.paused"]:
        yield Lever("resume the goal (compute above 0)", _resume)
    if values["quota.spent"] and not values["quota.paused"]:
        yield Lever("allow more slots, or wait for the window to pass", _more_slots)
    if values["quota.cooling_down"]:
        yield Lever("wait for the next eligible time", _with_quota(next_eligible_at=None))
    if any(values[fact] for fact in values if fact.startswith("wait.")):
        yield Lever("lift the declared wait", _with_goal(waiting_on="", attention_status=""))
    for agent in goal.agents if values["agent.identity"] in ("missing", "unknown") else ():
        yield Lever(f"name --agent-id {agent}", _named(agent))
    if not values["workspace.independent"] and values["workspace.guarded"] and values["agent.identity"] == "side":
        yield Lever("move to an independent worktree", _moved)
    if values["lesson.unpromoted"]:
        yield Lever("promote the correction", _promote)
    if values["replan.rows_since"] or values["polls.unchanged"]:
        yield Lever("acknowledge a replan with a delta", _acknowledge)
    if values["outcome.floor_crossed"]:
        yield Lever("produce the missing outcome", _with_goal(outcome_floor=None))
    if values["next_action.present"]:
        yield Lever("clear Next Action", _no_next_action)
    yield Lever("add a runnable todo", _add_work)


def _with_quota(**fields: object) -> Change:
    return lambda snapshot: _with_goal(quota=replace(snapshot.goal.quota, **fields))(snapshot)


def _resume(snapshot: Snapshot) -> Snapshot:
    slots = int(snapshot.goal.quota.window_hours * 60 / snapshot.goal.quota.slot_minutes)
    return _with_quota(compute=1.0, allowed_slots=slots)(snapshot)


def _more_slots(snapshot: Snapshot) -> Snapshot:
    return _with_quota(allowed_slots=sum(max(0, row.slots) for row in snapshot.runs.rows) + 1)(snapshot)


def _named(agent: str) -> Change:
    return lambda snapshot: replace(snapshot, invocation=replace(snapshot.invocation, agent_id=agent))


def _moved(snapshot: Snapshot) -> Snapshot:
    return replace(snapshot, workspace=replace(snapshot.workspace, kind="worktree"))


def _no_next_action(snapshot: Snapshot) -> Snapshot:
    return replace(snapshot, state=replace(snapshot.state, next_actions=[]))


def levers(turn: Turn, each: int = EACH) -> list[Lever]:
    """The changes that somebody could make to this turn's project, people first; of each kind the first ``each``."""
    return [*_user_levers(turn, each), *_goal_levers(turn), *_work_levers(turn, each)]
