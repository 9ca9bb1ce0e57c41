"""A correction that a person gave, from the conversation into durable state.

Source: IP-017. A row carries the lesson; a later row and, where there is one, a todo refer to it in ``lesson_ref``:
from then on it is promoted, and the turn delivers again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Final

from ..facts.history import lesson_key, unpromoted_lessons
from ..facts.points.state_refresh import LESSON
from ..model import Run, Todo
from ..project.times import iso
from .documents import actor_part, goal_part, row_part, todo_part
from .drafts import draft, edit
from .edits import Edit
from .events import encode
from .places import Ground
from .run_index import every_run
from .run_rows import GOAL, new_row
from .todo_steps import known
from .write import Judge, Plan, allow

Json = dict[str, Any]
SCHEMA: Final = "lesson_v0"


def record(here: Ground, judge: Judge, lesson: Mapping[str, str], todo_id: str = "", *, operator: bool = False) -> Plan:
    """Put a correction on record; ``lesson`` has the fields of ``LESSON``. With a todo it is promoted at once."""
    todo = known(here, todo_id) if todo_id else None
    document = row_part(here, "lesson_record", operator, dict(lesson))
    document["lesson"] = {"standing": "new", **lesson, **_carrier(todo)}
    allow(judge, "state_refresh", document, ("recorded",))
    key = "lesson_" + hashlib.sha256(encode([here.goal.goal_id, iso(here.caller.now), lesson])).hexdigest()[:12]
    edits = _carried(here, judge, todo, key, operator)
    advice = f"Follow the correction: {lesson['rule']}" if todo else f"Promote the correction {key}: {lesson['rule']}"
    fields = {
        "agent_id": _author(here, operator),
        "progress_scope": GOAL,
        "lesson": {"schema_version": SCHEMA, "id": key, **{name: lesson[name] for name in LESSON}},
    }
    note = {name.capitalize(): lesson[name] for name in LESSON}
    row, written = new_row(here, "lesson_recorded", advice, fields, {}, note)
    result = {"lesson": key, "promoted": todo is not None, "generated_at": row["generated_at"]}
    if todo is not None:
        result["todo_id"] = todo.todo_id
    return Plan(f"Record the correction {key}", result, [*edits, *written])


def promote(
    here: Ground, judge: Judge, ref: str, todo_id: str = "", recorded_in: str = "", *, operator: bool = False
) -> Plan:
    """Let a todo, or a place named in words, carry a correction from now on. ``ref`` is its id or its row's time."""
    todo = known(here, todo_id) if todo_id else None
    runs = every_run(here)
    told = next((run for run in runs if lesson_key(run) and ref in (lesson_key(run), run.generated_at_text)), None)
    key = lesson_key(told) if told else ref
    document = row_part(here, "lesson_promote", operator, {"lesson": ref, "recorded_in": recorded_in})
    document["lesson"] = {
        "ref": ref,
        "standing": _standing(here, runs, told),
        "near": [] if told else get_close_matches(ref, [lesson_key(run) for run in runs if lesson_key(run)], n=2),
        "recorded_in": recorded_in,
        **_carrier(todo),
    }
    allow(judge, "state_refresh", document, ("recorded",))
    edits = _carried(here, judge, todo, key, operator)
    rule = str(told.raw["lesson"].get("rule", "")) if told else ""
    carrier = todo.todo_id if todo else recorded_in
    fields = {
        "agent_id": _author(here, operator),
        "progress_scope": GOAL,
        "lesson_ref": key,
        "lesson_promotion": {"todo_id": todo.todo_id} if todo else {"recorded_in": recorded_in},
    }
    note = {"Lesson": key, "Rule": rule, "Carried by": carrier}
    row, written = new_row(here, "lesson_promoted", f"Follow the correction: {rule or key}", fields, {}, note)
    result = {"lesson": key, "carried_by": carrier, "generated_at": row["generated_at"]}
    return Plan(f"Promote the correction {key}: {carrier} carries it", result, [*edits, *written])


def _standing(here: Ground, runs: list[Run], told: Run | None) -> str:
    if told is None:
        return "missing"
    state = here.snapshot.state
    return "open" if told in unpromoted_lessons(runs, [*state.todos, *state.archived]) else "promoted"


def _author(here: Ground, operator: bool) -> str | None:
    return None if operator else here.caller.agent_id


def _carrier(todo: Todo | None) -> Json:
    return {"todo_id": todo.todo_id, "todo_status": todo.status} if todo else {}


def _carried(here: Ground, judge: Judge, todo: Todo | None, key: str, operator: bool) -> list[Edit]:
    """The todo with its reference to the correction, beside those that it has already."""
    if todo is None:
        return []
    document = {
        "operation": "update",
        "actor": actor_part(here.caller, operator),
        "goal": goal_part(here.goal),
        "todo": todo_part(todo),
        "edit": {"fields": ["lesson_ref"], "same_route": True},
    }
    allow(judge, "todo_transition", document)
    references = [ref for ref in todo.extra.get("lesson_ref", "").split(",") if ref and ref != key]
    text = edit(here)
    text.set_metadata(todo, {"lesson_ref": ",".join([*references, key]), "updated_at": iso(here.caller.now)})
    return draft(here, text).plan("", {}).edits
