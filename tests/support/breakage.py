"""Contracts that a random project breaks on purpose, one at a time."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.document import Document, TodoPart
from tests.support.scene import Scene

FILES = ("missing", "empty", "binary")
"""What may be wrong with the state file as a whole; ``lay`` sees to it."""

BREAKAGES = (
    "user_todo_without_class",
    "gate_without_scope",
    "gate_with_both_scopes",
    "bad_status",
    "bad_class",
    "bad_claim",
    "bad_write_scope",
    "bad_decision_scope",
    "bad_resume",
    "bad_cadence",
    "bad_time",
    "bad_safety",
    "bad_flag",
    "duplicate_id",
    "resume_cycle",
    "superseded_cycle",
    *FILES,
)


def break_something(scene: Scene, document: Document) -> str:
    """Break one contract of the document; return which, or an empty string where nothing could be broken."""
    kind = scene.choose.choice(BREAKAGES)
    if kind in FILES:
        return kind
    done = _BAD[kind](scene, document) if kind in _BAD else _bad_value(scene, document, kind)
    return kind if done else ""


BAD_VALUES = {
    "bad_status": ("status", "opne"),
    "bad_class": ("task_class", "advancement"),
    "bad_claim": ("claimed_by", "Main Agent"),
    "bad_write_scope": ("required_write_scopes", "../secrets/**"),
    "bad_decision_scope": ("required_decision_scopes", "direction:planet:x"),
    "bad_resume": ("resume_when", "when_ready"),
    "bad_cadence": ("cadence", "soon"),
    "bad_time": ("updated_at", "yesterday"),
    "bad_safety": ("safety_class", "harmless"),
    "bad_flag": ("no_followup", "maybe"),
}


def _bad_value(scene: Scene, document: Document, kind: str) -> bool:
    todos = document.of("agent")
    if not todos:
        return False
    key, value = BAD_VALUES[kind]
    scene.choose.choice(todos).meta[key] = value
    return True


def _open_gate(scene: Scene, document: Document) -> TodoPart | None:
    users = document.of("user")
    if not users:
        return None
    todo = scene.choose.choice(users)
    todo.mark = " "
    todo.meta["status"] = "open"
    return todo


def _without_class(scene: Scene, document: Document) -> bool:
    todo = _open_gate(scene, document)
    if todo is None:
        return False
    todo.meta.pop("task_class", None)
    return True


def _unscoped(scene: Scene, document: Document) -> bool:
    todo = _open_gate(scene, document)
    if todo is None or len(scene.agents) < 2:
        return False
    todo.meta["task_class"] = "user_gate"
    todo.meta.pop("blocks_agent", None)
    todo.meta.pop("global_gate", None)
    return True


def _both(scene: Scene, document: Document) -> bool:
    todo = _open_gate(scene, document)
    if todo is None or len(scene.agents) < 2:
        return False
    todo.meta.update(task_class="user_gate", blocks_agent=scene.agents[0], global_gate="true")
    return True


def _duplicate(scene: Scene, document: Document) -> bool:
    todos = document.of("agent")
    if len(todos) < 2 or not todos[0].todo_id:
        return False
    todos[-1].meta["todo_id"] = todos[0].todo_id
    return True


def _cycle(key: str, form: str) -> Callable[[Scene, Document], bool]:
    def broken(scene: Scene, document: Document) -> bool:
        todos = [todo for todo in document.of("agent") if todo.todo_id]
        if not todos:
            return False
        first, last = todos[0], todos[-1]
        first.meta[key] = form.format(last.todo_id)
        last.meta[key] = form.format(first.todo_id)
        if key == "resume_when":
            for todo in (first, last):
                todo.mark = "-"
                todo.meta["status"] = "deferred"
        return True

    return broken


_BAD: dict[str, Callable[[Scene, Document], bool]] = {
    "user_todo_without_class": _without_class,
    "gate_without_scope": _unscoped,
    "gate_with_both_scopes": _both,
    "duplicate_id": _duplicate,
    "resume_cycle": _cycle("resume_when", "todo_done:{}"),
    "superseded_cycle": _cycle("superseded_by", "{}"),
}
