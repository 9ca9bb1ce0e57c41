"""Contracts that a random project breaks on purpose, one at a time."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.agent_todos import MARKS
from tests.support.document import Document, SectionPart, TodoPart
from tests.support.scene import GONE, Scene

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
    "waits_for_nobody",
    "superseded_by_nobody",
    *FILES,
)


def break_something(scene: Scene, document: Document) -> str:
    """Break one contract of the document; return which. What cannot be broken here, the next of the list can."""
    first = scene.choose.integer(0, len(BREAKAGES) - 1)
    for kind in (*BREAKAGES[first:], *BREAKAGES[:first]):
        if kind in FILES or _BAD.get(kind, _bad_value(kind))(scene, document):
            return kind
    raise AssertionError("a file can always be broken")


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


def _bad_value(kind: str) -> Callable[[Scene, Document], bool]:
    def broken(scene: Scene, document: Document) -> bool:
        return _spoil(scene, document, *BAD_VALUES[kind])

    return broken


def _spoil(scene: Scene, document: Document, key: str, value: str) -> bool:
    # A finished todo is history: what is wrong with it may be let pass.
    todos = [todo for todo in document.of("agent") if todo.status != "done"]
    if todos:
        scene.choose.choice(todos).meta[key] = value
    return bool(todos)


def _open_gate(scene: Scene, document: Document) -> TodoPart:
    users = document.of("user")
    if not users:
        users = [TodoPart(scene.text(), meta={"todo_id": scene.new_id("u")})]
        document.sections.append(SectionPart("User Todo", "user", todos=users))
    todo = scene.choose.choice(users)
    todo.mark = " "
    todo.meta.update(status="open", task_class="user_gate")
    return todo


def _without_class(scene: Scene, document: Document) -> bool:
    del _open_gate(scene, document).meta["task_class"]
    return True


def _unscoped(scene: Scene, document: Document) -> bool:
    if len(scene.agents) < 2:
        return False
    todo = _open_gate(scene, document)
    todo.meta.pop("blocks_agent", None)
    todo.meta.pop("global_gate", None)
    return True


def _both(scene: Scene, document: Document) -> bool:
    if len(scene.agents) < 2:
        return False
    _open_gate(scene, document).meta.update(blocks_agent=scene.agents[0], global_gate="true")
    return True


def _set_status(todo: TodoPart, status: str) -> None:
    todo.mark = MARKS[status]
    todo.meta["status"] = status


def _duplicate(scene: Scene, document: Document) -> bool:
    todos = document.of("agent")
    if len(todos) < 2 or not todos[0].todo_id:
        return False
    todos[-1].meta["todo_id"] = todos[0].todo_id
    _set_status(todos[-1], "open")
    return True


def _cycle(key: str, form: str) -> Callable[[Scene, Document], bool]:
    def broken(scene: Scene, document: Document) -> bool:
        todos = [todo for todo in document.of("agent") if todo.todo_id]
        if not todos:
            return False
        first, last = todos[0], todos[-1]
        first.meta[key] = form.format(last.todo_id)
        last.meta[key] = form.format(first.todo_id)
        # Among done todos a circle is history.
        for todo in (first, last):
            _set_status(todo, "deferred")
        return True

    return broken


def _dangling(key: str, value: str) -> Callable[[Scene, Document], bool]:
    return lambda scene, document: _spoil(scene, document, key, value)


_BAD: dict[str, Callable[[Scene, Document], bool]] = {
    "user_todo_without_class": _without_class,
    "gate_without_scope": _unscoped,
    "gate_with_both_scopes": _both,
    "duplicate_id": _duplicate,
    "resume_cycle": _cycle("resume_when", "todo_done:{}"),
    "superseded_cycle": _cycle("superseded_by", "{}"),
    "waits_for_nobody": _dangling("resume_when", f"todo_done:{GONE}"),
    "superseded_by_nobody": _dangling("superseded_by", GONE),
}
