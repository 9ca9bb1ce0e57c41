"""What waits for a person: gates and actions, the caller's and those of another agent."""

from __future__ import annotations

from typing import Any

from loopx_policy.engine.record import Record
from loopx_policy.prove.realise.scene import Json, Scene, todo

SCOPE = "direction:goal:berth_plan"
GONE = "todo_gone"


def has_scoped(record: Record) -> bool:
    """Whether some gate of the caller is scoped: a candidate says so, else the open gates that are nothing else."""
    others = int(record["gates.blanket"]) + int(record["gates.unclear"])
    return bool(record.get("gate.scoped", int(record["gates.open"]) > others))


def add_people(scene: Scene, linked: str = "") -> None:
    """Gates and actions as the record counts them; ``linked`` is a todo that the first scoped gate unblocks."""
    me, several = scene.cast.me, scene.cast.several
    blanket, unclear = scene.count("gates.blanket"), scene.count("gates.unclear")
    scoped = max(scene.count("gates.open") - blanket - unclear, int(has_scoped(scene.record)))
    whom = me if several else ""
    for _ in range(blanket):
        one = {"blocks_agent": me} if several else {"global_gate": True}
        scene.gates.append(_gate(scene, "Shall the harbor open on Sundays?", **one))
    for _ in range(unclear):
        scene.gates.append(_gate(scene, "Is this still wanted?", blocks_agent=whom, unblocks_todo_id=GONE))
    for number in range(scoped):
        link = linked if not number else ""
        scene.gates.append(
            _gate(scene, "Which berth plan is right?", blocks_agent=whom, decision_scope=SCOPE, unblocks_todo_id=link)
        )
    for number in range(scene.count("gates.elsewhere")):
        fields = {"role": "user", "task_class": "user_gate", "blocks_agent": scene.cast.elsewhere}
        scene.gates_elsewhere.append(todo("v", number + 1, "May the other lane go on?", **fields))
    for number in range(scene.count("actions.open")):
        scene.actions.append(todo("w", number + 1, "Sign the tide table", role="user", task_class="user_action"))
    for number in range(scene.count("actions.elsewhere")):
        fields = {"role": "user", "task_class": "user_action", "blocks_agent": scene.cast.elsewhere}
        scene.actions_elsewhere.append(todo("x", number + 1, "Hand the other lane its key", **fields))


def _gate(scene: Scene, text: str, **fields: Any) -> Json:
    return todo("u", len(scene.gates) + 1, text, role="user", task_class="user_gate", **fields)
