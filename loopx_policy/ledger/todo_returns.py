"""Steps that park a todo, bring it back, or move it to the archive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ..errors import RefusedError
from ..model import Todo
from ..project.links import awaited
from ..records import replace
from .drafts import draft, edit
from .todo_steps import Step, known
from .write import Plan

Json = dict[str, Any]
ENDED: Final = (
    "completed_at",
    "no_followup",
    "resume_when",
    "route_continuation_replan_required",
    "successor_todo_ids",
)
"""What a reopened todo says no more: it is neither finished nor waiting, and what follows it is open again."""
NAMED: Final = 50
"""Archived todos that the answer names; of more it gives the number."""


def defer(step: Step, todo_id: str, resume_when: str = "", reason: str = "") -> Plan:
    """Park a todo until its condition is met."""
    todo = known(step.here, todo_id)
    text = edit(step.here)
    changes: dict[str, str | None] = {"status": "deferred", "updated_at": step.now}
    changes |= {"resume_when": resume_when} if resume_when else {}
    changes |= {"reason": reason} if reason else {}
    text.set_mark(todo, "deferred")
    text.set_metadata(todo, changes)
    made = draft(step.here, text)
    todos = {each.todo_id: each for each in made.state.todos}
    parked = todos[todo_id]
    returns = step.knows.returns(replace(step.here.snapshot, state=made.state), parked)
    how = {
        "resume_when": parked.resume_when,
        "linked": returns and not parked.resume_when,
        "lost": not returns and bool(parked.resume_when),
        "cycle": _leads_back(todos, todo_id),
    }
    step.allow("defer", step.part(todo), {"resume_when": resume_when}, defer=how, reason=reason)
    result = {"todo_id": todo_id, "status": "deferred", "resume_when": how["resume_when"]}
    return made.plan(f"Defer {todo_id}", result)


def reopen(step: Step, todo_id: str, reason: str = "") -> Plan:
    """Open a deferred or done todo again, or a handoff whose route was marked stale."""
    todo = known(step.here, todo_id)
    text = edit(step.here)
    before = text.metadata(todo)
    changes: dict[str, str | None] = {"status": "open", "updated_at": step.now, **dict.fromkeys(ENDED)}
    changes |= {"reason": reason} if reason else {}
    text.set_mark(todo, "open")
    text.set_metadata(todo, changes)
    made = draft(step.here, text)
    ready = step.knows.ready(step.here.snapshot, todo)
    step.allow("reopen", step.part(todo), {}, reopen={"resume_ready": ready}, reason=reason)
    result: Json = {"todo_id": todo_id, "status": "open"}
    result |= {"taken_out": {key: before[key] for key in ENDED if key in before}}
    return made.plan(f"Reopen {todo_id}", result)


def archive(step: Step, todo_ids: Sequence[str]) -> Plan:
    """Move done todos to the archive."""
    todos = list({todo_id: known(step.here, todo_id) for todo_id in todo_ids}.values())
    for todo in todos:
        step.allow("archive", step.part(todo), {})
    return _archived(step, todos, {})


def archive_done(step: Step, before: int | None = None) -> Plan:
    """Move every done todo that may go to the archive; with ``before``, only those that ended earlier (seconds)."""
    verdicts: dict[str, str] = {}
    moving: list[Todo] = []
    kept: dict[str, list[str]] = {}
    for todo in step.here.snapshot.state.todos:
        ended = todo.completed_at if todo.completed_at is not None else todo.updated_at
        if todo.status != "done" or (before is not None and (ended is None or ended >= before)):
            continue
        part = step.part(todo)
        # What is judged does not depend on ids, so that ten thousand todos ask for a few verdicts only.
        key = repr(
            {
                name: bool(value) if "todo_id" in name or name == "superseded_by" else value
                for name, value in part.items()
            }
        )
        if key not in verdicts:
            verdicts[key] = _denial(step, part)
        if verdicts[key]:
            kept.setdefault(verdicts[key], []).append(todo.todo_id)
        else:
            moving.append(todo)
    return _archived(step, moving, kept)


def _denial(step: Step, part: Json) -> str:
    try:
        step.allow("archive", part, {})
    except RefusedError as error:
        return error.message
    return ""


def _archived(step: Step, todos: Sequence[Todo], kept: Mapping[str, Sequence[str]]) -> Plan:
    names = [todo.todo_id for todo in todos]
    result: Json = {"archived": len(names), "todo_ids": names[:NAMED]}
    if kept:
        result["kept"] = [f"{len(ids)}: {why}" for why, ids in kept.items()]
    what = names[0] if len(names) == 1 else f"{len(names)} todos"
    if not names:
        return Plan("Archive nothing: no done todo may go", result)
    text = edit(step.here)
    text.archive(todos)
    return draft(step.here, text).plan(f"Archive {what}", result)


def _leads_back(todos: Mapping[str, Todo], todo_id: str) -> bool:
    """Whether what a todo waits for, or what replaces that, waits for the todo itself."""
    seen: set[str] = set()
    waiting = [awaited(todos[todo_id])]
    while waiting:
        name = waiting.pop()
        if name == todo_id:
            return True
        todo = todos.get(name)
        if todo is None or name in seen or todo.status == "done":
            continue
        seen.add(name)
        waiting += [awaited(todo), todo.superseded_by]
    return False
