"""Steps in the life of a todo: what each writes, once ``todo_transition`` allows it (IP-019, IP-020)."""

from __future__ import annotations

from difflib import get_close_matches

from ..errors import UsageError
from ..model import Todo
from ..project.times import iso
from .documents import actor_part, find_todo, goal_part, todo_part
from .edits import Replace
from .places import Ground, readable_state
from .state_text import StateText
from .write import Judge, Plan, allow


def claim(here: Ground, judge: Judge, todo_id: str, claimed_by: str, *, operator: bool = False) -> Plan:
    """Make an agent the soft owner of a todo; its own claim again changes nothing."""
    todo = known(here, todo_id)
    reassign = bool(todo.claimed_by) and todo.claimed_by != claimed_by and (operator or _primary(here))
    document = {
        "operation": "reassign" if reassign else "claim",
        "actor": actor_part(here.caller, operator),
        "goal": goal_part(here.goal),
        "todo": todo_part(todo),
        "claim": {"claimed_by": claimed_by},
    }
    allow(judge, "todo_transition", document)
    result = {"todo_id": todo.todo_id, "claimed_by": claimed_by, "previous": todo.claimed_by}
    if todo.claimed_by == claimed_by:
        return Plan(f"Claim {todo.todo_id} for {claimed_by}, who holds it", result)
    text = edit(here)
    text.set_metadata(todo, {"claimed_by": claimed_by, "updated_at": iso(here.caller.now)})
    return Plan(f"Claim {todo.todo_id} for {claimed_by}", result, [saved(here, text)])


def known(here: Ground, todo_id: str) -> Todo:
    """The active todo with this id; ``UsageError`` with the nearest one where there is none."""
    readable_state(here)
    todo = find_todo(here.snapshot, todo_id)
    if todo is not None:
        return todo
    ids = [each.todo_id for each in here.snapshot.state.todos]
    near = get_close_matches(todo_id, ids, n=1)
    archived = any(each.todo_id == todo_id for each in here.snapshot.state.archived)
    said = f"{todo_id[:80]} is archived." if archived else f"There is no todo {todo_id[:80]}."
    fix = f"Did you mean {near[0]}?" if near else "See: loopx todo list"
    raise UsageError(said, at=here.snapshot.state.file, fix=fix)


def edit(here: Ground) -> StateText:
    """The goal state, ready to be changed."""
    return StateText(readable_state(here), here.snapshot.state)


def saved(here: Ground, text: StateText) -> Replace:
    """The changed goal state as an edit."""
    return Replace(here.places.state, here.state, text.to_bytes())


def _primary(here: Ground) -> bool:
    return here.caller.agent_id is not None and here.caller.agent_id == here.goal.primary_agent
