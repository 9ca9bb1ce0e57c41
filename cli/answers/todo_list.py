"""``loopx todo list``: the todos of a goal, filtered, in the order of the state file."""

from __future__ import annotations

from collections import Counter
from typing import Any

from loopx_policy.errors import StateError, UsageError
from loopx_policy.messages import source_at
from loopx_policy.model import NO_PRIORITY, State, Todo
from loopx_policy.project.grammar import STATUSES, TASK_CLASSES

from ..request import Globals, Result
from .goals import snapshot_of
from .policy import load

Data = dict[str, Any]


def todo_list(options: Globals, goal_id: str | None, wanted: Data, limit: int) -> Result:
    """``{goal_id, state_file, filters, counts, todos: [{todo_id, role, status, ...}], found, hidden}``."""
    _check(wanted)
    snapshot = snapshot_of(options, load(options), goal_id)
    state = readable(snapshot.state)
    todos = state.archived if wanted["archived"] else state.todos
    found = [todo for todo in todos if _fits(todo, wanted)]
    if wanted["section"] and not found:
        _check_section(wanted["section"], todos)
    shown = found[:limit] if limit else found
    data = {
        "schema_version": "loopx_todo_list_v0",
        "goal_id": snapshot.goal.goal_id,
        "state_file": state.file,
        "filters": {name: value if isinstance(value, bool) else list(value) if isinstance(value, tuple) else value
                    for name, value in wanted.items() if value},
        "counts": dict(sorted(Counter(todo.status for todo in todos).items())),
        "found": len(found),
        "hidden": len(found) - len(shown),
        "todos": [row(todo, state.file) for todo in shown],
    }  # fmt: skip
    return Result(data, "todo_list")


def row(todo: Todo, file: str) -> Data:
    """What a list shows of a todo."""
    return {
        "todo_id": todo.todo_id,
        "role": todo.role,
        "status": todo.status,
        "task_class": todo.task_class,
        "priority": f"P{todo.priority}" if todo.priority != NO_PRIORITY else "",
        "claimed_by": todo.claimed_by,
        "text": todo.text,
        "section": todo.section,
        "at": source_at(todo, file),
    }


def readable(state: State) -> State:
    """The state; ``StateError`` where it could not be read."""
    if not state.readable:
        problem = state.problems[0]
        raise StateError(problem.message, at=problem.at, fix=problem.fix)
    return state


def _fits(todo: Todo, wanted: Data) -> bool:
    return (
        wanted["role"] in (None, todo.role)
        and (not wanted["status"] or todo.status in wanted["status"])
        and (not wanted["task_class"] or todo.task_class in wanted["task_class"])
        and wanted["claimed_by"] in (None, todo.claimed_by)
        and not (wanted["unclaimed"] and (todo.claimed_by or todo.role == "user"))
        and (wanted["section"] is None or wanted["section"].lower() == todo.section.lower())
    )


def _check(wanted: Data) -> None:
    """A filter that nothing can fit is a slip."""
    for flag, values, known in (
        ("--role", [wanted["role"]] if wanted["role"] else [], ("agent", "user")),
        ("--status", wanted["status"], STATUSES),
        ("--task-class", wanted["task_class"], TASK_CLASSES),
    ):
        for value in values:
            if value not in known:
                raise UsageError(f"{flag} {value[:40]} is unknown.", fix=f"Use one of {', '.join(known)}.")
    if wanted["claimed_by"] and wanted["unclaimed"]:
        raise UsageError("--claimed-by and --unclaimed exclude each other.", fix="Keep one of the two.")


def _check_section(section: str, todos: list[Todo]) -> None:
    known = list(dict.fromkeys(todo.section for todo in todos))
    if section.lower() not in (each.lower() for each in known):
        from difflib import get_close_matches

        near = get_close_matches(section, known, n=1)
        fix = f"Did you mean {near[0]!r}?" if near else f"Lists: {', '.join(known[:6]) or 'none'}."
        raise UsageError(f"No todo stands below {section[:60]!r}.", fix=fix)
