"""A snapshot as a document, and back: ``from_document(to_document(s)) == s``.

The document is plain JSON data (``loopx_snapshot_v0``, published as ``snapshot.schema.json``), meant to
be written by hand too: nearly everything is optional, with the defaults of the on-disk formats, and a
time may be relative to ``now`` (``-30m``). Problems that the todos show by themselves (an unscoped gate,
two todos with one id, ...) are not written: they are found again when the document is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..model import (
    NO_PRIORITY,
    Authority,
    Goal,
    Invocation,
    Json,
    Lease,
    NextAction,
    OutcomeFloor,
    Problem,
    Quota,
    Run,
    Runs,
    Snapshot,
    State,
    Todo,
    Workspace,
)
from .contract import check_contract
from .goal import default_slots
from .parse import parse_document
from .runs import run_of
from .shapes import fail
from .snapshot_shape import SCHEMA_VERSION, SNAPSHOT
from .times import iso, parse_time
from .todo_text import default_class, derived_id, ids_in, priority_of

# Keys of the document that the model names otherwise.
_GOAL_NAMES = {
    "id": "goal_id",
    "side_agent_handoff_agent": "handoff_agent",
    "available_capabilities": "capabilities",
    "side_agent_independent_worktree_required": "side_agent_worktree_required",
}
_GOAL_PLAIN = (
    "id",
    "status",
    "domain",
    "repo",
    "state_file",
    "agents",
    "primary_agent",
    "side_agent_handoff_agent",
    "write_scope",
    "available_capabilities",
    "claim_ttl_minutes",
    "waiting_on",
    "attention_status",
    "recommended_action",
    "side_agent_independent_worktree_required",
    "raw",
)
_REPAIR_NAMES = {
    "enabled": "self_repair_enabled",
    "allow_health_blocker_repair": "allow_health_blocker_repair",
    "allow_waiting_projection_repair": "allow_waiting_projection_repair",
}
_RUN_TEXTS = (
    "classification",
    "agent_id",
    "progress_scope",
    "recommended_action",
    "delivery_batch_scale",
    "delivery_outcome",
    "monitor_target",
)


def from_document(document: Any, name: str = "") -> Snapshot:
    """The snapshot of a document (plain data, see ``parse_document``).

    Raises ``StateError`` at ``$.todos[2].status`` for the first mistake, after ``name`` where that is given.
    """
    start = f"{name} $" if name else "$"
    if not isinstance(document, dict):
        fail(start, "an object", document)
    now = parse_time(document["now"]) if isinstance(document.get("now"), str) else None
    data = SNAPSHOT.read(document, start, now[0] if now else None)
    goal = _read_goal(data["goal"])
    state = State(
        todos=_read_todos(data.get("todos", ())),
        archived=_read_todos(data.get("archived", ())),
        **{**data.get("state", {}), "problems": _read_problems(data.get("state", {}))},
    )
    known = {todo.todo_id for todo in state.todos}
    state.next_actions = [
        NextAction(item["text"], item.get("line", 0), item.get("todo_ids", ids_in(item["text"], known)))
        for item in data.get("next_action", ())
    ]
    found = check_contract(state.todos, goal.agents, state.file, state.archived)
    state.problems = [problem for problem in state.problems if problem not in found] + found
    rows = [_read_run(item, goal.goal_id) for item in data.get("runs", ())]
    return Snapshot(
        now=data["now"],
        goal=goal,
        state=state,
        runs=Runs(rows[::-1], **data.get("run_index", {})),
        leases=[Lease(**{"owner": "", **item}) for item in data.get("leases", ())],
        merges=list(data.get("merges", ())),
        workspace=Workspace(**data.get("workspace", {})),
        invocation=Invocation(
            data.get("agent"),
            tuple(dict.fromkeys(data.get("capabilities", ()))),
            data.get("registry", ""),
            data.get("runtime_root", ""),
            tuple(data.get("rules", ())),
        ),
        problems=_read_problems(data),
    )


def to_document(snapshot: Snapshot) -> Json:
    """The document of a snapshot: plain data, in a fixed order of keys, without defaults."""
    state = snapshot.state
    found = check_contract(state.todos, snapshot.goal.agents, state.file, state.archived)
    known = {todo.todo_id for todo in state.todos}
    invocation = snapshot.invocation
    values: Json = {
        "schema_version": SCHEMA_VERSION,
        "now": snapshot.now,
        "agent": invocation.agent_id,
        "capabilities": invocation.capabilities,
        "registry": invocation.registry,
        "runtime_root": invocation.runtime_root,
        "rules": invocation.rules,
        "goal": _goal_values(snapshot.goal),
        "workspace": _slots_of(snapshot.workspace),
        "state": {
            "file": state.file,
            "readable": state.readable,
            "front": state.front,
            "problems": [_slots_of(problem) for problem in state.problems if problem not in found],
        },
        "todos": [_todo_values(todo) for todo in state.todos],
        "archived": [_todo_values(todo) for todo in state.archived],
        "next_action": [
            {"text": action.text, "line": action.line, **_todo_ids(action, known)} for action in state.next_actions
        ],
        "runs": [_run_values(run) for run in reversed(snapshot.runs.rows)],
        "run_index": {"complete": snapshot.runs.complete, "torn": snapshot.runs.torn},
        "leases": [_slots_of(lease) for lease in snapshot.leases],
        "merges": snapshot.merges,
        "problems": [_slots_of(problem) for problem in snapshot.problems],
    }
    written: Json = SNAPSHOT.write(values)
    return written


def _slots_of(value: Any) -> Json:
    return {name: getattr(value, name) for name in value.__slots__}


def _read_problems(data: Mapping[str, Any]) -> list[Problem]:
    return [Problem(**item) for item in data.get("problems", ())]


def _read_goal(data: Mapping[str, Any]) -> Goal:
    quota = dict(data.get("quota", {}))
    allowed = quota.pop("allowed_slots", None)
    typed = Quota(**quota)
    typed.allowed_slots = (
        default_slots(typed.compute, typed.window_hours, typed.slot_minutes) if allowed is None else allowed
    )
    floor = data.get("outcome_floor")
    adapter = data.get("adapter", {})
    return Goal(
        **{_GOAL_NAMES.get(key, key): data[key] for key in _GOAL_PLAIN if key in data},
        **{_REPAIR_NAMES[key]: value for key, value in data.get("self_repair", {}).items()},
        adapter_kind=adapter.get("kind", ""),
        adapter_status=adapter.get("status", ""),
        authority=tuple(Authority(**item) for item in data.get("checkpointed_boundary_authority", ())),
        quota=typed,
        outcome_floor=None if floor is None else OutcomeFloor(**floor),
    )


def _goal_values(goal: Goal) -> Json:
    quota = _slots_of(goal.quota)
    if goal.quota.allowed_slots == default_slots(quota["compute"], quota["window_hours"], quota["slot_minutes"]):
        del quota["allowed_slots"]
    return {
        **{key: getattr(goal, _GOAL_NAMES.get(key, key)) for key in _GOAL_PLAIN},
        "self_repair": {key: getattr(goal, name) for key, name in _REPAIR_NAMES.items()},
        "adapter": {"kind": goal.adapter_kind, "status": goal.adapter_status},
        "checkpointed_boundary_authority": tuple(_slots_of(item) for item in goal.authority),
        "quota": quota,
        "outcome_floor": None if goal.outcome_floor is None else _slots_of(goal.outcome_floor),
    }


def _read_todos(items: Any) -> list[Todo]:
    todos: list[Todo] = []
    numbers: dict[tuple[str, str], int] = {}
    for order, item in enumerate(items):
        values = {"role": "agent", "text": "", **item}
        role, text = values["role"], values["text"]
        section = values.setdefault("section", "User Todo" if role == "user" else "Agent Todo")
        number = numbers[role, section] = numbers.get((role, section), 0) + 1
        if "priority" not in values:
            values["priority"] = priority_of(text)
        elif values["priority"] is None:
            values["priority"] = NO_PRIORITY
        values.setdefault("task_class", default_class(role, text))
        values.setdefault("last_line", values.get("line", 0))
        if "todo_id" not in values:
            values["todo_id"] = derived_id(role, section, number, text)
        todos.append(Todo(**values, order=order))
    return todos


def _todo_values(todo: Todo) -> Json:
    values = _slots_of(todo)
    if todo.priority == priority_of(todo.text):
        del values["priority"]
    elif todo.priority == NO_PRIORITY:
        values["priority"] = None
    if todo.task_class == default_class(todo.role, todo.text):
        del values["task_class"]
    if todo.section == ("User Todo" if todo.role == "user" else "Agent Todo"):
        del values["section"]
    if todo.last_line == todo.line:
        del values["last_line"]
    return values


def _todo_ids(action: NextAction, known: set[str]) -> Json:
    return {} if action.todo_ids == ids_in(action.text, known) else {"todo_ids": action.todo_ids}


def _read_run(data: Mapping[str, Any], goal_id: str) -> Run:
    raw = data.get("raw", {})
    view = {**raw, **{key: data[key] for key in _RUN_TEXTS if key in data}}
    if "generated_at" in data:
        view["generated_at"] = iso(data["generated_at"])
    if "autonomous_replan_ack" in data:
        ack = data["autonomous_replan_ack"]
        delta = ack.get("delta_contract", {})
        kinds = list(delta.get("delta_kinds", ()))
        view["autonomous_replan_ack"] = {**ack, "delta_contract": {**delta, "delta_kinds": kinds}}
    run = run_of(view, goal_id)
    run.slots = data.get("slots", run.slots)
    run.raw = raw
    return run


def _run_values(run: Run) -> Json:
    """Only what the raw row does not say by itself."""
    base = run_of(run.raw, run.goal_id)
    values: Json = {key: getattr(run, key) for key in _RUN_TEXTS if getattr(run, key) != getattr(base, key)}
    if run.generated_at != base.generated_at:
        values["generated_at"] = run.generated_at
    acks = [(one.ack_recorded, one.ack_delta, one.delta_kinds) for one in (run, base)]
    if acks[0] != acks[1]:
        values["autonomous_replan_ack"] = {
            "recorded": run.ack_recorded,
            "delta_contract": {"delta_present": run.ack_delta, "delta_kinds": run.delta_kinds},
        }
    if run.slots != run_of({**run.raw, "classification": run.classification}, run.goal_id).slots:
        values["slots"] = run.slots
    return {**values, "raw": run.raw}


__all__ = ["from_document", "parse_document", "to_document"]
