"""A plan that is told to a person, on record with the place of each of its items.

Source: IP-018. What is recorded has a todo, a Next Action or a recommended action for each item, or says openly that
nothing was written back; the point ``plan_writeback`` decides.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from .documents import find_todo, row_part
from .places import Ground, readable_state
from .run_rows import GOAL, new_row
from .write import Judge, Plan, allow

Json = dict[str, Any]
PLACES: Final = ("next_action", "recommended_action", "doc")
_PLACED = re.compile(
    r"\s*((?:todo_[a-z0-9_-]{3,64}|next_action|recommended_action|doc)(?:\+[a-z0-9_-]+)*)\s*:\s*(.+)", re.S
)


@dataclass(slots=True, frozen=True)
class Item:
    """One item of a plan: ``kind`` agent_work or user_action, what is promised, and where it stands."""

    kind: str
    text: str
    todo_id: str = ""
    places: tuple[str, ...] = ()


def read_item(text: str, kind: str) -> Item:
    """``WHERE: what is promised``; WHERE is a todo id, next_action, recommended_action or doc, several with ``+``.

    A text without such a beginning stands nowhere.
    """
    found = _PLACED.fullmatch(text)
    words = found[1].split("+") if found else []
    if not found or any(word not in PLACES and not word.startswith("todo_") for word in words):
        return Item(kind, text.strip())
    todo_id = next((word for word in words if word.startswith("todo_")), "")
    return Item(kind, found[2].strip(), todo_id, tuple(word for word in words if word in PLACES))


def record(
    here: Ground,
    judge: Judge,
    items: Sequence[Item],
    recommended_action: str = "",
    *,
    speculative: bool = False,
    operator: bool = False,
) -> Plan:
    """The row of a plan whose items all stand somewhere, or which is said to be speculative."""
    readable_state(here)
    texts = {f"item_{number}": item.text for number, item in enumerate(items, 1)}
    texts |= {"recommended_action": recommended_action} if recommended_action else {}
    allow(judge, "state_refresh", row_part(here, "progress", operator, texts), ("recorded",))
    standing = [_standing(here, item, recommended_action) for item in items]
    document = {
        "connected": True,
        "items": [
            {"kind": item.kind, "summary": item.text, "written": places}
            | ({"todo_id": item.todo_id} if item.todo_id else {})
            for item, places in zip(items, standing, strict=True)
        ],
        "todos": _todos(here, items),
        "says_speculative": speculative,
        "texts": texts,
    }
    allow(judge, "plan_writeback", document)
    told = [_row(item, places) for item, places in zip(items, standing, strict=True)]
    fields = {
        "agent_id": None if operator else here.caller.agent_id,
        "progress_scope": GOAL,
        "plan": {"schema_version": "plan_v0", "speculative": speculative, "items": told},
    }
    note = {f"Item {number}": _told(item) for number, item in enumerate(told, 1)}
    row, edits = new_row(here, "plan_recorded", recommended_action, fields, {}, note)
    result = {"items": len(items), "speculative": speculative, "generated_at": row["generated_at"]}
    result["todos"] = [item.todo_id for item in items if item.todo_id]
    return Plan(f"Record a plan of {len(items)} item{'s' * (len(items) != 1)}", result, edits)


def _standing(here: Ground, item: Item, recommended_action: str) -> list[str]:
    """The places that really hold an item."""
    there = {"next_action": bool(here.snapshot.state.next_actions), "recommended_action": bool(recommended_action)}
    return (["todo"] if item.todo_id else []) + [place for place in item.places if there.get(place, True)]


def _todos(here: Ground, items: Sequence[Item]) -> list[Json]:
    found = [todo for item in items if item.todo_id and (todo := find_todo(here.snapshot, item.todo_id))]
    return [{"todo_id": todo.todo_id, "role": todo.role, "status": todo.status} for todo in found]


def _row(item: Item, places: Sequence[str]) -> Json:
    """An item as the run index keeps it; one that stands nowhere says so."""
    kept: Json = {"text": item.text, "kind": item.kind}
    kept |= {"todo_id": item.todo_id} if item.todo_id else {}
    kept |= {place: True for place in places if place != "todo"}
    return kept if places else kept | {"no_writeback": "told as speculation"}


def _told(item: Json) -> str:
    where = [str(item.get("todo_id") or ""), *(place for place in PLACES if item.get(place))]
    return f"{item['text']} ({', '.join(word for word in where if word) or 'speculative'})"
